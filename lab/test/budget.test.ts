// Checks the hot parts of a comparison against a CPU budget, as ratios to a baseline of the same run: reading,
// writing and hashing the same text. Absolute times are left to the benchmark.
import { expect, it } from "vitest";
import { createQuestionWriter } from "../../src/core/judges/question-json.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import { AnswerBuilder } from "../../src/core/wire/chat-answer.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { rewardsRequest } from "../bench/loads.ts";
import { clock, instantVerifier } from "../bench/scoring.ts";

const BODY = JSON.stringify(rewardsRequest({ groups: 8, rollouts: 16, thoughts: 1000 }));
const SPEC = SpecSchema.parse({ judge: { reask: 0 } });

function floor(): number {
  let hash = 0;
  for (let times = 0; times < 12; times++) {
    const text = JSON.stringify(JSON.parse(BODY));
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 2654435761);
  }
  return hash;
}

/** A batch of 960 pairs with a verifier that answers at once. */
async function score(): Promise<void> {
  const request = RewardsRequestSchema.parse(JSON.parse(BODY));
  const signal = new AbortController().signal;
  await scoreBatch({ verifier: instantVerifier, clock }, { request, spec: SPEC, started_ms: clock.now(), signal });
}

/** The questions of eight groups of 16, as bytes. */
function write(): void {
  const [group] = rewardsRequest({ groups: 1, rollouts: 16, thoughts: 0 }).groups;
  if (group === undefined) throw new Error("no group");
  const job = {
    question: group.prompt,
    language: "python",
    candidates: group.rollouts.map(({ text }) => text),
  };
  for (let group = 0; group < 8; group++) {
    const writing = createQuestionWriter("code-select", "exact_match", job);
    for (let i = 0; i < 16; i++) for (let j = 0; j < i; j++) Buffer.from(writing([i, j]));
  }
}

const chunk = (delta: object, finish_reason: string | null) =>
  JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });
const EVENTS = [
  chunk({ role: "assistant", content: "" }, null),
  chunk({ content: "\\boxed{A}" }, null),
  chunk({}, "stop"),
];

/** 4,000 short answers. */
function read(): void {
  for (let n = 0; n < 4_000; n++) {
    const answer = new AnswerBuilder();
    for (const event of EVENTS) answer.event(event);
    answer.result();
  }
}

const WORK = { floor, score, write, read };
/** Over the floor; measured 2.1 to 2.6, 0.6 to 0.9 and 0.45 to 0.65 beside other work on two cores. */
const MOST = { score: 4, write: 1.5, read: 1 };
const ROUNDS_LEAST = 6;
const ROUNDS_MOST = 30;

async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

it("scoring, writing questions and reading answers keep to their share of CPU", async () => {
  const least = { floor: Number.POSITIVE_INFINITY, score: 0, write: 0, read: 0 };
  const names = Object.keys(WORK) as (keyof typeof WORK)[];
  const parts = Object.keys(MOST) as (keyof typeof MOST)[];
  const over = () => parts.filter((part) => least[part] / least.floor > MOST[part]);
  // Neighbours' use of the caches only adds: over more rounds the least comes nearer to the truth.
  for (let round = 0; round < ROUNDS_MOST && (round < ROUNDS_LEAST || over().length > 0); round++) {
    for (const name of names) {
      const spent = await cpuMs(WORK[name]);
      least[name] = round === 0 ? spent : Math.min(least[name], spent);
    }
  }
  console.info(parts.map((part) => `${part} ${(least[part] / least.floor).toFixed(2)}`).join(", "), "x the floor");
  expect(over()).toEqual([]);
});
