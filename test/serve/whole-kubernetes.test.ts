// The manifests of the service beside the GPU side: held to the API's schemas, to the image, to
// nginx's configuration and to the GPU side's names.
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { readEnv, VARIABLES } from "../../src/env.ts";
import { documentsOf, faultsOf, ROOT, textOf, validateKubernetes } from "./records.ts";

// biome-ignore lint/suspicious/noExplicitAny: manifests are read here as the schema has already let them through
type Manifest = any;

const [overlay] = documentsOf("deploy/kustomization.yaml") as Manifest[];
const documents = (overlay.resources as string[]).flatMap((path) => documentsOf(`deploy/${path}`)) as Manifest[];
const one = (kind: string, name: string): Manifest => {
  const found = documents.filter((d) => d.kind === kind && d.metadata.name === name);
  expect(found, `${kind} ${name}`).toHaveLength(1);
  return found[0];
};
const pods = () => [one("StatefulSet", "kritai"), one("Deployment", "front")].map((of) => of.spec.template.spec);
const replicas = () => one("StatefulSet", "kritai").spec;

describe("the manifests of the service", () => {
  it("fit the API's schemas, with no field that they do not know", () => {
    const faults = documents.flatMap((document) => {
      const validate = validateKubernetes(`${document.apiVersion}/${document.kind}`);
      return validate === null ? [`${document.kind} has no schema here`] : faultsOf(validate, document);
    });
    expect(faults).toEqual([]);
    const wrong = structuredClone(one("StatefulSet", "kritai"));
    wrong.spec.replica = 3;
    expect(faultsOf(validateKubernetes("apps/v1/StatefulSet") as never, wrong)).not.toEqual([]);
  });

  it.skipIf(spawnSync("kubectl", ["version", "--client"]).status !== 0)(
    "are rendered by kubectl, where there is one",
    () => {
      const { status, stderr } = spawnSync("kubectl", ["kustomize", `${ROOT}deploy`], { encoding: "utf8" });
      expect([status, stderr]).toEqual([0, ""]);
    },
  );

  it("run as no superuser, read-only and without a capability, and hold no secret", () => {
    for (const pod of pods()) {
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
      for (const { securityContext } of [...pod.containers, ...(pod.initContainers ?? [])]) {
        const closed = {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        };
        expect(securityContext).toMatchObject(closed);
      }
    }
    expect(documents.filter(({ kind }) => kind === "Secret")).toEqual([]);
    expect(pods()[0].containers[0].envFrom).toContainEqual({ secretRef: { name: "kritai" } });
  });

  it("give the service variables that it accepts, its number, its volume, and longer to end than its requests have", () => {
    const { template, volumeClaimTemplates } = replicas();
    const [container] = template.spec.containers;
    const settings = one("ConfigMap", "kritai-settings").data as Record<string, string>;
    expect(Object.keys(settings).filter((name) => !VARIABLES.includes(name))).toEqual([]);
    expect(readEnv({ ...settings, KEY_COUNTERS: {} }).faults).toEqual([]);
    expect(container.env.map(({ name }: { name: string }) => name)).toEqual(["REPLICA"]);
    expect(textOf("Dockerfile")).toMatch(/ENV .*PORT=8787 DATA_DIR=\/data/);
    expect(container.ports).toEqual([{ name: "http", containerPort: 8787 }]);
    expect(container.volumeMounts).toContainEqual({ name: volumeClaimTemplates[0].metadata.name, mountPath: "/data" });
    const drain = Number(/DRAIN_MS = ([\d_]+)/.exec(textOf("scripts/stack/commands/serve.ts"))?.[1]?.replace("_", ""));
    expect(1000 * template.spec.terminationGracePeriodSeconds).toBeGreaterThan(drain);
  });

  it("have a name for each replica that nginx knows, and no more replicas than it", () => {
    const known = new Set(textOf("deploy/nginx/nginx.conf").match(/kritai-\d+(?=:8787)/g));
    expect(known.size).toBe(replicas().replicas);
    for (const name of known) {
      expect(one("Service", name).spec.selector).toEqual({ "statefulset.kubernetes.io/pod-name": name });
    }
    expect(overlay.configMapGenerator).toEqual([{ name: "front", files: ["nginx/nginx.conf"] }]);
    expect(textOf("deploy/nginx/nginx.conf")).toContain(`listen ${pods()[1].containers[0].ports[0].containerPort};`);
  });

  it("reach the GPU side by its own names, in its namespace, and let its gateway be reached", () => {
    const gateway = documentsOf("gpu-backend/serve/kubernetes/base/gateway.yaml") as Manifest[];
    const service = gateway.find(({ kind }) => kind === "Service");
    const { name } = service.metadata;
    const { VERIFIER_URL } = one("ConfigMap", "kritai-settings").data;
    expect(VERIFIER_URL).toBe(`http://${name}:${service.spec.ports[0].port}`);
    expect(one("NetworkPolicy", "gateway-of-kritai").spec.podSelector.matchLabels).toEqual(service.spec.selector);
    const base = documentsOf("gpu-backend/serve/kubernetes/base/kustomization.yaml")[0] as Manifest;
    expect(overlay.namespace).toBe(base.namespace);
  });

  it("let nobody but the front reach a replica, and one of each kind be evicted at a time", () => {
    const [rule, ...more] = one("NetworkPolicy", "kritai").spec.ingress;
    expect(more).toEqual([]);
    expect(rule.from).toEqual([{ podSelector: { matchLabels: { "app.kubernetes.io/name": "front" } } }]);
    for (const name of ["kritai", "front"]) expect(one("PodDisruptionBudget", name).spec.maxUnavailable).toBe(1);
  });
});
