// `npm run demo`: scores the example programs on an embedded stack and reads the log back. With JUDGE it
// scores example texts or agent runs instead.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandFlags } from "../../command-line/flags.ts";
import { secondsSince } from "../demo-client.ts";

commandFlags({
  command: "demo",
  description:
    "Starts a temporary stack, scores the example groups pairwise and listwise, and reads the results back from the log.",
  variables: {
    JUDGE:
      "a judge preset (docs/judges.md); with it the demo scores example texts or agent runs, by default with a simulated judge",
    VERIFIER_URL:
      "with JUDGE: the URL of a real model to judge; see also VERIFIER_MODEL, VERIFIER_PROTOCOL, VERIFIER_API_KEY",
  },
});

const judge = await judgeAsked();
// The imports below come late because these modules take long to load.
console.log("Starting a stack: the Worker, a database and a verifier.");
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
    `The stack runs at ${stack.url} after ${secondsSince(started)}: edge in workerd, ${stack.parts.verifier}, ${stack.parts.database}.`,
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

/** The preset that JUDGE names; null: judge the programs. */
async function judgeAsked(): Promise<string | null> {
  if (!process.env.JUDGE) return null;
  try {
    return (await import("../judge.ts")).textJudge(process.env.JUDGE);
  } catch (error) {
    return fail([(error as Error).message]);
  }
}

/** Prints one line per fault and exits with 1. */
function fail(messages: readonly string[]): never {
  for (const message of messages) console.error(`kritai: ${message}`);
  process.exit(1);
}

/** JUDGE and the VERIFIER_ variables of the environment; the demo sets everything else itself. */
function judgeEnv(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(?:JUDGE$|VERIFIER_)/.test(name)));
}
