// Reads and validates the environment (bindings and variables). Error messages never contain a value, which
// may be a secret.

import * as z from "zod";
import { SCOPES, type Scope } from "./api/door/auth.ts";
import { parseKeys } from "./api/door/key-entries.ts";
import { type AllowedModels, keysOf, parseModels } from "./core/contract/allowed-models.ts";
import type { LettersNamespace } from "./core/contract/dead-letter.ts";
import { parseGroupSizes, parseLogDays } from "./core/contract/group-sizes.ts";
import { isExtraName } from "./core/contract/judge-extra.ts";
import type { FieldError } from "./core/faults/errors.ts";
import { LIMITS } from "./core/faults/limits.ts";
import { isPromptName } from "./core/judges/render.ts";
import { parsePrices } from "./core/load/prices.ts";
import { SANDBOX_APIS, type SandboxShape } from "./core/wire/sandbox-apis.ts";
import type { BatchStub } from "./objects/batches/remote.ts";
import type { ProbesStub } from "./objects/counts/read-probes.ts";
import type { CountsStub } from "./objects/counts/remote.ts";
import type { RoomNamespace } from "./objects/gathering/remote.ts";
import type { IdempotentStub } from "./objects/idempotency/remote.ts";
import type { CountersNamespace } from "./objects/key-limits/ledger.ts";
import { parseKeyLimits } from "./objects/key-limits/ledger.ts";
import type { ObjectNamespace } from "./objects/storage/reach.ts";
import { REPLICAS_MAX } from "./platform/request-ids.ts";
import type { AiBinding, QueueBinding } from "./ports/ports.ts";
import { BINDING_URL } from "./verifier/decision/binding.ts";
import { BackendSchema, type BackendSettings, backendUrl, ownSettings, PROTOCOLS } from "./verifier/settings.ts";

const LOOPBACK_SQL = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]):\d{1,5}\/sql$/i;

const SCOPE = SCOPES.join("|");
const KeysSchema = z.string().transform((text, context) => {
  try {
    return parseKeys(text);
  } catch (error) {
    context.addIssue({ code: "custom", message: (error as RangeError).message });
    return z.NEVER;
  }
});

const ScopesSchema = z
  .string()
  .regex(new RegExp(`^(?:${SCOPE})(?:\\+(?:${SCOPE}))*$`))
  .transform((text) => text.split("+") as Scope[]);

const optional = <T extends z.ZodType>(schema: T) => z.preprocess((v) => (v === "" ? undefined : v), schema.optional());

/** Fallback verifiers, in the order in which they are asked. Their verdicts are attributed to `name`. */
const FallbacksSchema = z
  .string()
  .max(32_768)
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue("not JSON");
      return z.NEVER;
    }
  })
  .pipe(z.array(BackendSchema).max(LIMITS.backends_max - 1));

/** A string that `read` parses. If `read` throws, the string is invalid. */
const readBy = <T>(read: (text: string) => T) =>
  z.string().transform((text, context) => {
    try {
      return read(text);
    } catch {
      context.addIssue("not of its grammar");
      return z.NEVER;
    }
  });

const binding = <T>() => optional(z.custom<T>((value) => typeof value === "object" && value !== null));

const HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[::1\])(?::\d{1,5})?$/;
const hosts = (maxHosts: number) =>
  z
    .string()
    .transform((text) =>
      text
        .toLowerCase()
        .split(/[\s,]+/)
        .filter((host) => host !== ""),
    )
    .pipe(z.array(z.string().regex(HOST)).max(maxHosts));

/** Whether the URL uses https, or http on this machine, and contains no user name or password. */
function isWebhookUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || url.username !== "" || url.password !== "") return false;
  return (
    url.protocol === "https:" || (url.protocol === "http:" && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname))
  );
}

function parseExtraNames(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.length > LIMITS.judge_extra_names_max || !names.every(isExtraName)) throw new RangeError("no such field");
  return [...new Set(names)];
}

/** A symmetric secret in the format of Standard Webhooks. */
const SecretSchema = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/)
  .transform((text, context) => {
    try {
      return Uint8Array.from(atob(text.slice("whsec_".length)), (c) => c.charCodeAt(0));
    } catch {
      context.addIssue({ code: "custom", message: "no base64" });
      return z.NEVER;
    }
  });

const SANDBOX_SHAPES = Object.keys(SANDBOX_APIS) as [SandboxShape, ...SandboxShape[]];

/**
 * A value of only blanks and separators is an error, not an unset variable: a setting was probably lost, and
 * it may be one that protects the deployment.
 */
const BLANK = /^[\s,;]+$/;

/** Schema of the Worker's variables, secrets and bindings. An empty string counts as unset. */
export const EnvSchema = z.object({
  API_KEYS: optional(KeysSchema),
  PATH_SCOPES: optional(ScopesSchema),
  TOKEN_SECRET: optional(SecretSchema),
  VERIFIER_URL: optional(z.union([backendUrl, z.literal(BINDING_URL)])),
  AI: binding<AiBinding>(),
  VERIFIER_PROTOCOL: optional(z.enum(PROTOCOLS)),
  VERIFIER_MODEL: optional(z.string().max(256)),
  VERIFIER_API_KEY: optional(z.string().max(4096)),
  VERIFIER_MAX_IN_FLIGHT: optional(z.coerce.number().int().min(1).max(LIMITS.generations_in_flight_max)),
  VERIFIER_HEDGING: optional(z.enum(["on", "off"])),
  EARLY_JUDGING: optional(z.enum(["on", "off"])),
  VERIFIER_FALLBACKS: optional(FallbacksSchema),
  SANDBOX_URL: optional(backendUrl),
  SANDBOX_SHAPE: optional(z.enum(SANDBOX_SHAPES)),
  SANDBOX_API_KEY: optional(z.string().max(4096)),
  JUDGE_EXTRA: optional(readBy(parseExtraNames)),
  CHECKER_HOSTS: optional(hosts(LIMITS.checker_hosts_max)),
  CHECKER_SECRET: optional(SecretSchema),
  PRICES: optional(readBy(parsePrices)),
  KEY_LIMITS: optional(readBy(parseKeyLimits)),
  GROUP_SIZES: optional(readBy(parseGroupSizes)),
  LOG_DAYS: optional(readBy(parseLogDays)),
  MODELS: optional(readBy(parseModels)),
  DEFAULT_JUDGE: optional(z.string().refine(isPromptName)),
  KEY_COUNTERS: binding<CountersNamespace>(),
  DATABASE_URL: optional(
    z
      .string()
      .regex(/^postgres(?:ql)?:\/\/[^\s]+$/)
      .max(4096),
  ),
  DATABASE_FETCH_ENDPOINT: optional(backendUrl.refine((url) => LOOPBACK_SQL.test(url))),
  ASSETS: binding<{ fetch(url: string): Promise<Response> }>(),
  LOG_LEVEL: optional(z.enum(["error", "info"])),
  LOG_TEXTS: optional(z.enum(["on", "off"])),
  REPLICA: optional(
    z.coerce
      .number()
      .int()
      .min(0)
      .max(REPLICAS_MAX - 1),
  ),
  WEBHOOK_SECRET: optional(SecretSchema),
  WEBHOOK: optional(z.url().max(LIMITS.webhook_url_chars).refine(isWebhookUrl)),
  IDEMPOTENT_REQUESTS: binding<ObjectNamespace<IdempotentStub>>(),
  BATCH: binding<ObjectNamespace<BatchStub>>(),
  GROUP_ROOM: binding<RoomNamespace>(),
  LOG_QUEUE: binding<QueueBinding>(),
  DEAD_LETTERS: binding<LettersNamespace>(),
  DEPLOYMENT_TOTALS: binding<ObjectNamespace<CountsStub & ProbesStub>>(),
});
type Variables = z.output<typeof EnvSchema>;

export interface Config extends Variables {
  /** The verifiers in the order in which they are asked; empty if no verifier is configured. */
  backends: readonly BackendSettings[];
}

/** Descriptions of valid values for error messages, which must not quote a value that may be a secret. */
const EXPECTED: Record<keyof Variables, string> = {
  API_KEYS: `must be up to ${LIMITS.keys_max} comma-separated name:sha256hex or name:sha256hex:scopes with distinct digests of keys that are not blank; scopes are ${SCOPES.join(", ")}, joined by +`,
  PATH_SCOPES: `must be one or more of ${SCOPES.join(", ")}, joined by +`,
  TOKEN_SECRET: "must be whsec_ and the base64 of 24 to 64 random bytes",
  VERIFIER_URL: `must be an http or https URL, or ${BINDING_URL}`,
  AI: "must be the Workers AI binding",
  VERIFIER_PROTOCOL: `must be ${PROTOCOLS.map((name) => `"${name}"`).join(" or ")}`,
  VERIFIER_MODEL: "must be a model name of at most 256 characters",
  VERIFIER_API_KEY: "must be at most 4096 characters",
  VERIFIER_MAX_IN_FLIGHT: `must be an integer from 1 to generations_in_flight_max = ${LIMITS.generations_in_flight_max}`,
  VERIFIER_HEDGING: 'must be "on" or "off"',
  EARLY_JUDGING: 'must be "on" or "off"',
  VERIFIER_FALLBACKS: `must be a JSON array of at most ${LIMITS.backends_max - 1} objects {"url", "protocol", "model", "api_key", "name"}; model is required unless protocol is "verify"`,
  SANDBOX_URL: "must be an http or https URL",
  SANDBOX_SHAPE: `must be ${SANDBOX_SHAPES.map((name) => `"${name}"`).join(" or ")}`,
  SANDBOX_API_KEY: "must be at most 4096 characters",
  JUDGE_EXTRA: `must be up to ${LIMITS.judge_extra_names_max} comma-separated fields of an engine's request, such as reasoning_effort or chat_template_kwargs.enable_thinking, but none that a spec already has`,
  CHECKER_HOSTS: `must be up to ${LIMITS.checker_hosts_max} comma-separated hosts, such as checks.example.org or checks.example.org:8443`,
  CHECKER_SECRET: "must be whsec_ and the base64 of 24 to 64 random bytes",
  PRICES: `must be a JSON object of model names, each like {"input": 0.2, "output": 0.8}, in US dollars per million tokens from 0 to ${LIMITS.price_max}`,
  KEY_LIMITS:
    "must be like trainer:rpm=600,tokens_per_day=50000000,usd_per_day=2.50,log_rows_per_day=1000000,stored_bytes=1000000000,concurrency=8;*:rpm=60, each key once, integers from 1 up, dollars with at most 6 decimals",
  GROUP_SIZES: `must be like trainer=8;*=16, each key once, integers from 1 to rollouts_per_group_max = ${LIMITS.rollouts_per_group_max}`,
  LOG_DAYS: `must be like trainer=90;*=365, each key once, integers from 1 to log_days_max = ${LIMITS.log_days_max}`,
  MODELS:
    "must be like name1,name2; trainer:name3 with keys of API_KEYS, each once; put *: before a list with a colon in a model name",
  DEFAULT_JUDGE: "must be the name of a built-in preset, such as mtbench-ab (docs/judges.md)",
  KEY_COUNTERS: "must be the Durable Object binding of the class KeyCounters",
  DATABASE_URL: "must be a postgres:// URL",
  DATABASE_FETCH_ENDPOINT: "must be http://HOST:PORT/sql on a loopback host",
  ASSETS: "must be the binding of the static assets",
  LOG_LEVEL: 'must be "error" or "info"',
  LOG_TEXTS: 'must be "on" or "off"',
  REPLICA: `must be an integer from 0 to ${REPLICAS_MAX - 1}`,
  WEBHOOK_SECRET: "must be whsec_ and the base64 of 24 to 64 random bytes",
  WEBHOOK: "must be an https URL (or http on a loopback host) without user and password",
  IDEMPOTENT_REQUESTS: "must be the Durable Object binding of the class IdempotentRequests",
  BATCH: "must be the Durable Object binding of the class Batch",
  GROUP_ROOM: "must be the Durable Object binding of the class GroupRoom",
  LOG_QUEUE: "must be the binding of a Queue",
  DEAD_LETTERS: "must be the Durable Object binding of the class DeadLetters",
  DEPLOYMENT_TOTALS: "must be the Durable Object binding of the class DeploymentTotals",
};

/** The error message for an invalid variable. For API_KEYS it names the invalid entry, but shows no key. */
function expected(name: keyof Variables, { issues }: z.ZodError): string {
  const [issue] = issues;
  const entry = name === "API_KEYS" && issue?.code === "custom" ? `; ${issue.message}` : "";
  return EXPECTED[name] + entry;
}

/** The models that may judge: those configured for the deployment's verifiers, and those in MODELS. */
export function allowedModels({ backends, MODELS = new Map() }: Config): AllowedModels {
  return { configured: backends.flatMap(({ model }) => model ?? []), lists: MODELS };
}

const variableOf = (setting: string) => `VERIFIER_${setting.toUpperCase()}`;

/** Names of all variables and bindings that a Worker reads. */
export const VARIABLES: readonly string[] = [
  ...new Set([...Object.keys(EnvSchema.shape), ...PROTOCOLS.flatMap(ownSettings).map(variableOf)]),
];

/** The model that judges through the `AI` binding if VERIFIER_MODEL is not set. */
export const WORKERS_AI_MODEL = "@cf/cloudflare/clef-flash";
/**
 * Defaults for Workers AI, which judges through the `AI` binding if VERIFIER_PROTOCOL is `decision` and
 * VERIFIER_URL is not set.
 */
const WORKERS_AI = { VERIFIER_API: "workers-ai", VERIFIER_MODEL: WORKERS_AI_MODEL };

/** The first verifier, as configured by its variables; null if none is configured or it is invalid. */
function firstBackend(env: Record<string, unknown>, variables: Partial<Variables>, faults: FieldError[]) {
  const { VERIFIER_PROTOCOL: protocol = PROTOCOLS[0], VERIFIER_API_KEY: api_key, AI } = variables;
  const bound = variables.VERIFIER_URL === undefined && protocol === "decision" && AI !== undefined;
  const url = bound ? BINDING_URL : variables.VERIFIER_URL;
  if (url === undefined) return null;
  const filled: Record<string, unknown> = url === BINDING_URL ? WORKERS_AI : {};
  const settingOf = (variable: string) => env[variable] || filled[variable];
  const backendSettings = ownSettings(protocol).map((name) => [name, settingOf(variableOf(name))]);
  const parsed = BackendSchema.safeParse({ protocol, url, api_key, ...Object.fromEntries(backendSettings) });
  for (const { path } of parsed.error?.issues ?? []) {
    const variable = variableOf(String(path[0]));
    if (faults.some((fault) => fault.path === variable)) continue;
    const given = env[variable] !== undefined && env[variable] !== "";
    faults.push({ path: variable, message: given ? "has an invalid value" : "required if VERIFIER_URL is set" });
  }
  return parsed.data ?? null;
}

/** The sandbox that runs programs; empty without SANDBOX_URL. */
function sandboxOf({ SANDBOX_URL: url, SANDBOX_SHAPE, SANDBOX_API_KEY: api_key }: Partial<Variables>) {
  if (url === undefined) return [];
  const protocol = SANDBOX_SHAPE ?? SANDBOX_SHAPES[0];
  return [{ protocol, name: "sandbox", url, api_key, key_variable: "SANDBOX_API_KEY" }];
}

/** The custom checkers, which return numbers; empty without CHECKER_HOSTS or CHECKER_SECRET. */
function checkersOf({ CHECKER_HOSTS: hosts = [], CHECKER_SECRET: secret }: Partial<Variables>) {
  const [first] = hosts;
  if (first === undefined || secret === undefined) return [];
  return [{ protocol: "checker", name: "checker", url: `https://${first}`, hosts, secret }];
}

/** Reads the configuration. Invalid variables are reported in `faults` and omitted from `config`. */
export function readEnv(env: Record<string, unknown>): { config: Config; faults: FieldError[] } {
  const read: Record<string, unknown> = {};
  const faults: FieldError[] = [];
  for (const [name, schema] of Object.entries(EnvSchema.shape)) {
    const value = env[name];
    // Not parsed, because most variables are unset and a schema is built at its first use.
    if (value === undefined || value === "") {
      read[name] = undefined;
      continue;
    }
    if (typeof value === "string" && BLANK.test(value)) {
      faults.push({
        path: name,
        message: `required: ${name} is set but contains only blanks; ${EXPECTED[name as keyof Variables]}`,
      });
      continue;
    }
    const parsed = schema.safeParse(value);
    if (parsed.success) read[name] = parsed.data;
    else faults.push({ path: name, message: expected(name as keyof Variables, parsed.error) });
  }
  const variables = read as Variables;
  const first = firstBackend(env, variables, faults);
  const names = new Set(variables.API_KEYS?.map(({ name }) => name));
  if (keysOf(variables.MODELS ?? new Map()).some((key) => !names.has(key))) {
    faults.push({ path: "MODELS", message: EXPECTED.MODELS });
  }
  if (variables.KEY_LIMITS !== undefined && variables.KEY_COUNTERS === undefined) {
    faults.push({ path: "KEY_COUNTERS", message: "the Durable Object binding is required if KEY_LIMITS is set" });
  }
  const limited = [...(variables.KEY_LIMITS?.values() ?? [])];
  if (variables.PRICES === undefined && limited.some(({ usd_per_day }) => usd_per_day !== null)) {
    faults.push({ path: "PRICES", message: "required by usd_per_day of KEY_LIMITS, to count dollars" });
  }
  if (variables.WEBHOOK !== undefined && variables.WEBHOOK_SECRET === undefined) {
    faults.push({ path: "WEBHOOK_SECRET", message: "required if WEBHOOK is set, to sign its messages" });
  }
  const verifiers = first === null ? [] : [first, ...(variables.VERIFIER_FALLBACKS ?? [])];
  if (variables.AI === undefined && verifiers.some(({ url }) => url === BINDING_URL)) {
    faults.push({ path: "AI", message: `the Workers AI binding is required by the URL ${BINDING_URL}` });
  }
  if (variables.CHECKER_HOSTS !== undefined && variables.CHECKER_SECRET === undefined) {
    faults.push({
      path: "CHECKER_SECRET",
      message: "required if CHECKER_HOSTS is set, to sign requests to checkers",
    });
  }
  const backends = [...verifiers, ...sandboxOf(variables), ...checkersOf(variables)];
  // A decision model can answer only the questions of this preset.
  const DEFAULT_JUDGE = variables.DEFAULT_JUDGE ?? (first?.protocol === "decision" ? "decide-pair" : undefined);
  return { config: { ...variables, DEFAULT_JUDGE, backends }, faults };
}
