// `npm run logs -- replay --target URL`: puts a deployment's dead letters back on its queue and reports how
// many remain. Uses only the public API.
import { setTimeout as sleep } from "node:timers/promises";
import type { DeadLetterSummary, ReplayOutcome } from "../../../src/core/contract/dead-letter.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { commandFlags } from "../../command-line/flags.ts";
import { deploymentReply } from "../deployment-reply.ts";
import { thrownText } from "../log-line.ts";

const isWeb = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const { target, key, limit, settle, ...flags } = commandFlags({
  command: "logs replay",
  call: "npm run logs -- replay",
  description:
    "Puts every dead letter of the run log back on its queue, oldest first, and waits for letters that fail again. Exit status: 0 if no dead letter remains, 1 if some remain, 2 if a request to the deployment failed.",
  numbers: {
    limit: { min: 1, max: LIMITS.replay_letters_max, value: 50, whole: true, help: "dead letters per request" },
    settle: { min: 0, max: 86_400, value: 30, help: "seconds to wait for dead letters that fail again" },
  },
  texts: {
    target: {
      value: "",
      required: true,
      fault: (text) => (isWeb(text) ? null : "must be an http or https URL"),
      help: "the deployment's URL, such as http://127.0.0.1:8787",
    },
    key: {
      value: "",
      secret: true,
      help: "an API key with the scope logs, for its own dead letters, or admin, for all; instead of KRITAI_API_KEY",
    },
  },
  switches: { "dry-run": "only counts the dead letters" },
  variables: { KRITAI_API_KEY: "the API key, if --key is not given" },
});
const sent_key = key || (process.env.KRITAI_API_KEY ?? "");
const dry = flags["dry-run"];

try {
  const found = await summary();
  console.log(described(found));
  if (found.letters > 0 && !dry) await putBack();
  const left = dry ? found : await settled();
  if (left.letters > 0) end(1, `${left.letters} dead letter${left.letters === 1 ? " remains" : "s remain"}`);
  end(0, "no dead letter remains");
} catch (error) {
  end(2, thrownText(error));
}

async function putBack(): Promise<void> {
  let before: string | null = null;
  let total = 0;
  for (;;) {
    const body = { limit: limit, before };
    const outcome: ReplayOutcome = await asked("/v1/logs/dead-letters/replay", body);
    before = outcome.before;
    total += outcome.replayed;
    console.log(`put back ${total} dead letters, ${outcome.remaining} remain`);
    if (outcome.remaining === 0 || outcome.replayed === 0) return;
  }
}

/**
 * Waits for letters that fail again at once, within a batch or two. Letters that fail only after more retries
 * are left to a later call of this command.
 */
async function settled(): Promise<DeadLetterSummary> {
  const until = Date.now() + settle * 1000;
  let left = await summary();
  while (left.letters === 0 && Date.now() < until) {
    await sleep(Math.min(500, Math.max(0, until - Date.now())));
    left = await summary();
  }
  return left;
}

function summary(): Promise<DeadLetterSummary> {
  return asked("/v1/logs/dead-letters");
}

function described({ letters, bytes, first_at, last_at, reasons }: DeadLetterSummary): string {
  const why = reasons.map(({ reason, letters: count }) => `${reason} ${count}`).join(", ");
  return letters === 0
    ? "there are no dead letters"
    : `${letters} dead letters, ${bytes} characters, from ${first_at} to ${last_at}: ${why}`;
}

function asked<T>(path: string, body?: object): Promise<T> {
  return deploymentReply({ target, key: sent_key }, body === undefined ? "GET" : "POST", path, body);
}

function end(code: number, line: string): never {
  (code === 0 ? console.log : console.error)(line);
  process.exit(code);
}
