// Guarantees that combinations of spec, contract, size and judge keep their replies, their log rows and the bodies
// sent to the engine, byte for byte but for ids. `RECORD=1 npm test -- test/recorded/combinations.test.ts` records
// anew; `RECORD_OUT=FOLDER` writes each case whole, so that two commits can be compared by `diff -r`.

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import { setUp } from "../api/routes/harness.ts";
import { VirtualTime } from "../harness/virtual-time.ts";
import { CASES, type RecordedCase } from "./combinations.ts";
import { recordedJudge } from "./recorded-judge.ts";

const FILE = new URL("../vectors/recorded-combinations.jsonl", import.meta.url);

interface Recorded {
  name: string;
  /** Status, and the body, or its digest where it is longer than `WHOLE_CHARS`. */
  replies: [number, string][];
  /** How many different bodies the engine was sent, and their digest. */
  asked: [number, string];
  /** How many rows the log was given, and their digest. */
  logged: [number, string];
}

const WHOLE_CHARS = 1_500;
const digest = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
const short = (text: string) => (text.length > WHOLE_CHARS ? digest(text) : text);

/** ULIDs, and what they are part of, differ from run to run; virtual time shows in no record. */
const settled = (text: string) =>
  text
    .replace(/01[0-9A-HJKMNP-TV-Z]{24}\b/g, "ULID")
    .replace(/"(total|verifier|overhead|latency_ms|p50|p99|max|created|created_at|completed_at)":[\d.]+/g, '"$1":0');

async function record({
  judge,
  steps,
}: RecordedCase): Promise<{ replies: [number, string][]; asked: string[]; logged: string[] }> {
  const engine = recordedJudge(judge);
  const time = new VirtualTime();
  const clock = { ...time.clock, now: () => 0, date: () => new Date(Date.UTC(2026, 10, 27)) };
  const verifier = createOpenAiVerifier(
    { url: "http://127.0.0.1/v1", model: "recorded", apiKey: null, fetch: engine.fetch, random: () => 0.5 },
    clock,
  );
  const { call, runLog } = setUp({ verifier, clock, timers: time.clock });
  const replies: [number, string][] = [];
  const sent = async () => {
    for (const requests of steps) {
      const answers = await Promise.all(
        requests.map(async ({ method = "POST", path, headers = {}, body }) => {
          const response = await call(path, {
            method,
            headers: { "content-type": "application/json", ...headers },
            body: JSON.stringify(body),
          });
          // A reply that had begun is broken off where its content would be a failure.
          const text = await response.text().catch((fault: Error) => `(${fault.message})`);
          return [response.status, settled(text)] as [number, string];
        }),
      );
      replies.push(...answers);
    }
  };
  await time.until(sent, 25);
  return { replies, asked: engine.bodies(), logged: runLog.entries.map((entry) => settled(JSON.stringify(entry))) };
}

test("every combination keeps its replies, log rows and questions", async () => {
  const out = process.env.RECORD_OUT;
  if (out !== undefined) mkdirSync(out, { recursive: true });
  const lines: string[] = [];
  for (const [i, one] of CASES.entries()) {
    const { replies, asked, logged } = await record(one);
    if (out !== undefined)
      writeFileSync(
        `${out}/${String(i).padStart(3, "0")}.json`,
        JSON.stringify({ name: one.name, replies, asked, logged }, null, 1),
      );
    const line: Recorded = {
      name: one.name,
      replies: replies.map(([status, text]) => [status, short(text)]),
      asked: [asked.length, digest(asked.join("\n"))],
      logged: [logged.length, digest(logged.join("\n"))],
    };
    lines.push(JSON.stringify(line));
  }
  if (process.env.RECORD === "1") writeFileSync(FILE, `${lines.join("\n")}\n`);
  const before = readFileSync(FILE, "utf8").trimEnd().split("\n");
  expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
  const changed = lines.flatMap((line, i) => (line === before[i] ? [] : [CASES[i]?.name]));
  expect(changed).toEqual([]);
  expect(lines).toHaveLength(before.length);
});
