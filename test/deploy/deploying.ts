// `npm run deploy` as a person runs it, with the real wrangler, against stand-ins for Cloudflare, Neon and a
// judge. Nothing leaves the machine.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { temporaryFolder } from "../e2e/temporary-folder.ts";
import { answer, status } from "../harness/mock-behaviours.ts";
import { startMockVerifier } from "../harness/mock-verifier.ts";
import { ACCOUNT, CloudflareStandIn } from "./cloudflare-stand-in.ts";
import { startDatabaseStandIn } from "./database-stand-in.ts";

/** The key that a run showed. */
export const shownKey = (output: string) => /kritai_[\w-]{43}/.exec(output)?.[0] ?? "";

/** A place to deploy to, empty at first. */
export async function startPlace() {
  const folder = temporaryFolder();
  const judging = { down: false };
  const judge = await startMockVerifier(() => (judging.down ? status(401) : answer("\\boxed{A}")));
  const database = await startDatabaseStandIn();
  const cloud = await new CloudflareStandIn(folder.path, database.vars).listen();
  const given = { DATABASE_URL: database.url, VERIFIER_URL: judge.url, VERIFIER_MODEL: "mock-model" };
  const calls: (readonly string[])[] = [];
  const notes = `${folder.path}/deployed.json`;

  /** Runs the command with these flags; variables that are undefined are not set. */
  async function run(flags: readonly string[], variables: Record<string, string | undefined> = {}) {
    const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
    calls.push(flags);
    const all = {
      ...{ PATH, NODE_COMPILE_CACHE, HOME: folder.path, WRANGLER_SEND_METRICS: "false" },
      // Where it would keep the account for whoever deploys next from here.
      WRANGLER_CACHE_DIR: `${folder.path}/wrangler`,
      // wrangler looks for newer versions of itself there.
      npm_config_registry: cloud.api,
      ...{ CLOUDFLARE_API_BASE_URL: cloud.api, CLOUDFLARE_API_TOKEN: "token", ...given, ...variables },
    };
    const env = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const where = ["--url", cloud.address, "--notes", notes, "--wait", "30"];
    const main = ["scripts/deploy/main.ts", ...where, ...flags];
    const child = spawn(process.execPath, main, { env: env as NodeJS.ProcessEnv, stdio: ["ignore", "pipe", "pipe"] });
    const before = cloud.changes.length;
    const [stdout, stderr, status] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number | null>((ended) => void child.once("close", ended)),
    ]);
    return { status, output: stdout + stderr, changes: cloud.changes.slice(before) };
  }

  return {
    ...{ run, calls, cloud, database, judging, given, account: ACCOUNT },
    notes: () => readFileSync(notes, "utf8"),
    async close() {
      await cloud.close();
      await database.close();
      await judge.close();
      folder.remove();
    },
  };
}
