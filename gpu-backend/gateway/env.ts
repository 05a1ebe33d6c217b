// Schema and reader of the gateway's environment variables. Errors never contain a variable's value.
import { readFileSync } from "node:fs";
import * as z from "zod";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { apiRoot } from "../../src/core/wire/chat-endpoint.ts";
import { vocabularyOf } from "./engines/vocabulary.ts";
import { isLoopbackHost } from "./http/access.ts";
import { GATEWAY_LIMITS } from "./limits/gateway-limits.ts";

/** Long enough to resist guessing; `openssl rand -hex 32` gives 64. */
const KEY_CHARS_MIN = 16;
const KEY_CHARS_MAX = LIMITS.key_chars;
const REPLICAS_MAX = 64;

/** Only URLs that `apiRoot` accepts and preserves. */
const url = z
  .url({ protocol: /^https?$/, abort: true })
  .max(2048)
  .refine((text) => {
    const { username, password, search, hash } = new URL(text);
    return username + password + search + hash === "";
  });
const count = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
/** Characters allowed in a header. */
const PRINTABLE = /^[\x21-\x7e]+$/;
const orAbsent = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === "" ? undefined : value), schema);

/** The tokens in a file; null if the file cannot be read or contains none. */
function tokensIn(path: string): readonly string[] | null {
  try {
    return vocabularyOf(JSON.parse(readFileSync(path, "utf8")))?.tokens ?? null;
  } catch {
    return null;
  }
}

const SCHEMA = {
  ENGINE_URL: z
    .string()
    .transform((text) => text.split(",").map((part) => part.trim()))
    .pipe(z.array(url).min(1).max(REPLICAS_MAX))
    .pipe(z.array(z.string()).refine((urls) => new Set(urls.map(apiRoot)).size === urls.length)),
  ENGINE_MODEL: z.string().min(1).max(256),
  ENGINE_API_KEY: orAbsent(z.string().regex(PRINTABLE).max(4096).optional()),
  ENGINE_KIND: orAbsent(z.enum(["vllm", "sglang", "other"]).optional()),
  ENGINE_SIMULATED: orAbsent(z.enum(["on", "off"]).default("off")),
  ENGINE_TOKENS: orAbsent(z.string().max(4096).transform(tokensIn).pipe(z.array(z.string())).optional()),
  ENGINE_MAX_IN_FLIGHT: orAbsent(count(1, LIMITS.generations_in_flight_max).default(256)),
  SCALAR_URL: orAbsent(
    z
      .string()
      .transform((text) => text.split(",").map((part) => part.trim()))
      .pipe(z.array(url).min(1).max(REPLICAS_MAX))
      .optional(),
  ),
  SCALAR_API_KEY: orAbsent(z.string().regex(PRINTABLE).max(4096).optional()),
  PORT: orAbsent(count(0, 65_535).default(8792)),
  HOST: orAbsent(z.string().max(255).default("127.0.0.1")),
  GATEWAY_API_KEY: orAbsent(z.string().regex(PRINTABLE).min(KEY_CHARS_MIN).max(KEY_CHARS_MAX).optional()),
  GATEWAY_QUEUE_TOKENS: orAbsent(count(1, 1_000_000_000_000).default(GATEWAY_LIMITS.queue_tokens_default)),
  GATEWAY_DRAIN_MS: orAbsent(count(0, LIMITS.deadline_ms_max).default(GATEWAY_LIMITS.drain_ms_default)),
};
export type GatewayEnv = { [Name in keyof typeof SCHEMA]: z.output<(typeof SCHEMA)[Name]> };

/** Descriptions of valid values. An invalid value is never shown, because it may be a secret. */
const EXPECTED: Record<keyof GatewayEnv, string> = {
  ENGINE_URL: `must be 1 to ${REPLICAS_MAX} different comma-separated http or https URLs of OpenAI-compatible engines, without a key, query or fragment`,
  ENGINE_MODEL: "must be the model's name at the engine, 1 to 256 characters",
  ENGINE_API_KEY: "must be 1 to 4096 printable ASCII characters without spaces",
  ENGINE_KIND: "must be vllm, sglang or other; if omitted, it is read from the engines' metrics",
  ENGINE_SIMULATED: 'must be "on" or "off"',
  ENGINE_TOKENS:
    "must be the path of a JSON file with tokens: a tokenizer_config.json, a tokenizer.json, or a list of texts",
  ENGINE_MAX_IN_FLIGHT: `must be an integer from 1 to generations_in_flight_max = ${LIMITS.generations_in_flight_max}`,
  SCALAR_URL: `must be 1 to ${REPLICAS_MAX} comma-separated http or https URLs of scalar-model servers, without a key, query or fragment`,
  SCALAR_API_KEY: "must be 1 to 4096 printable ASCII characters without spaces",
  PORT: "must be an integer from 0 to 65535",
  HOST: "must be a host name or address to listen on",
  GATEWAY_API_KEY: `must be ${KEY_CHARS_MIN} to ${KEY_CHARS_MAX} printable ASCII characters without spaces`,
  GATEWAY_QUEUE_TOKENS: "must be a positive integer",
  GATEWAY_DRAIN_MS: `must be an integer from 0 to ${LIMITS.deadline_ms_max}`,
};

/** The configuration, or its errors: one line `NAME: expected value` per variable. */
export function readGatewayEnv(
  env: Record<string, string | undefined>,
): { config: GatewayEnv; faults: null } | { config: null; faults: string[] } {
  const config: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [name, schema] of Object.entries(SCHEMA)) {
    const parsed = schema.safeParse(env[name]);
    if (parsed.success) config[name] = parsed.data;
    else faults.push(`${name}: ${EXPECTED[name as keyof GatewayEnv]}${env[name] === undefined ? " (not set)" : ""}`);
  }
  const { HOST = "127.0.0.1", GATEWAY_API_KEY } = config as Partial<GatewayEnv>;
  if (GATEWAY_API_KEY === undefined && !env.GATEWAY_API_KEY && !isLoopbackHost(HOST)) {
    faults.push("GATEWAY_API_KEY: required if HOST is not a loopback address");
  }
  return faults.length > 0 ? { config: null, faults } : { config: config as GatewayEnv, faults: null };
}
