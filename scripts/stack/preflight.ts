// Checks a stack's variables, port, folder, database and verifier before it starts. Never prints a value,
// which may contain a password.

import { createServer } from "node:net";
import { isDecision } from "../../src/core/contract/prompt-name.ts";
import type { FieldError } from "../../src/core/faults/errors.ts";
import { editDistance } from "../../src/core/faults/suggestion.ts";
import { type Config, readEnv, VARIABLES } from "../../src/env.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Clock, Verifier } from "../../src/ports/ports.ts";
import { createVerifier } from "../../src/verifier/create.ts";
import { makeFolder } from "../command-line/out-folder.ts";
import { isNeon } from "./database-url.ts";
import { judgeNamed } from "./judge.ts";
import { isPostgresError } from "./sql-backend.ts";

type Environment = Readonly<Record<string, string | undefined>>;

interface Place {
  host: string;
  port: number;
  /** null: no folder is needed. */
  dataDir: string | null;
}

/** Bindings that the stack provides, so that they are not reported as missing. */
const MADE_BY_THE_STACK = { KEY_COUNTERS: {} };

/**
 * Faults, one entry per variable; empty if the stack can start. Folder, database and verifier are tested only
 * if all variables are well-formed.
 */
export async function startFaults(env: Environment, place: Place): Promise<FieldError[]> {
  const { config, faults } = readEnv({ ...env, ...MADE_BY_THE_STACK });
  if (env.API_KEYS === "") faults.push({ path: "API_KEYS", message: NO_KEY });
  const judge = judgeFault(env);
  if (judge !== null) faults.push(judge);
  const port = await addressFault(place);
  if (faults.length > 0 || port !== null) return [...faults, ...(port === null ? [] : [port])];
  const [folder, database] = await Promise.all([folderFault(place.dataDir), databaseFault(config)]);
  const found = [folder, database].filter((fault) => fault !== null);
  return [...found, ...(await verifierFaults(config))];
}

/** An empty value is more likely a lost secret than the wish for a stack without keys. */
const NO_KEY = "is set but empty; set it to name:sha256hex, or unset it to accept requests from this machine only";

/** Maximum edit distance of a misspelling; more would match other words. */
const SLIPS_MAX = 2;

/** A warning for each variable in `env` whose name is probably a misspelling of a known one. */
export function misspeltVariables(env: Environment): string[] {
  const known = new Set([...VARIABLES, "PORT", "HOST", "DATA_DIR", "JUDGE", "KRITAI_API_KEY"]);
  return Object.keys(env).flatMap((name) => {
    if (known.has(name) || !/^[A-Z]+_[A-Z_]+$/.test(name)) return [];
    const suggestion = VARIABLES.find((variable) => editDistance(name, variable) <= SLIPS_MAX);
    return suggestion === undefined
      ? []
      : [`${name} is set, but Kritai has no such variable; did you mean ${suggestion}?`];
  });
}

/** Names of the keys in API_KEYS, each once. */
export const keyNames = (env: Environment): string[] => [
  ...new Set(readEnv({ API_KEYS: env.API_KEYS }).config.API_KEYS?.map(({ name }) => name)),
];

function judgeFault({ JUDGE: name, VERIFIER_URL, VERIFIER_PROTOCOL }: Environment): FieldError | null {
  try {
    judgeNamed(name);
    if (!name || !VERIFIER_URL || isDecision(name) === (VERIFIER_PROTOCOL === "decision")) return null;
    const message = isDecision(name)
      ? `${name} needs a decision model: set VERIFIER_PROTOCOL=decision and VERIFIER_API (docs/decision-models.md)`
      : `VERIFIER_PROTOCOL=decision needs a preset for decision models: set JUDGE=decide-pair, not ${name}`;
    return { path: "JUDGE", message };
  } catch (error) {
    return { path: "JUDGE", message: (error as Error).message.replace(/^JUDGE: /, "") };
  }
}

/** A stack that was killed may take a moment to release its port. */
const ENDING_TRIES = 20;
const ENDING_WAIT_MS = 100;

/** Why the stack cannot listen on the address, or null. Port 0 is any free port. */
async function addressFault(place: Place, tries = ENDING_TRIES): Promise<FieldError | null> {
  const { host, port } = place;
  const server = createServer();
  try {
    await new Promise<void>((listening, refuse) => {
      server.once("error", refuse);
      server.listen({ host, port, exclusive: true }, listening);
    });
    return null;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unknown";
    if (code === "EADDRINUSE" && tries > 0) {
      await new Promise((resolve) => setTimeout(resolve, ENDING_WAIT_MS));
      return addressFault(place, tries - 1);
    }
    if (code === "EADDRINUSE") {
      return {
        path: "PORT",
        message: `${port} is in use on ${host}; stop the program that listens there, or set another PORT`,
      };
    }
    if (code === "EACCES") return { path: "PORT", message: `this user may not listen on port ${port} (EACCES)` };
    return { path: "HOST", message: `cannot listen on this address (${code})` };
  } finally {
    server.close();
  }
}

function folderFault(dataDir: string | null): FieldError | null {
  if (dataDir === null) return null;
  try {
    makeFolder("DATA_DIR", dataDir);
    return null;
  } catch (error) {
    return { path: "DATA_DIR", message: (error as Error).message.replace(/^DATA_DIR /, "") };
  }
}

const CLOCK: Clock = systemClock;

async function databaseFault({ DATABASE_URL: url }: Config): Promise<FieldError | null> {
  if (url === undefined) return null;
  const reason = isNeon(url) ? await neonFault(url) : await postgresFault(url);
  return reason === null ? null : { path: "DATABASE_URL", message: reason };
}

const NOT_MIGRATED = "the database is not migrated; run npm run migrate";

/** Why the Neon database cannot be used, or null. Applies no migrations. */
async function neonFault(databaseUrl: string): Promise<string | null> {
  const { createNeonRunLog } = await import("../../src/run-log/neon.ts");
  const { ok, detail } = await createNeonRunLog({ databaseUrl, clock: systemClock }).check();
  if (ok) return null;
  return detail === "not migrated" ? NOT_MIGRATED : `the database is ${detail}`;
}

async function postgresFault(databaseUrl: string): Promise<string | null> {
  const { createPostgres } = await import("./postgres.ts");
  const backend = createPostgres(databaseUrl);
  try {
    const { pendingMigrations } = await import("./migrations.ts");
    return (await pendingMigrations(backend)).length === 0 ? null : NOT_MIGRATED;
  } catch (error) {
    return `the database cannot be used: ${databaseReason(error)}`;
  } finally {
    await backend.close();
  }
}

/** Messages for Postgres's login errors, because Postgres's own messages contain names. */
const REFUSALS: Readonly<Record<string, string>> = {
  "28P01": "it rejects the user or the password",
  "28000": "it rejects the user",
  "3D000": "the server has no database of that name",
};

export function databaseReason(error: unknown): string {
  const code = (error as { code?: string }).code ?? "no answer";
  if (!isPostgresError(error)) return code === "no answer" ? code : `not reachable (${code})`;
  return REFUSALS[code] ?? `the server returns SQLSTATE ${code}`;
}

/**
 * The variable that configures each backend.
 */
function placesOf(backends: Config["backends"]): string[] {
  const apart: Record<string, string> = { sandbox: "SANDBOX_URL", checker: "CHECKER_HOSTS" };
  return backends.map(({ name }, at) =>
    at === 0 ? "VERIFIER_URL" : (apart[name ?? ""] ?? `VERIFIER_FALLBACKS[${at - 1}].url`),
  );
}

const CHECKS = 5;

/** Checks a verifier, and again while it gives no answer in time: a busy machine may need longer. */
async function patientCheck(verifier: Verifier): ReturnType<Verifier["check"]> {
  let found = await verifier.check();
  for (let check = 1; check < CHECKS && found.detail?.startsWith("no answer within") === true; check++)
    found = await verifier.check();
  return found;
}

/** Advice for a reason of a verifier that is not ready. */
const ADVICE: Readonly<Record<string, string>> = {
  "not reachable": "; start its server, or correct the address",
  "model not served": "; set VERIFIER_MODEL to a name that the server's GET /v1/models lists",
};

/** Faults of backends that are not ready, if some question then has no backend. */
async function verifierFaults({ backends: [first, ...others] }: Config): Promise<FieldError[]> {
  if (first === undefined) return [];
  const all = [first, ...others];
  const places = placesOf(all);
  const faultOf = async (some: readonly [(typeof all)[number], ...typeof all], path: string) => {
    try {
      const { ok, detail } = await patientCheck(createVerifier(some, { hedging: false }, CLOCK));
      const reason = detail ?? "no reason given";
      return ok ? null : { path, message: `the verifier is not ready: ${reason}${ADVICE[reason] ?? ""}` };
    } catch (error) {
      return { path, message: (error as Error).message };
    }
  };
  const whole = await faultOf([first, ...others], "VERIFIER_URL");
  if (whole === null || others.length === 0) return whole === null ? [] : [whole];
  const each = await Promise.all(all.map((backend, at) => faultOf([backend], places[at] as string)));
  const faults = each.filter((fault) => fault !== null);
  return faults.length > 0 ? faults : [whole];
}
