// The shape of the one KEDA object that the recipes use, as KEDA 2.18's v1alpha1 types and its Prometheus
// scaler name it. Must not know the recipes. Sources: keda.sh/v1alpha1 types (ScaledObjectSpec,
// ScaleTriggers, Fallback, AdvancedConfig) and keda.sh/docs/2.18/scalers/prometheus.
import * as z from "zod";

const count = z.int().min(0);
/** KEDA reads a trigger's metadata as text: a bare number in YAML is refused by the API server. */
const numeral = z.string().regex(/^\d+(\.\d+)?$/);

const rules = z.strictObject({
  stabilizationWindowSeconds: z.int().min(0).max(3600).optional(),
  selectPolicy: z.enum(["Max", "Min", "Disabled"]).optional(),
  policies: z
    .array(
      z.strictObject({
        type: z.enum(["Pods", "Percent"]),
        value: z.int().min(1),
        periodSeconds: z.int().min(1).max(1800),
      }),
    )
    .optional(),
});

const prometheus = z.strictObject({
  type: z.literal("prometheus"),
  name: z.string().optional(),
  metricType: z.enum(["AverageValue", "Value"]).optional(),
  useCachedMetrics: z.boolean().optional(),
  authenticationRef: z.strictObject({ name: z.string(), kind: z.string().optional() }).optional(),
  metadata: z.strictObject({
    serverAddress: z.url(),
    query: z.string().min(1),
    threshold: numeral,
    activationThreshold: numeral.optional(),
    namespace: z.string().optional(),
    ignoreNullValues: z.enum(["true", "false"]).optional(),
    unsafeSsl: z.enum(["true", "false"]).optional(),
    timeout: numeral.optional(),
  }),
});

export const ScaledObjectSchema = z.strictObject({
  apiVersion: z.literal("keda.sh/v1alpha1"),
  kind: z.literal("ScaledObject"),
  metadata: z.strictObject({
    name: z.string(),
    namespace: z.string().optional(),
    annotations: z.record(z.string(), z.string()).optional(),
    labels: z.record(z.string(), z.string()).optional(),
  }),
  spec: z.strictObject({
    scaleTargetRef: z.strictObject({
      apiVersion: z.string().optional(),
      kind: z.string().optional(),
      name: z.string(),
      envSourceContainerName: z.string().optional(),
    }),
    pollingInterval: count.optional(),
    cooldownPeriod: count.optional(),
    initialCooldownPeriod: count.optional(),
    idleReplicaCount: count.optional(),
    minReplicaCount: count.optional(),
    maxReplicaCount: z.int().min(1),
    fallback: z
      .strictObject({
        failureThreshold: z.int().min(1),
        replicas: count,
        behavior: z.enum(["static", "currentReplicas", "currentReplicasIfHigher", "currentReplicasIfLower"]).optional(),
      })
      .optional(),
    advanced: z
      .strictObject({
        restoreToOriginalReplicaCount: z.boolean().optional(),
        horizontalPodAutoscalerConfig: z
          .strictObject({
            name: z.string().optional(),
            behavior: z.strictObject({ scaleUp: rules.optional(), scaleDown: rules.optional() }).optional(),
          })
          .optional(),
      })
      .optional(),
    triggers: z.array(prometheus).min(1),
  }),
});
export type ScaledObject = z.output<typeof ScaledObjectSchema>;
