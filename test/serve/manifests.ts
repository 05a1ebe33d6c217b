// Reads what helm made of the chart (deploy/kubernetes), and what the API has against a manifest. Must not
// know what any test expects.
import { expect } from "vitest";
import { documentsOf, faultsOf, ROOT, validateKubernetes } from "./records.ts";
import { ScaledObjectSchema } from "./scaled-object.ts";

// biome-ignore lint/suspicious/noExplicitAny: manifests are read here as the schema has already let them through
export type Manifest = any;

export const CHART = `${ROOT}deploy/helm/kritai`;
/** What is committed, and the arguments of helm's that make it. */
export const SIZES: [string, string[]][] = [
  ["one-gpu", []],
  ["many-gpus", ["--values", `${CHART}/sizes/many-gpus.yaml`]],
];
export const rendered = (size: string) => documentsOf(`deploy/kubernetes/${size}.yaml`) as Manifest[];
export const one = (documents: Manifest[], kind: string, name: string): Manifest => {
  const found = documents.filter((d) => d.kind === kind && d.metadata.name === name);
  expect(found, `${kind} ${name}`).toHaveLength(1);
  return found[0];
};
export const podOf = (workload: Manifest) => workload.spec.template.spec;
export const isWorkload = ({ kind }: Manifest) => kind === "StatefulSet" || kind === "Deployment";
export const settings = (documents: Manifest[], name: string) =>
  one(documents, "ConfigMap", name).data as Record<string, string>;

/** Fields that the API would refuse; for KEDA's one object, those that KEDA would. */
export function faults(document: Manifest): string[] {
  const kind = `${document.apiVersion}/${document.kind}`;
  if (document.kind === "ScaledObject") {
    return ScaledObjectSchema.safeParse(document).error?.issues.map((i) => `${i.path.join("/")} ${i.message}`) ?? [];
  }
  const validate = validateKubernetes(kind);
  return validate === null ? [`${kind} has no schema here`] : faultsOf(validate, document);
}
