// Defines what the early-stop benchmark asks: groups of labelled programs, their arrivals, and how a reply is
// read and decided.

import { type AskedQuestion, outcomesOf } from "../../src/core/asking/asked-questions.ts";
import { FIRST } from "../../src/core/asking/purpose.ts";
import { type Reading, readAnswer } from "../../src/core/asking/readings.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { decide, type PairResult } from "../../src/core/tournament/decision.ts";
import type { VerifyEvent, VerifyGroup, VerifyRequestInput } from "../../src/core/wire/verify-protocol.ts";

export type Stop = "majority" | "all";

/**
 * How a group's pass rates are drawn: `even` in [0, 1), or `polarised` by the arcsine law, most
 * near 0 or near 1, as those of a policy that has either understood a problem or not.
 */
export type Rates = "even" | "polarised";

export interface GroupSize {
  rollouts: number;
  samples: number;
}

const PROGRAM_LINES_700_TOKENS = 52;
/** The gateway's clock is not scaled: this is as long as the protocol allows. */
const DEADLINE_MS = 600_000;
const SAMPLING = { temperature: 0.6, top_p: 0.95, max_tokens: 16_384 };

/** How many pairs a group has. */
export const pairsOf = ({ rollouts }: GroupSize): number => (rollouts * (rollouts - 1)) / 2;

/**
 * A program of some 700 tokens (2.8 KB) with its pass rate in the label that the simulator judges
 * by.
 */
export function programOf(id: string, rollout: number, rates: Rates): string {
  const even = createRandom(hashText("early-stop", id, rollout))();
  const rate = rates === "even" ? even : Math.sin((even * Math.PI) / 2) ** 2;
  const lines = Array.from(
    { length: PROGRAM_LINES_700_TOKENS },
    (_, line) => `        total += (value * ${line + rollout}) % ${7 + rollout}  # ${id} line ${line} of ${rollout}`,
  );
  return `# pass_rate=${rate.toFixed(4)}\ndef solve(values):\n    for value in values:\n${lines.join("\n")}\n    return total\n`;
}

export const questionOf = (id: string) =>
  `Problem ${id}. Given n numbers, print their weighted total modulo a prime.\n`.repeat(16);

/**
 * One request: every pair of a group's programs once, the lower index shown first. Texts depend on
 * `id` and `rates` alone.
 */
export function verifyBody(id: string, { rollouts, samples }: GroupSize, stop: Stop, rates: Rates = "even"): string {
  const comparisons: VerifyGroup["comparisons"] = [];
  for (let i = 0; i < rollouts; i++) {
    for (let j = i + 1; j < rollouts; j++) {
      comparisons.push({ id: comparisons.length, order: [i, j], samples, first_sample: 0, stop });
    }
  }
  const group: VerifyGroup = {
    group_id: id,
    question: questionOf(id),
    language: "python",
    candidates: Array.from({ length: rollouts }, (_, rollout) => programOf(id, rollout, rates)),
    comparisons,
  };
  const request = { deadline_ms: DEADLINE_MS, groups: [group], prompt: "code-select", sampling: SAMPLING };
  return JSON.stringify(request satisfies VerifyRequestInput);
}

/**
 * Moments of a Poisson process with the given mean gap, from 0 on, in the gap's unit; the first at
 * 0.
 */
export function arrivals(count: number, meanGap: number, seed: number): number[] {
  const random = createRandom(hashText("arrivals", seed));
  let at = 0;
  return Array.from({ length: count }, (_, n) => {
    if (n > 0) at -= Math.log(1 - random()) * meanGap;
    return at;
  });
}

/** One sample's verdict, and its cost. */
export type Vote = Pick<Reading, "verdict" | "completion_tokens">;

export interface Reply {
  /** `pairs[i][j]`: rollout i against rollout j, by the edge's own `decide`. */
  pairs: PairResult[][];
  /** Samples left out or cut short. */
  saved: number;
  completion_tokens: number;
  /** Votes of each comparison, by sample number. */
  votes: Vote[][];
}

/** The events of a reply's text. */
export const eventsOf = (text: string): VerifyEvent[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as VerifyEvent);

/** Reads a whole reply. @throws Error unless every sample is accounted for and none failed */
export function readReply(events: readonly VerifyEvent[], size: GroupSize): Reply {
  const done = events.at(-1);
  const generations = pairsOf(size) * size.samples;
  if (done?.type !== "done" || done.usage.failed > 0 || done.usage.generations !== generations) {
    throw new Error(`incomplete reply to ${generations} generations; it ends with ${JSON.stringify(done)}`);
  }
  const asked = askedOf(events, size);
  const seen = asked.reduce((sum, { readings }) => sum + readings.length, 0);
  if (seen + done.usage.saved !== generations)
    throw new Error(`${seen} verdicts and ${done.usage.saved} saved samples`);
  const questions = asked.map(({ question }) => question);
  const { pairs } = decide(size.rollouts, "pairwise", questions, outcomesOf(asked));
  const votes = asked.map(({ readings }) => [...readings].sort((a, b) => a.sample - b.sample));
  return { pairs, saved: done.usage.saved, completion_tokens: done.usage.completion_tokens, votes };
}

function askedOf(events: readonly VerifyEvent[], { rollouts, samples }: GroupSize): AskedQuestion[] {
  const questionFields = { to: "chat", preset: "code-select", purpose: FIRST } as const;
  const asked: (AskedQuestion & { readings: Reading[] })[] = [];
  for (let i = 0; i < rollouts; i++) {
    for (let j = i + 1; j < rollouts; j++) {
      asked.push({ question: { ...questionFields, shown: [i, j], samples }, charged: true, readings: [] });
    }
  }
  for (const event of events) {
    if (event.type !== "verdict") continue;
    const { answer, thinking, finish_reason, sample, prompt_tokens, completion_tokens, total_ms } = event;
    const reading = readAnswer({ answer, thinking, finish_reason, error: null }, 2, "exact_match");
    const read = {
      ...reading,
      sample,
      finish_reason,
      prompt_tokens,
      completion_tokens,
      latency_ms: total_ms,
      model: null,
      backend: null,
    };
    asked[event.comparison]?.readings.push(read);
  }
  return asked;
}

/** Pairs with the same result in both, of one group. */
export function samePairs(reply: Reply, other: Reply): number {
  let same = 0;
  reply.pairs.forEach((row, i) => {
    row.forEach((result, j) => {
      if (i < j && result === other.pairs[i]?.[j]) same++;
    });
  });
  return same;
}
