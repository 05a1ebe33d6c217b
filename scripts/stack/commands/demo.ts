// `npm run demo`: the embedded stack scores the example programs, or with JUDGE the example texts or agents'
// runs in a preset's words, and the log is read back.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandFlags } from "../../command-line/flags.ts";
import { secondsSince } from "../demo-client.ts";

commandFlags({
  command: "demo",
  description:
    "Starts a stack for itself, has the example groups scored pairwise and listwise, and reads the log back.",
  variables: {
    JUDGE:
      "a preset of docs/judges.md: it judges example texts that are no programs, or agents' runs, played by the engine simulator",
    VERIFIER_URL: "beside JUDGE: who judges instead, with VERIFIER_MODEL, VERIFIER_PROTOCOL, VERIFIER_API_KEY",
  },
});

const judge = await judgeAsked();
// Modules that take longest to load come only once they are of use.
console.log("Starting a stack: the Worker, its database, its verifier.");
const env = judge === null ? {} : judgeEnv();
const { startFaults } = await import("../preflight.ts");
const faults = await startFaults(env, { host: "127.0.0.1", port: 0, dataDir: null });
if (faults.length > 0) fail(faults.map(({ path, message }) => `${path}: ${message}`));
const { startStack } = await import("../stack.ts");

const dataDir = mkdtempSync(join(tmpdir(), "kritai-demo-"));
const started = performance.now();
const stack = await startStack({ host: "127.0.0.1", port: 0, dataDir, env });
try {
  console.log(
    `The stack is up at ${stack.url} after ${secondsSince(started)}: edge in workerd, ${stack.parts.verifier}, ${stack.parts.database}.`,
  );
  if (judge === null) await (await import("../program-demo.ts")).showPrograms(stack);
  else if ((await import("../judge.ts")).judgesRuns(judge))
    await (await import("../agents-demo.ts")).showAgents(stack, judge);
  else await (await import("../text-demo.ts")).showTexts(stack, judge);
  console.log(`Done in ${secondsSince(started)}.`);
} finally {
  await stack.close();
  rmSync(dataDir, { recursive: true, force: true });
}
process.exit(0);

/** The preset that JUDGE names; null where the programs are to be judged. */
async function judgeAsked(): Promise<string | null> {
  if (!process.env.JUDGE) return null;
  try {
    return (await import("../judge.ts")).textJudge(process.env.JUDGE);
  } catch (error) {
    return fail([(error as Error).message]);
  }
}

/** A line a fault, and the end. */
function fail(messages: readonly string[]): never {
  for (const message of messages) console.error(`kritai: ${message}`);
  process.exit(1);
}

/** The variables of the environment that say who judges; the rest of the stack is the demo's own. */
function judgeEnv(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(?:JUDGE$|VERIFIER_)/.test(name)));
}
