// The steps about what a deployment is given: its values, its database, its secrets.
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

/** The description of each, where it is asked for. */
const QUESTIONS: Readonly<Record<string, string>> = {
  DATABASE_URL: "DATABASE_URL, Neon's pooled connection string (postgres://…)",
  VERIFIER_URL: "VERIFIER_URL, the judge's address (https://…/v1; empty: Workers AI judges, no GPU needed)",
  VERIFIER_MODEL: "VERIFIER_MODEL, the model's name there",
  VERIFIER_API_KEY: "VERIFIER_API_KEY, what the judge is sent as a Bearer token (may stay empty)",
};

/** The protocol that needs no VERIFIER_URL: Workers AI answers by its binding. */
export const WORKERS_AI = "decision";

/** How the judge is asked. */
export const protocolOf = ({ values, target }: Pick<Run, "values" | "target">): string | undefined =>
  values.get("VERIFIER_PROTOCOL") ?? target.vars.VERIFIER_PROTOCOL;

/** Names without which nothing works and that neither we nor the Worker have. */
function missing({ values, target, found }: Run): string[] {
  const lacks = (name: string) => values.get(name) === undefined && !found.secrets.has(name);
  const protocol = protocolOf({ values, target });
  const names = ["DATABASE_URL", ...(protocol === WORKERS_AI ? [] : ["VERIFIER_URL"])].filter(lacks);
  // A model may also stand among the variables of a Worker that has a verifier.
  const model = protocol === "openai" && !found.secrets.has("VERIFIER_URL") && lacks("VERIFIER_MODEL");
  return model ? [...names, "VERIFIER_MODEL"] : names;
}

/** Variables of wrangler.toml for which another value is given. */
export function changedVars({ values, target }: Pick<Run, "values" | "target">): Record<string, string> {
  const given = Object.entries(values.given(Object.keys(target.vars)));
  return Object.fromEntries(given.filter(([name, value]) => target.vars[name] !== value));
}

/** The tag of the code that answers: of the newest deploy of ours up to that version. */
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
    // Secrets of the Worker that this run does not set are not asked for beside what is given.
    const faults = values.faults().filter((fault) => {
      const [name = ""] = fault.split(":");
      return !found.secrets.has(name) || flags.set.includes(name);
    });
    if (still.length === 0 && faults.length > 0) throw new StepFault(faults.join("; "));
    found.current = tagBefore(run) === (await contentTag(target.env, changedVars(run)));
    if (still.length === 0) return { done: "all that is needed is given or set" };
    if (flags.yes) throw new StepFault(`not given: ${still.join(", ")}`);
    return { later: `to be given as environment variables or in .dev.vars: ${still.join(", ")}` };
  },
};

/** Migrations go past Neon's pooler, which keeps no session. */
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
    // A fault without a code is of the migrations themselves.
    throw new StepFault(code === undefined ? message : `it cannot be used: ${databaseReason(error)}`);
  } finally {
    await backend.close();
  }
}

export const database: Step = {
  name: "database",
  remedy: "give a DATABASE_URL that answers (npm run migrate tries it alone); nothing in it was changed by halves",
  async check({ values, found }) {
    const url = values.get("DATABASE_URL");
    if (url === undefined) {
      if (found.secrets.has("DATABASE_URL") && !found.current) {
        throw new StepFault(
          "DATABASE_URL is not given, so migrations cannot come before the new code",
          "set it as an environment variable or in .dev.vars",
        );
      }
      return found.current
        ? { done: "not looked at: DATABASE_URL is not given here, and the code is the same" }
        : { later: "once DATABASE_URL is given" };
    }
    const pending = await onDatabase(url, pendingMigrations);
    return pending.length === 0 ? { done: "up to date" } : { todo: `apply ${pending.join(", ")}` };
  },
  act: async ({ values }) => `applied ${(await onDatabase(values.get("DATABASE_URL") as string, migrate)).join(", ")}`,
};

/** The key that a first deploy makes. */
const FIRST_KEY = "trainer";

/** A new key, and its entry of API_KEYS. */
export function newKey(name: string): { key: string; entry: string } {
  const key = `kritai_${randomBytes(32).toString("base64url")}`;
  return { key, entry: `${name}:${createHash("sha256").update(key).digest("hex")}` };
}

/** Shows a new key: the only time. */
export function showKey({ say, found }: Run, name: string, key: string): void {
  found.key = key;
  say(`\n  key "${name}", shown this once; it works when the next line says done:\n  ${key}\n`);
}

/** Those that a first deploy makes. */
export const MADE = ["API_KEYS", "TOKEN_SECRET"];

function wanted({ values, target, found, flags }: Run): { given: string[]; made: string[] } {
  const names = Object.keys(values.given()).filter((name) => !(name in target.vars));
  const given = names.filter((name) => !found.secrets.has(name) || flags.set.includes(name));
  const made = MADE.filter((name) => !found.secrets.has(name) && !given.includes(name));
  return { given, made };
}

export const secrets: Step = {
  name: "secrets",
  remedy: "look at what the login may do (Workers Scripts:Edit), and at the reason",
  async check(run) {
    const absent = run.flags.set.filter((name) => run.values.get(name) === undefined);
    if (absent.length > 0) throw new StepFault(`--set ${absent.join(", ")}: not given`, "give the new value");
    const { given, made } = wanted(run);
    if (given.length + made.length === 0) return { done: `${[...run.found.secrets].sort().join(", ")} are set` };
    return { todo: [...made.map((name) => `make ${name}`), ...given.map((name) => `set ${name}`)].join(", ") };
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
      say(`  TOKEN_SECRET, shown this once; npm run token makes tokens with it:\n  ${secret}\n`);
      values.set("TOKEN_SECRET", secret);
    }
    const all = [...given, ...made];
    await putSecrets(run, values.given(all));
    return `set ${all.join(", ")}`;
  },
};

/** Sets secrets; those that are not named stay. */
export async function putSecrets(run: Run, texts: Record<string, string>): Promise<void> {
  const fault = readEnv({ API_KEYS: texts.API_KEYS }).faults[0];
  if (fault !== undefined) throw new StepFault(`API_KEYS: ${fault.message}`, "give the present API_KEYS as it is set");
  orFault(await run.wrangler(["secret", "bulk"], JSON.stringify(texts)));
  for (const name of Object.keys(texts)) run.found.secrets.add(name);
  if (texts.API_KEYS !== undefined) run.values.note({ api_keys: texts.API_KEYS });
}
