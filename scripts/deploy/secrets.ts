// Deploy steps for configuration: the required values, database migrations and secrets.
import { createHash, randomBytes } from "node:crypto";
import { readEnv } from "../../src/env.ts";
import { isNeon } from "../stack/database-url.ts";
import { migrate, pendingMigrations } from "../stack/migrations.ts";
import { createPostgres } from "../stack/postgres.ts";
import { databaseReason } from "../stack/preflight.ts";
import type { SqlBackend } from "../stack/sql-backend.ts";
import { orFault, type Run, type Step, StepFault } from "./run.ts";
import { contentTag } from "./target.ts";
import { ask, isAttended } from "./values.ts";

/** Prompts for missing values. */
const QUESTIONS: Readonly<Record<string, string>> = {
  DATABASE_URL: "DATABASE_URL, Neon's pooled connection string (postgres://…)",
  VERIFIER_URL:
    "VERIFIER_URL, the URL of the model that judges (https://…/v1; leave empty to use Workers AI without a GPU)",
  VERIFIER_MODEL: "VERIFIER_MODEL, the model's name on that server",
  VERIFIER_API_KEY: "VERIFIER_API_KEY, sent to that server as a Bearer token (optional)",
};

/** The protocol that needs no VERIFIER_URL: the Worker calls Workers AI through a binding. */
export const WORKERS_AI = "decision";

/** The protocol for calls to the model that judges. */
export const protocolOf = ({ values, target }: Pick<Run, "values" | "target">): string | undefined =>
  values.get("VERIFIER_PROTOCOL") ?? target.vars.VERIFIER_PROTOCOL;

/** Required values that are neither given nor set on the Worker. */
function missing({ values, target, found }: Run): string[] {
  const lacks = (name: string) => values.get(name) === undefined && !found.secrets.has(name);
  const protocol = protocolOf({ values, target });
  const names = ["DATABASE_URL", ...(protocol === WORKERS_AI ? [] : ["VERIFIER_URL"])].filter(lacks);
  // A Worker that has a verifier may have the model's name among its variables.
  const model = protocol === "openai" && !found.secrets.has("VERIFIER_URL") && lacks("VERIFIER_MODEL");
  return model ? [...names, "VERIFIER_MODEL"] : names;
}

/** Variables of wrangler.toml that the environment or .dev.vars overrides. */
export function changedVars({ values, target }: Pick<Run, "values" | "target">): Record<string, string> {
  const given = Object.entries(values.given(Object.keys(target.vars)));
  return Object.fromEntries(given.filter(([name, value]) => target.vars[name] !== value));
}

/** The content tag at version `number`, by default the deployed one: that of the newest tagged version. */
export function tagBefore({ found }: Run, number = found.active?.number ?? 0): string | null {
  return found.versions.findLast((version) => version.number <= number && version.tag !== null)?.tag ?? null;
}

export const settings: Step = {
  name: "values",
  remedy: "set them as environment variables or in .dev.vars (docs/variables.md)",
  async check(run) {
    const { values, found, flags, target } = run;
    const lacking = missing(run);
    if (flags.yes && isAttended()) {
      const asked = lacking.includes("VERIFIER_URL") ? [...lacking, "VERIFIER_API_KEY"] : lacking;
      for (const name of asked) {
        if (protocolOf(run) === WORKERS_AI && name.startsWith("VERIFIER_")) continue;
        const answer = values.get(name) ?? (await ask(QUESTIONS[name] as string));
        if (answer !== "") values.set(name, answer);
        else if (name === "VERIFIER_URL") values.set("VERIFIER_PROTOCOL", WORKERS_AI);
      }
    }
    const still = missing(run);
    // A secret that the Worker has and that this run does not set cannot be checked here.
    const faults = values.faults().filter((fault) => {
      const [name = ""] = fault.split(":");
      return !found.secrets.has(name) || flags.set.includes(name);
    });
    if (still.length === 0 && faults.length > 0) throw new StepFault(faults.join("; "));
    found.current = tagBefore(run) === (await contentTag(target.env, changedVars(run)));
    if (still.length === 0) return { done: "all required values are set" };
    if (flags.yes) throw new StepFault(`not set: ${still.join(", ")}`);
    return { later: `set these as environment variables or in .dev.vars: ${still.join(", ")}` };
  },
};

/** The URL without Neon's pooler: migrations need a session, which the pooler does not keep. */
export function directUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  if (!isNeon(databaseUrl)) return databaseUrl;
  url.hostname = url.hostname.replace(/^([^.]+)-pooler\./, "$1.");
  return url.href;
}

async function onDatabase<T>(databaseUrl: string, work: (backend: SqlBackend) => Promise<T>): Promise<T> {
  const backend = createPostgres(directUrl(databaseUrl));
  try {
    return await work(backend);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    // An error without a code comes from the migrations themselves.
    throw new StepFault(code === undefined ? message : `the database cannot be used: ${databaseReason(error)}`);
  } finally {
    await backend.close();
  }
}

export const database: Step = {
  name: "database",
  remedy: "fix DATABASE_URL (npm run migrate tests it alone); a failed migration is rolled back completely",
  async check({ values, found }) {
    const url = values.get("DATABASE_URL");
    if (url === undefined) {
      if (found.secrets.has("DATABASE_URL") && !found.current) {
        throw new StepFault(
          "DATABASE_URL is not set, so migrations cannot run before the new code",
          "set it as an environment variable or in .dev.vars",
        );
      }
      return found.current
        ? { done: "not checked: DATABASE_URL is not set here, and the code is unchanged" }
        : { later: "once DATABASE_URL is set" };
    }
    const pending = await onDatabase(url, pendingMigrations);
    return pending.length === 0 ? { done: "up to date" } : { todo: `apply ${pending.join(", ")}` };
  },
  act: async ({ values }) => `applied ${(await onDatabase(values.get("DATABASE_URL") as string, migrate)).join(", ")}`,
};

/** The name of the API key that a first deploy generates. */
const FIRST_KEY = "trainer";

/** A new API key, and its entry in API_KEYS. */
export function newKey(name: string): { key: string; entry: string } {
  const key = `kritai_${randomBytes(32).toString("base64url")}`;
  return { key, entry: `${name}:${createHash("sha256").update(key).digest("hex")}` };
}

/** Prints a new API key, which cannot be shown again. */
export function showKey({ say, found }: Run, name: string, key: string): void {
  found.key = key;
  say(`\n  API key "${name}", shown only this once; it works when the next line says done:\n  ${key}\n`);
}

/** Secrets that a first deploy generates. */
export const MADE = ["API_KEYS", "TOKEN_SECRET"];

function wanted({ values, target, found, flags }: Run): { given: string[]; made: string[] } {
  const names = Object.keys(values.given()).filter((name) => !(name in target.vars));
  const given = names.filter((name) => !found.secrets.has(name) || flags.set.includes(name));
  const made = MADE.filter((name) => !found.secrets.has(name) && !given.includes(name));
  return { given, made };
}

export const secrets: Step = {
  name: "secrets",
  remedy: "fix the error above; the login or API token needs the permission Workers Scripts:Edit",
  async check(run) {
    const absent = run.flags.set.filter((name) => run.values.get(name) === undefined);
    if (absent.length > 0)
      throw new StepFault(
        `--set ${absent.join(", ")}: no new value`,
        "set it as an environment variable or in .dev.vars",
      );
    const { given, made } = wanted(run);
    if (given.length + made.length === 0) return { done: `${[...run.found.secrets].sort().join(", ")} are set` };
    return { todo: [...made.map((name) => `generate ${name}`), ...given.map((name) => `set ${name}`)].join(", ") };
  },
  async act(run) {
    const { values, say } = run;
    const { given, made } = wanted(run);
    if (made.includes("API_KEYS")) {
      const { key, entry } = newKey(FIRST_KEY);
      showKey(run, FIRST_KEY, key);
      values.set("API_KEYS", entry);
    }
    if (made.includes("TOKEN_SECRET")) {
      const secret = `whsec_${randomBytes(32).toString("base64")}`;
      say(`  TOKEN_SECRET, shown only this once; npm run token signs tokens with it:\n  ${secret}\n`);
      values.set("TOKEN_SECRET", secret);
    }
    const all = [...given, ...made];
    await putSecrets(run, values.given(all));
    return `set ${all.join(", ")}`;
  },
};

/** Sets the given secrets; others stay unchanged. */
export async function putSecrets(run: Run, texts: Record<string, string>): Promise<void> {
  const fault = readEnv({ API_KEYS: texts.API_KEYS }).faults[0];
  if (fault !== undefined) throw new StepFault(`API_KEYS: ${fault.message}`, "set API_KEYS to its current value");
  orFault(await run.wrangler(["secret", "bulk"], JSON.stringify(texts)));
  for (const name of Object.keys(texts)) run.found.secrets.add(name);
  if (texts.API_KEYS !== undefined) run.values.note({ api_keys: texts.API_KEYS });
}
