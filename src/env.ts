// Owns the raw environment: the schema of bindings and variables, and its only reader. Never shows a value in an error.
import * as z from "zod";
import { type KeyDigest, SCOPES, type Scope } from "./auth.ts";
import type { BatchStub } from "./batches/remote.ts";
import type { FieldError } from "./core/errors.ts";
import type { CountersNamespace } from "./core/key-limits.ts";
import { parseKeyLimits } from "./core/key-limits.ts";
import { LIMITS } from "./core/limits.ts";
import type { RoomNamespace } from "./group-room/remote.ts";
import type { IdempotentStub } from "./idempotency/remote.ts";
import type { ObjectNamespace } from "./object-storage/reach.ts";
import type { LettersNamespace, QueueBinding } from "./ports.ts";

const LOOPBACK_SQL = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]):\d{1,5}\/sql$/i;

const httpUrl = z.url({ protocol: /^https?$/, message: "must be an http or https URL" }).max(2048);

const SCOPE = SCOPES.join("|");
const KEY_ENTRY = new RegExp(`^[A-Za-z0-9._-]{1,64}:[0-9A-Fa-f]{64}(?::(?:${SCOPE})(?:\\+(?:${SCOPE}))*)?$`);

/** A name may come with several digests, so that a key is replaced while the old one still works; a digest has one owner. */
const KeysSchema = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((entry) => entry !== ""))
  .pipe(z.array(z.string().regex(KEY_ENTRY)).max(LIMITS.keys_max))
  .refine((entries) => new Set(entries.map((entry) => entry.split(":")[1]?.toLowerCase())).size === entries.length)
  .transform((entries) => entries.map(parseKey));

function parseKey(entry: string): KeyDigest {
  const [name = "", hex = "", scopes] = entry.split(":");
  const digest = Uint8Array.from({ length: 32 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));
  return { name, digest, ...(scopes !== undefined && { scopes: scopes.split("+") as Scope[] }) };
}

const optional = <T extends z.ZodType>(schema: T) => z.preprocess((v) => (v === "" ? undefined : v), schema.optional());

/** Further verifiers, in the order in which they are asked; `name` stands on their verdicts. */
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
  .pipe(
    z
      .array(
        z
          .strictObject({
            name: z
              .string()
              .regex(/^[A-Za-z0-9._-]{1,64}$/)
              .optional(),
            url: httpUrl,
            protocol: z.enum(["openai", "verify"]).default("openai"),
            model: z.string().min(1).max(256).optional(),
            api_key: z.string().max(4096).optional(),
          })
          .refine(({ protocol, model }) => protocol === "verify" || model !== undefined),
      )
      .max(LIMITS.backends_max - 1),
  );

const KeyLimitsSchema = z.string().transform((text, context) => {
  try {
    return parseKeyLimits(text);
  } catch {
    context.addIssue("not key limits");
    return z.NEVER;
  }
});

const binding = <T>() => optional(z.custom<T>((value) => typeof value === "object" && value !== null));

const WEBHOOK_HOST = /^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[::1\])(?::\d{1,5})?$/;
const WebhookHostsSchema = z
  .string()
  .transform((text) =>
    text
      .toLowerCase()
      .split(/[\s,]+/)
      .filter((host) => host !== ""),
  )
  .pipe(z.array(z.string().regex(WEBHOOK_HOST)).max(LIMITS.webhook_hosts_max));

/** The form that Standard Webhooks gives symmetric secrets. */
const WebhookSecretSchema = z
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

/** Every variable and secret of the Worker. An empty string is the same as absent. */
export const EnvSchema = z.object({
  API_KEYS: optional(KeysSchema),
  VERIFIER_URL: optional(httpUrl),
  VERIFIER_PROTOCOL: optional(z.enum(["openai", "verify"])),
  VERIFIER_MODEL: optional(z.string().max(256)),
  VERIFIER_API_KEY: optional(z.string().max(4096)),
  VERIFIER_MAX_IN_FLIGHT: optional(z.coerce.number().int().min(1).max(LIMITS.generations_in_flight_max)),
  VERIFIER_HEDGING: optional(z.enum(["on", "off"])),
  VERIFIER_FALLBACKS: optional(FallbacksSchema),
  KEY_LIMITS: optional(KeyLimitsSchema),
  KEY_COUNTERS: optional(z.custom<CountersNamespace>((value) => typeof value === "object" && value !== null)),
  DATABASE_URL: optional(
    z
      .string()
      .regex(/^postgres(?:ql)?:\/\/[^\s]+$/)
      .max(4096),
  ),
  DATABASE_FETCH_ENDPOINT: optional(httpUrl.refine((url) => LOOPBACK_SQL.test(url))),
  LOG_LEVEL: optional(z.enum(["error", "info"])),
  WEBHOOK_HOSTS: optional(WebhookHostsSchema),
  WEBHOOK_SECRET: optional(WebhookSecretSchema),
  IDEMPOTENT_REQUESTS: binding<ObjectNamespace<IdempotentStub>>(),
  BATCH: binding<ObjectNamespace<BatchStub>>(),
  GROUP_ROOM: optional(z.custom<RoomNamespace>((value) => typeof value === "object" && value !== null)),
  LOG_QUEUE: optional(z.custom<QueueBinding>((value) => typeof value === "object" && value !== null)),
  DEAD_LETTERS: optional(z.custom<LettersNamespace>((value) => typeof value === "object" && value !== null)),
});
export type Config = z.output<typeof EnvSchema>;

/** What a good value looks like, for error messages: the bad value itself may be a secret. */
const EXPECTED: Record<keyof Config, string> = {
  API_KEYS: `must be up to ${LIMITS.keys_max} comma-separated name:sha256hex or name:sha256hex:scopes with distinct digests; scopes are ${SCOPES.join(", ")}, joined by +`,
  VERIFIER_URL: "must be an http or https URL",
  VERIFIER_PROTOCOL: 'must be "openai" or "verify"',
  VERIFIER_MODEL: "must be a model name of at most 256 characters",
  VERIFIER_API_KEY: "must be at most 4096 characters",
  VERIFIER_MAX_IN_FLIGHT: `must be an integer from 1 to generations_in_flight_max = ${LIMITS.generations_in_flight_max}`,
  VERIFIER_HEDGING: 'must be "on" or "off"',
  VERIFIER_FALLBACKS: `must be a JSON array of at most ${LIMITS.backends_max - 1} objects {"url", "protocol", "model", "api_key", "name"}; model is required unless protocol is "verify"`,
  KEY_LIMITS:
    "must be like trainer:rpm=600,tokens_per_day=50000000,concurrency=8;*:rpm=60, each key once, integers from 1 up",
  KEY_COUNTERS: "must be the Durable Object binding of the class KeyCounters",
  DATABASE_URL: "must be a postgres:// URL",
  DATABASE_FETCH_ENDPOINT: "must be http://HOST:PORT/sql on a loopback host",
  LOG_LEVEL: 'must be "error" or "info"',
  WEBHOOK_HOSTS: `must be up to ${LIMITS.webhook_hosts_max} comma-separated hosts, such as hooks.example.org or hooks.example.org:8443`,
  WEBHOOK_SECRET: "must be whsec_ and the base64 of 24 to 64 random bytes",
  IDEMPOTENT_REQUESTS: "must be the Durable Object binding of the class IdempotentRequests",
  BATCH: "must be the Durable Object binding of the class Batch",
  GROUP_ROOM: "must be the Durable Object binding of the class GroupRoom",
  LOG_QUEUE: "must be the binding of a Queue",
  DEAD_LETTERS: "must be the Durable Object binding of the class DeadLetters",
};

/** The configuration, and the variables that are wrong (those are left out of the configuration). */
export function readEnv(env: Record<string, unknown>): { config: Config; faults: FieldError[] } {
  const config: Record<string, unknown> = {};
  const faults: FieldError[] = [];
  for (const [name, schema] of Object.entries(EnvSchema.shape)) {
    const parsed = schema.safeParse(env[name]);
    if (parsed.success) config[name] = parsed.data;
    else faults.push({ path: name, message: EXPECTED[name as keyof Config] });
  }
  // The gateway of the verify protocol knows its model itself.
  const needsModel = config.VERIFIER_URL !== undefined && config.VERIFIER_PROTOCOL !== "verify";
  if (needsModel && config.VERIFIER_MODEL === undefined && !faults.some((fault) => fault.path === "VERIFIER_MODEL")) {
    faults.push({ path: "VERIFIER_MODEL", message: "required beside VERIFIER_URL" });
  }
  if (config.KEY_LIMITS !== undefined && config.KEY_COUNTERS === undefined) {
    faults.push({ path: "KEY_COUNTERS", message: "the Durable Object binding is required beside KEY_LIMITS" });
  }
  return { config: config as Config, faults };
}
