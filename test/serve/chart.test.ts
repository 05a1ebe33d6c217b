// The chart: what is committed was rendered from it as it is; its values are held to their schema;
// and where helm is, what helm says of it and makes of other values.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { REPLICAS_MAX } from "../../src/platform/request-ids.ts";
import { CHART, faults, isWorkload, type Manifest, one, rendered, SIZES, settings } from "./manifests.ts";
import { documentsIn, documentsOf, faultsOf, ROOT, textOf } from "./records.ts";

/** The machine's, or that of test/tools/helm.sh. null: it is missing. */
const HELM = ["helm", `${ROOT}.venv/helm/bin/helm`].find((path) => spawnSync(path, ["version"]).status === 0) ?? null;
const helm = (...args: string[]) => spawnSync(HELM as string, args, { encoding: "utf8" });
const template = (...args: string[]) => helm("template", "kritai", CHART, "--namespace", "kritai", ...args);

/**
 * `sha256sum` of the `sha256sum` lines of the chart's files, in the order of the C locale: as
 * render.sh does it.
 */
function digestOfChart(): string {
  const sha256 = (data: string | Buffer) => createHash("sha256").update(data).digest("hex");
  const paths = readdirSync(CHART, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `.${entry.parentPath.slice(CHART.length)}/${entry.name}`)
    .sort((a, b) => (a < b ? -1 : 1));
  return sha256(paths.map((path) => `${sha256(readFileSync(`${CHART}/${path}`))}  ${path}\n`).join(""));
}

it("what is committed was rendered from the chart as it is (else: deploy/helm/render.sh)", () => {
  const made = `# Made by deploy/helm/render.sh; do not edit. Inputs: sha256:${digestOfChart()}`;
  for (const path of ["kubernetes/one-gpu.yaml", "kubernetes/many-gpus.yaml", "nginx/nginx.conf"])
    expect(textOf(`deploy/${path}`).split("\n")[0], path).toBe(made);
  const lines = textOf("deploy/nginx/nginx.conf").split("\n").slice(1).join("\n");
  expect(settings(rendered("one-gpu"), "front")["nginx.conf"]?.trim()).toBe(lines.trim());
});

describe.skipIf(HELM === null)("helm", () => {
  it("finds nothing to say of the chart", () => {
    for (const [, values] of SIZES) {
      const { status, stdout, stderr } = helm("lint", "--strict", CHART, ...values);
      expect(`${stdout}${stderr}`).toContain("0 chart(s) failed");
      expect(status).toBe(0);
    }
  });

  it.each(SIZES)("renders what is committed: %s", (size, values) => {
    const { stdout, stderr } = template(...values);
    expect(stderr).toBe("");
    expect(rendered(size)).toEqual(documentsIn(stdout, "helm"));
  });

  it("takes what the pages say: each install, and each row of what you want", () => {
    const pages = ["docs/container.md", "gpu-backend/serve/README.md"].map(textOf).join("\n").replaceAll("\\\n", " ");
    const installs = [...pages.matchAll(/^helm install kritai deploy\/helm\/kritai (.*)$/gm)];
    const rows = [...pages.matchAll(/^\| .* \| `(--(?:set|values) .*)` \|$/gm)];
    expect([installs.length, rows.length]).toEqual([2, 6]);
    for (const [, flags = ""] of [...installs, ...rows]) {
      const { stderr, status } = template(
        ...flags
          .trim()
          .split(/\s+/)
          .map((word) => word.replace(/^deploy\//, `${ROOT}$&`)),
      );
      expect([flags, status, stderr]).toEqual([flags, 0, ""]);
    }
  });

  it("puts parts elsewhere: the edge, the gateway, the engine; and an ingress before what is left", () => {
    const of = (set: string) => {
      const { stdout, stderr } = template("--set", `ingress.enabled=true,ingress.host=r.example.com,${set}`);
      expect(stderr).toBe("");
      const documents = documentsIn(stdout, set) as Manifest[];
      expect(documents.flatMap(faults)).toEqual([]);
      const [rule] = one(documents, "Ingress", "kritai").spec.rules;
      return {
        documents,
        way: rule.http.paths[0].backend.service.name,
        work: documents
          .filter(isWorkload)
          .map((d) => d.metadata.name)
          .sort(),
      };
    };
    const gpu = of("service.enabled=false");
    expect([gpu.way, gpu.work]).toEqual(["gateway", ["engine", "gateway"]]);
    const judge = of("gateway.enabled=false,service.settings.VERIFIER_URL=http://vllm.models:8000/v1");
    expect([judge.way, judge.work]).toEqual(["front", ["front", "kritai"]]);
    expect(settings(judge.documents, "kritai-settings")).toEqual({ VERIFIER_URL: "http://vllm.models:8000/v1" });
    const engines = of("engine.enabled=false,gateway.engineUrls={http://a:8000,http://b:8000}");
    expect([engines.way, engines.work]).toEqual(["front", ["front", "gateway", "kritai"]]);
    expect(settings(engines.documents, "gateway-settings").ENGINE_URL).toBe("http://a:8000,http://b:8000");
  });

  it("has as many names, places in nginx and numbers of batches as replicas, of which there are 16", () => {
    const documents = documentsIn(template("--set", `service.replicas=${REPLICAS_MAX}`).stdout, "16") as Manifest[];
    const nginx = settings(documents, "front")["nginx.conf"] ?? "";
    expect(nginx.match(/server kritai-15:8787/g)).toHaveLength(3);
    expect(nginx).toContain('{10}F" replica_15;');
    expect(one(documents, "Service", "kritai-15")).toBeDefined();
  });

  it.each([
    [`service.replicas=${REPLICAS_MAX + 1}`, "service.replicas"],
    ["service.replica=3", "replica"],
    ["service.settings.API_KEYS=trainer:0", "API_KEYS"],
    ["gateway.settings.ENGINE_API_KEY=k", "ENGINE_API_KEY"],
    ["service.image=kritai", "service.image"],
    ["gateway.enabled=false", "service.settings.VERIFIER_URL: required"],
    ["engine.enabled=false", "gateway.engineUrls: required"],
    ["gateway.engineUrls={http://a:8000}", "gateway.engineUrls: may be given only"],
    ["engine.autoscaling.enabled=true,engine.autoscaling.min=9", "engine.autoscaling.min: at most"],
    ["ingress.enabled=true", "ingress.host: required"],
  ])("is refused %s, and told of it", (set, said) => {
    const { status, stderr } = template("--set", set);
    expect(status).not.toBe(0);
    expect(stderr).toContain(said);
  });
});

it("the defaults fit their schema, which knows every value", () => {
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(textOf("deploy/helm/kritai/values.schema.json")));
  const [values] = documentsOf("deploy/helm/kritai/values.yaml") as Manifest[];
  expect(faultsOf(validate, values)).toEqual([]);
  expect(faultsOf(validate, { ...values, servce: {} })).toHaveLength(1);
});
