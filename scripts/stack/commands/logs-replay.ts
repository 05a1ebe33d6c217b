// Owns `npm run logs:replay -- --target URL`: puts a deployment's dead letters back on its queue
// and says what remains. Knows the API only from outside.
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { DeadLetterSummary, ReplayOutcome } from "../../../src/core/contract/dead-letter.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";

const USAGE = `npm run logs:replay -- --target http://127.0.0.1:8787 [--key KEY] [--limit 50] [--settle 30] [--dry-run]

Puts every dead letter of the run log back on its queue, oldest first, --limit in a call (default 50). Waits up to --settle seconds
(default 30) for letters to come back. --key, or the variable KRITAI_API_KEY, is a key with the scope logs, for its own letters; with admin too, for everybody's.
--dry-run only counts. Exit status: 0 when no letter remains, 1 when some do, 2 when it could not be asked.`;

const values = readFlags();
const settle_s = Number(values.settle);

try {
  const found = await summary();
  console.log(described(found));
  if (found.letters > 0 && !values["dry-run"]) await putBack();
  const left = values["dry-run"] ? found : await settled();
  if (left.letters > 0) end(1, `${left.letters} dead letter${left.letters === 1 ? " remains" : "s remain"}`);
  end(0, "no dead letter remains");
} catch (error) {
  end(2, error instanceof Error ? error.message : String(error));
}

/** The flags; a wrong one ends the process with what it must be. */
function readFlags() {
  const flags = parsedFlags();
  if (flags.help) end(0, USAGE);
  const { target = "", limit, settle } = flags;
  if (target === "") end(2, `--target is missing\n\n${USAGE}`);
  if (!/^https?:$/.test(URL.canParse(target) ? new URL(target).protocol : "")) {
    end(2, `--target must be an http or https URL, it is ${JSON.stringify(target)}`);
  }
  if (!/^[1-9]\d{0,5}$/.test(limit) || Number(limit) > LIMITS.replay_letters_max) {
    end(2, `--limit must be an integer from 1 to replay_letters_max = ${LIMITS.replay_letters_max}, it is ${limit}`);
  }
  if (!/^\d{1,6}(?:\.\d{1,3})?$/.test(settle)) end(2, `--settle must be a number of seconds from 0, it is ${settle}`);
  return flags;
}

function parsedFlags() {
  try {
    return parseArgs({
      options: {
        target: { type: "string" },
        key: { type: "string", default: process.env.KRITAI_API_KEY ?? "" },
        limit: { type: "string", default: "50" },
        settle: { type: "string", default: "30" },
        "dry-run": { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    end(2, `${(error as Error).message}\n\n${USAGE}`);
  }
}

async function putBack(): Promise<void> {
  let before: string | null = null;
  let total = 0;
  for (;;) {
    const body = { limit: Number(values.limit), before };
    const outcome: ReplayOutcome = await asked("/v1/logs/dead-letters/replay", body);
    before = outcome.before;
    total += outcome.replayed;
    console.log(`put back ${total}, ${outcome.remaining} to go`);
    if (outcome.remaining === 0 || outcome.replayed === 0) return;
  }
}

/**
 * Letters that are refused again come back within a batch or two; those that need more tries come
 * later, and are a later run's.
 */
async function settled(): Promise<DeadLetterSummary> {
  const until = Date.now() + settle_s * 1000;
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

async function asked<T>(path: string, body?: object): Promise<T> {
  const headers = {
    ...(values.key !== "" && { authorization: `Bearer ${values.key}` }),
    ...(body && { "content-type": "application/json" }),
  };
  const how = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(`${values.target?.replace(/\/+$/, "")}${path}`, how).catch((error: Error) => {
    const { code, message = error.message } = (error.cause ?? {}) as { code?: string; message?: string };
    throw new Error(`${values.target} cannot be reached: ${code ?? message}`);
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

function end(code: number, line: string): never {
  (code === 0 ? console.log : console.error)(line);
  process.exit(code);
}
