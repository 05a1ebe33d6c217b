// The manifests that helm made of the chart: held to the API's strict schemas, to the image, to
// nginx and to what the pieces must agree on.
import { describe, expect, it } from "vitest";
import { readGatewayEnv } from "../../gpu-backend/gateway/env.ts";
import { GatewayMetrics } from "../../gpu-backend/gateway/http/metrics.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { readEnv, VARIABLES } from "../../src/env.ts";
import { flagsOf, launch } from "./launching.ts";
import { faults, isWorkload, type Manifest, one, podOf, rendered, SIZES, settings } from "./manifests.ts";
import { FLAGS, textOf } from "./records.ts";
import type { ScaledObject } from "./scaled-object.ts";

describe.each(SIZES)("the size %s", (size) => {
  const documents = rendered(size);

  it("fits the API's schemas, with no field that they do not know", () => {
    expect(documents.flatMap(faults)).toEqual([]);
    expect(documents.every((d) => d.metadata.namespace === "kritai")).toBe(true);
    expect(documents.filter(({ kind }) => kind === "Secret")).toEqual([]);
  });

  it("starts the engine as the launch script does, flag for flag", async () => {
    const [container] = podOf(one(documents, "StatefulSet", "engine")).containers;
    const env = settings(documents, "engine-settings");
    const argv = (container.args as string[]).map((arg) =>
      arg.replace(/\$\((\w+)\)/g, (_, name) => env[name] ?? `?${name}`),
    );
    const size = /Qwen-([\d.]+B)$/.exec(env.MODEL ?? "")?.[1]?.toLowerCase() ?? "";
    const script = await launch("vllm.sh", [size], { HOST: "0.0.0.0" });
    expect([...container.command.slice(1), ...argv]).toEqual(script.argv);
    expect(container.image).toBe(`vllm/vllm-openai:v${FLAGS.vllm.version}`);
    expect(container.resources.limits["nvidia.com/gpu"]).toBe(Number(env.TENSOR_PARALLEL));
    const given = Object.fromEntries(container.env.map((v: Manifest) => [v.name, v.value]));
    for (const name of ["VLLM_HTTP_TIMEOUT_KEEP_ALIVE", "VLLM_NO_USAGE_STATS"])
      expect(given[name]).toBe(script.env[name]);
  });

  it("lets running work finish before a pod is killed: the longest deadline, after the pause that takes it out of rotation", () => {
    for (const workload of [one(documents, "StatefulSet", "engine"), one(documents, "Deployment", "gateway")]) {
      const { containers, terminationGracePeriodSeconds } = podOf(workload);
      const pause = containers[0].lifecycle.preStop.sleep.seconds;
      const own =
        workload.kind === "StatefulSet"
          ? Number(flagsOf(containers[0].args).get("--shutdown-timeout"))
          : LIMITS.deadline_ms_max / 1000;
      expect(own * 1000).toBeGreaterThanOrEqual(LIMITS.deadline_ms_max);
      expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(pause + own + 10);
    }
  });

  it("probes every container: start, readiness, life", () => {
    const [engine, gateway] = [one(documents, "StatefulSet", "engine"), one(documents, "Deployment", "gateway")].map(
      (w) => podOf(w).containers[0],
    );
    expect([engine.startupProbe, engine.readinessProbe, engine.livenessProbe].map((p) => p.httpGet.path)).toEqual([
      "/health",
      "/health",
      "/health",
    ]);
    expect([gateway.startupProbe, gateway.readinessProbe, gateway.livenessProbe].map((p) => p.httpGet.path)).toEqual([
      "/health",
      "/ready",
      "/health",
    ]);
    // A 14B model's weights come over the network before the first 200.
    expect(engine.startupProbe.periodSeconds * engine.startupProbe.failureThreshold).toBeGreaterThanOrEqual(1800);
  });

  it("gives the gateway variables that it accepts: every engine that may come to be, and as much at a time as each runs", () => {
    const { faults: wrong, config } = readGatewayEnv({
      ...settings(documents, "gateway-settings"),
      HOST: "0.0.0.0",
      GATEWAY_API_KEY: "k".repeat(16),
    });
    expect(wrong).toBeNull();
    const scaled = documents.find((d) => d.kind === "ScaledObject") as ScaledObject | undefined;
    const most = scaled?.spec.maxReplicaCount ?? one(documents, "StatefulSet", "engine").spec.replicas;
    expect(config?.ENGINE_URL).toEqual(Array.from({ length: most }, (_, i) => `http://engine-${i}.engine:8000`));
    const engine = settings(documents, "engine-settings");
    expect(config?.ENGINE_MODEL).toBe(engine.ENGINE_MODEL);
    expect(config?.ENGINE_MAX_IN_FLIGHT).toBe(Number(engine.GENERATIONS_MAX));
    expect(config?.GATEWAY_DRAIN_MS).toBe(LIMITS.deadline_ms_max);
  });

  it("lets only the gateway ask an engine, and Prometheus read its gauges; all else is closed", () => {
    const policies = documents.filter((d) => d.kind === "NetworkPolicy");
    const closed = one(policies, "NetworkPolicy", "kritai-closed").spec;
    expect([closed.policyTypes, closed.ingress]).toEqual([["Ingress", "Egress"], undefined]);
    for (const { spec } of documents.filter(isWorkload))
      expect(spec.template.metadata.labels).toMatchObject(closed.podSelector.matchLabels);
    const front = { podSelector: { matchLabels: { "app.kubernetes.io/name": "front" } } };
    expect(one(policies, "NetworkPolicy", "kritai").spec.ingress.flatMap((rule: Manifest) => rule.from)).toEqual([
      front,
    ]);
    const touching = policies.filter(
      (p) => JSON.stringify(p.spec.podSelector).includes('"engine"') && p.spec.ingress !== undefined,
    );
    const sources = touching.flatMap((p) => p.spec.ingress.flatMap((rule: Manifest) => rule.from));
    const gateway = { podSelector: { matchLabels: { "app.kubernetes.io/name": "gateway" } } };
    const prometheus = {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } },
      podSelector: { matchLabels: { "app.kubernetes.io/name": "prometheus" } },
    };
    expect(sources).toEqual(size === "one-gpu" ? [gateway] : [gateway, prometheus]);
  });

  it("selects by labels that its pods carry, and by ports that its containers name", () => {
    for (const [kind, name] of [
      ["StatefulSet", "engine"],
      ["Deployment", "gateway"],
      ["StatefulSet", "kritai"],
      ["Deployment", "front"],
    ] as const) {
      const { spec } = one(documents, kind, name);
      const service = one(documents, "Service", kind === "StatefulSet" ? spec.serviceName : name).spec;
      const budget = one(documents, "PodDisruptionBudget", name).spec;
      for (const selector of [spec.selector.matchLabels, service.selector, budget.selector.matchLabels])
        expect(spec.template.metadata.labels).toMatchObject(selector);
      expect(budget.maxUnavailable).toBe(1);
      const [port] = spec.template.spec.containers[0].ports;
      expect([port.name, port.containerPort]).toContain(service.ports[0].targetPort ?? service.ports[0].port);
      expect(service.clusterIP).toBe(kind === "StatefulSet" ? "None" : undefined);
    }
  });

  it("runs nothing as root, with no privilege to gain and no token of the cluster; read-only but the engine", () => {
    for (const workload of documents.filter(isWorkload)) {
      const pod = podOf(workload);
      expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
      for (const { securityContext } of [...pod.containers, ...(pod.initContainers ?? [])])
        expect(securityContext).toMatchObject({
          ...{ allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
          ...(workload.metadata.name !== "engine" && { readOnlyRootFilesystem: true }),
        });
    }
  });

  it("gives the service variables that it accepts, its number, its volume, and longer to end than its requests have", () => {
    const { template, volumeClaimTemplates, replicas } = one(documents, "StatefulSet", "kritai").spec;
    const [container] = template.spec.containers;
    const given = settings(documents, "kritai-settings");
    expect(Object.keys(given).filter((name) => !VARIABLES.includes(name))).toEqual([]);
    expect(readEnv({ ...given, KEY_COUNTERS: {} }).faults).toEqual([]);
    expect(container.env.map(({ name }: { name: string }) => name)).toEqual([
      ...["REPLICA", "DATABASE_URL", "VERIFIER_API_KEY"],
    ]);
    expect(container.envFrom).toContainEqual({ secretRef: { name: "kritai" } });
    expect(textOf("Dockerfile")).toMatch(/ENV .*PORT=8787 DATA_DIR=\/data/);
    expect(container.volumeMounts).toContainEqual({ name: volumeClaimTemplates[0].metadata.name, mountPath: "/data" });
    const drain = Number(/DRAIN_MS = ([\d_]+)/.exec(textOf("scripts/stack/commands/serve.ts"))?.[1]?.replace("_", ""));
    expect(1000 * template.spec.terminationGracePeriodSeconds).toBeGreaterThan(drain);
    const known = new Set(settings(documents, "front")["nginx.conf"]?.match(/kritai-\d+(?=:8787)/g));
    expect(known.size).toBe(replicas);
    for (const name of known)
      expect(one(documents, "Service", name).spec.selector).toEqual({ "statefulset.kubernetes.io/pod-name": name });
  });

  it("has the service ask the gateway by its name, with the key that lets it in, and be let in", () => {
    const [gateway, service] = [one(documents, "Deployment", "gateway"), one(documents, "StatefulSet", "kritai")];
    const port = one(documents, "Service", "gateway").spec.ports[0].port;
    expect(settings(documents, "kritai-settings").VERIFIER_URL).toBe(`http://gateway:${port}`);
    const secretOf = (workload: Manifest, name: string) =>
      podOf(workload).containers[0].env.find((v: Manifest) => v.name === name).valueFrom.secretKeyRef;
    expect(secretOf(service, "VERIFIER_API_KEY")).toEqual(secretOf(gateway, "GATEWAY_API_KEY"));
    const [rule] = one(documents, "NetworkPolicy", "gateway").spec.ingress;
    expect(rule.from).toContainEqual({ podSelector: service.spec.selector });
  });
});

describe("scaling", () => {
  const documents = rendered("many-gpus");
  const { spec } = one(documents, "ScaledObject", "engine") as ScaledObject;

  it("leaves the count of engines to KEDA, which scales by the wait at the gateways and what waits at the engines", () => {
    const engine = one(documents, "StatefulSet", "engine");
    expect(engine.spec.replicas).toBeUndefined();
    expect(spec.scaleTargetRef).toEqual({
      apiVersion: engine.apiVersion,
      kind: engine.kind,
      name: engine.metadata.name,
    });
    const queries = spec.triggers.map((trigger) => trigger.metadata.query).join("\n");
    expect(queries).toContain("vllm:num_requests_waiting");
    // What is scaled by is what a gateway exports, by the name and the kind that the query takes.
    const now = { requests_open: 0, queue_depth: 0, queue_tokens: 0, in_flight: 0, capacity: 0, draining: false };
    const exported = new GatewayMetrics().render(now);
    const names = [...queries.matchAll(/(rate\()?(kritai_\w+)\{/g)];
    expect(names).toHaveLength(3);
    for (const [, rate, name] of names)
      expect(exported).toContain(`# TYPE ${name} ${rate === undefined ? "gauge" : "counter"}\n`);
    const values = spec.triggers.map(({ metricType, metadata }) => [metricType, metadata.threshold]);
    expect(values).toEqual([
      ["Value", "10"],
      ["AverageValue", "8"],
      ["AverageValue", settings(documents, "engine-settings").GENERATIONS_MAX],
    ]);
  });

  it("has a schema that refuses a number where KEDA wants text, and a field that it does not know", () => {
    const object = one(documents, "ScaledObject", "engine");
    const [trigger] = object.spec.triggers;
    const bad = (change: object) => faults({ ...object, spec: { ...object.spec, ...change } });
    expect(bad({ triggers: [{ ...trigger, metadata: { ...trigger.metadata, threshold: 8 } }] })).toHaveLength(1);
    expect(bad({ maxReplicas: 8 })).toHaveLength(1);
  });
});

it("a manifest would be refused with a field misspelt, or of the wrong kind", () => {
  const engine = structuredClone(one(rendered("one-gpu"), "StatefulSet", "engine"));
  podOf(engine).containers[0].readynessProbe = {};
  podOf(engine).terminationGracePeriodSeconds = "660";
  expect(faults(engine)).toHaveLength(2);
});
