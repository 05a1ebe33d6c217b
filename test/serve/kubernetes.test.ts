// The Kubernetes manifests: what kustomize makes of each overlay, held to the API's strict schemas
// and to what the pieces must agree on.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readGatewayEnv } from "../../gpu-backend/gateway/env.ts";
import { GatewayMetrics } from "../../gpu-backend/gateway/http/metrics.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { flagsOf, launch } from "./launching.ts";
import { documentsIn, documentsOf, FLAGS, faultsOf, ROOT, recipesIn, textOf, validateKubernetes } from "./records.ts";
import { type ScaledObject, ScaledObjectSchema } from "./scaled-object.ts";

// biome-ignore lint/suspicious/noExplicitAny: manifests are read here as the schema has already let them through
type Manifest = any;

const FOLDER = "gpu-backend/serve/kubernetes";
const OVERLAYS = ["many-gpus", "one-gpu"];
const inputs = ["base", "components", "overlays"].flatMap((part) => recipesIn(`kubernetes/${part}`, ".yaml"));
const rendered = (overlay: string) => documentsOf(`${FOLDER}/rendered/${overlay}.yaml`) as Manifest[];
const one = (documents: Manifest[], kind: string, name: string): Manifest => {
  const found = documents.filter(
    (d) => d.kind === kind && (d.metadata.name === name || d.metadata.name.startsWith(`${name}-`)),
  );
  expect(found, `${kind} ${name}`).toHaveLength(1);
  return found[0];
};
const podOf = (workload: Manifest) => workload.spec.template.spec;
const settings = (documents: Manifest[], name: string) =>
  one(documents, "ConfigMap", name).data as Record<string, string>;

function faults(document: Manifest): string[] {
  const kind = `${document.apiVersion}/${document.kind}`;
  if (document.kind === "ScaledObject") {
    return ScaledObjectSchema.safeParse(document).error?.issues.map((i) => `${i.path.join("/")} ${i.message}`) ?? [];
  }
  const validate = validateKubernetes(kind);
  return validate === null ? [`${kind} has no schema here`] : faultsOf(validate, document);
}

/**
 * `sha256sum` of the `sha256sum` lines of every input, in the order of the C locale: as render.sh
 * does it.
 */
function digestOfInputs(): string {
  const lines = inputs
    .map((path) => path.slice(FOLDER.length + 1))
    .sort((a, b) => (a < b ? -1 : 1))
    .map(
      (path) =>
        `${createHash("sha256")
          .update(textOf(`${FOLDER}/${path}`))
          .digest("hex")}  ${path}\n`,
    );
  return createHash("sha256").update(lines.join("")).digest("hex");
}

describe.each(OVERLAYS)("the overlay %s", (overlay) => {
  const documents = rendered(overlay);

  it("was rendered by kustomize from the files as they are (else: render.sh)", () => {
    expect(textOf(`${FOLDER}/rendered/${overlay}.yaml`).split("\n")[1]).toBe(`# inputs sha256:${digestOfInputs()}`);
  });

  it.skipIf(spawnSync("kubectl", ["version", "--client"]).status !== 0)(
    "is what kubectl renders, where there is one",
    () => {
      const run = spawnSync("kubectl", ["kustomize", `${ROOT}${FOLDER}/overlays/${overlay}`], { encoding: "utf8" });
      expect(run.stderr).toBe("");
      expect(documents).toEqual(documentsIn(run.stdout, "kubectl"));
    },
  );

  it("fits the API's schemas, with no field that they do not know", () => {
    expect(documents.flatMap(faults)).toEqual([]);
    expect(documents.every((d) => d.kind === "Namespace" || d.metadata.namespace === "kritai")).toBe(true);
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
      GATEWAY_API_KEY: "k",
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
    expect(policies.find((p) => p.metadata.name === "closed")?.spec).toEqual({
      podSelector: {},
      policyTypes: ["Ingress", "Egress"],
    });
    const touching = policies.filter(
      (p) => JSON.stringify(p.spec.podSelector).includes('"engine"') && p.spec.ingress !== undefined,
    );
    const sources = touching.flatMap((p) => p.spec.ingress.flatMap((rule: Manifest) => rule.from));
    const gateway = { podSelector: { matchLabels: { "app.kubernetes.io/name": "gateway" } } };
    const prometheus = {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } },
      podSelector: { matchLabels: { "app.kubernetes.io/name": "prometheus" } },
    };
    expect(sources).toEqual(overlay === "one-gpu" ? [gateway] : [gateway, prometheus]);
  });

  it("selects by labels that its pods carry, and by ports that its containers name", () => {
    for (const workload of [one(documents, "StatefulSet", "engine"), one(documents, "Deployment", "gateway")]) {
      const { labels } = workload.spec.template.metadata;
      const name = workload.metadata.name;
      const selectors = [
        workload.spec.selector.matchLabels,
        one(documents, "Service", name).spec.selector,
        one(documents, "PodDisruptionBudget", name).spec.selector.matchLabels,
      ];
      for (const selector of selectors) expect(labels).toMatchObject(selector);
      expect(podOf(workload).containers[0].ports[0].name).toBe(
        one(documents, "Service", name).spec.ports[0].targetPort,
      );
    }
    expect(one(documents, "StatefulSet", "engine").spec.serviceName).toBe("engine");
    expect(one(documents, "Service", "engine").spec.clusterIP).toBe("None");
  });

  it("runs nothing as root, with no privilege to gain and no token of the cluster", () => {
    for (const workload of [one(documents, "StatefulSet", "engine"), one(documents, "Deployment", "gateway")]) {
      const pod = podOf(workload);
      expect(pod.securityContext.runAsNonRoot && !pod.automountServiceAccountToken && !pod.enableServiceLinks).toBe(
        true,
      );
      expect(pod.containers[0].securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
      });
    }
  });
});

describe("scaling", () => {
  const documents = rendered("many-gpus");
  const { spec } = one(documents, "ScaledObject", "engine") as ScaledObject;

  it("leaves the count of engines to KEDA, which counts what waits at the engines and at the gateways", () => {
    const engine = one(documents, "StatefulSet", "engine");
    expect(engine.spec.replicas).toBeUndefined();
    expect(spec.scaleTargetRef).toEqual({
      apiVersion: engine.apiVersion,
      kind: engine.kind,
      name: engine.metadata.name,
    });
    const queries = spec.triggers.map((trigger) => trigger.metadata.query).join("\n");
    expect(queries).toContain("vllm:num_requests_waiting");
    const gauge = /kritai_gateway_(\w+)\{/.exec(queries)?.[1] ?? "";
    const now = { requests_open: 0, queue_depth: 0, queue_tokens: 0, in_flight: 0, capacity: 0, draining: false };
    expect(new GatewayMetrics().render(now)).toContain(`\nkritai_gateway_${gauge} 0\n`);
  });

  it("has a schema that refuses a number where KEDA wants text, and a field that it does not know", () => {
    const object = one(documents, "ScaledObject", "engine");
    const [trigger] = object.spec.triggers;
    const bad = (change: object) => faults({ ...object, spec: { ...object.spec, ...change } });
    expect(bad({ triggers: [{ ...trigger, metadata: { ...trigger.metadata, threshold: 8 } }] })).toHaveLength(1);
    expect(bad({ maxReplicas: 8 })).toHaveLength(1);
  });
});

describe("the manifests", () => {
  it("are each on their own what the API takes", () => {
    const files = inputs.filter((path) => !path.endsWith("kustomization.yaml"));
    expect(files.length).toBeGreaterThan(5);
    expect(files.flatMap((path) => documentsOf(path).flatMap((d) => faults(d).map((f) => `${path} ${f}`)))).toEqual([]);
  });

  it("would be refused with a field misspelt, or of the wrong kind", () => {
    const engine = structuredClone(one(rendered("one-gpu"), "StatefulSet", "engine"));
    podOf(engine).containers[0].readynessProbe = {};
    podOf(engine).terminationGracePeriodSeconds = "660";
    expect(faults(engine)).toHaveLength(2);
  });
});
