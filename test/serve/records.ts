// Reads the recipes and what was recorded of the tools that read them (recorded/). Must not know what any
// test expects.
import { readdirSync, readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";
import { parseAllDocuments } from "yaml";

export const ROOT = new URL("../../", import.meta.url).pathname;
export const SERVE = `${ROOT}gpu-backend/serve/`;

export const textOf = (path: string): string => readFileSync(ROOT + path, "utf8");

/**
 * Parsed YAML documents; a duplicate key, an unknown alias or another fault throws and names
 * `origin`. Unknown tags are left out.
 */
export function documentsIn(text: string, origin: string): unknown[] {
  return parseAllDocuments(text, { merge: true, logLevel: "silent" }).map((document) => {
    const [fault] = document.errors;
    if (fault !== undefined) throw new Error(`${origin}: ${fault.message}`);
    return document.toJS() as unknown;
  });
}

/** The documents of a file, as `documentsIn`. */
export const documentsOf = (path: string): unknown[] => documentsIn(textOf(path), path);

const recorded = (name: string) => JSON.parse(textOf(`test/serve/recorded/${name}`));

export interface Flags {
  engine: string;
  version: string;
  /** "switch": no value follows; "value": any; else the values it takes. */
  flags: Record<string, "switch" | "value" | string[]>;
}

/**
 * The flags of an engine's pinned release; there is one record for each of SGLang and vLLM, and one
 * for the vLLM that Ray pins.
 */
export const FLAGS = {
  vllm: recorded("vllm-0.33.0.json") as Flags,
  sglang: recorded("sglang-0.5.23.json") as Flags,
  rayVllm: recorded("vllm-0.27.0.json") as Flags,
};
export const RAY_VERSION = "2.60.0";
export const RAY = recorded(`ray-serve-${RAY_VERSION}.json`) as {
  deployment_options: string[];
  schemas: Record<"deploy" | "llm_config" | "model_loading_config" | "autoscaling_config", object>;
};
const KUBERNETES = recorded("kubernetes-1.34.json") as { kinds: Record<string, { $ref: string }>; definitions: object };
const COMPOSE = recorded("compose-spec.json") as { schema: object };

/** A schema's faults of a value; empty without any. */
export function faultsOf(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map((e) => `${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`);
}

const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });

export const validateCompose = (): ValidateFunction => ajv.compile(COMPOSE.schema);

/** The validator of one of Ray's models. */
export const validateRay = (model: keyof typeof RAY.schemas): ValidateFunction => ajv.compile(RAY.schemas[model]);

/**
 * The validator of one `apiVersion/kind`, strict: a field that the API does not know is a fault. null when it
 * was not recorded.
 */
export function validateKubernetes(kind: string): ValidateFunction | null {
  if (ajv.getSchema("kubernetes") === undefined)
    ajv.addSchema({ $id: "kubernetes", definitions: KUBERNETES.definitions });
  const ref = KUBERNETES.kinds[kind]?.$ref;
  return ref === undefined ? null : (ajv.getSchema(`kubernetes${ref}`) ?? null);
}

/**
 * Files below a folder of gpu-backend/serve whose names end so, as paths from the repository's
 * root.
 */
export function recipesIn(folder: string, ending: string): string[] {
  return readdirSync(SERVE + folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => `gpu-backend/serve/${folder}/${name}`)
    .sort();
}

/**
 * A parsed compose file with `${NAME:-default}`, `${NAME:?message}` and `${NAME}` replaced in its
 * strings; a required name that is not given throws.
 */
export function interpolated(value: unknown, env: Record<string, string>): unknown {
  if (Array.isArray(value)) return value.map((item) => interpolated(item, env));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, interpolated(item, env)]));
  if (typeof value !== "string") return value;
  return value.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, how: string | undefined, rest: string) => {
    const given = env[name] ?? "";
    if (given !== "" || how === undefined) return given;
    if (how === "?") throw new Error(`${name}: ${rest}`);
    return rest;
  });
}
