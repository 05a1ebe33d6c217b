// Owns the guarantees of `judge.think`: what few tokens left open is as if it had been asked with
// all at once, every token is counted, and a failure costs no verdict but its own.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GroupResult } from "../../src/core/contract/replies.ts";
import { createRandom, hashText, shuffled } from "../../src/core/math/random.ts";
import { type SpecInput, SpecSchema } from "../../src/core/signals/flat-spec.ts";
import { RewardsRequestSchema } from "../../src/core/signals/requests.ts";
import type { Generation } from "../../src/core/wire/questions.ts";
import type { Verifier } from "../../src/scoring/ports.ts";
import type { KnownReadings, ReadingJournal } from "../../src/scoring/reading-journal.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { fixedClock } from "../harness/fakes.ts";

const FIRST = 100;
const THEN = 1000;
const THINK = { think: { first: FIRST, then: THEN } };
/** Beyond every number that a first asking has. */
const FRESH = 512;

type Said = "first" | "second" | "nothing" | "failure";
/** What the verifier says of two texts in this order, by the sample's number, and its tokens. */
type Mind = (shown: readonly string[], sample: number) => { said: Said; tokens: number };

interface AskedSample {
  shown: string;
  sample: number;
  max_tokens: number;
}

const text = (i: number) => `print(${i})`;

/** By the order shown and the sample's number alone, as an engine's seed is. */
const mindOf =
  (seed: number, mute: number, failing: number): Mind =>
  (shown, sample) => {
    const random = createRandom(hashText("mind", seed, ...shown, sample));
    const chance = random();
    const said = chance < failing ? "failure" : chance < failing + mute ? "nothing" : null;
    return { said: said ?? (random() < 0.5 ? "first" : "second"), tokens: 1 + Math.floor(random() * 2 * FIRST) };
  };

const WORDS = { first: "\\boxed{A}", second: "\\boxed{B}", nothing: "I cannot say.", failure: null };

/** A verifier of this mind that stops at the tokens it is given, and answers in a seeded order. */
function verifierOf(mind: Mind, seed: number, asked: AskedSample[] = []): Verifier {
  const stats = { headers_waiting_max: 0, in_flight_max: 0, requests: 0, retries: 0 };
  return {
    protocol: "fake",
    generations_max: 8192,
    check: async () => ({ ok: true, latency_ms: 0 }),
    session: (call) => ({
      stats,
      async judge(job, sink) {
        const told = job.questions.flatMap(({ id, shown, samples, first_sample = 0, max_tokens = call.max_tokens }) =>
          Array.from({ length: samples }, (_, k): Generation => {
            const texts = shown.map((i) => job.candidates[i] as string);
            const sample = first_sample + k;
            asked.push({ shown: texts.join(), sample, max_tokens });
            const { said, tokens } = mind(texts, sample);
            const base = { question: id, sample, prompt_tokens: 1, latency_ms: 1, thinking: "closed" as const };
            if (said === "failure") {
              return {
                ...base,
                answer: null,
                error: "verifier_unavailable",
                finish_reason: null,
                completion_tokens: 0,
              };
            }
            if (tokens > max_tokens) {
              const cut = { answer: "", thinking: "unclosed" as const, finish_reason: "length" };
              return { ...base, ...cut, error: null, completion_tokens: max_tokens };
            }
            return { ...base, answer: WORDS[said], error: null, finish_reason: "stop", completion_tokens: tokens };
          }),
        );
        for (const generation of shuffled(told, createRandom(hashText("order", seed, told.length)))) {
          await new Promise<void>((resolve) => setImmediate(resolve));
          sink(generation);
        }
      },
    }),
  };
}

async function scored(
  n: number,
  judge: NonNullable<SpecInput["judge"]>,
  verifier: Verifier,
  journal?: ReadingJournal,
): Promise<GroupResult> {
  const rollouts = Array.from({ length: n }, (_, i) => ({ text: text(i) }));
  const request = RewardsRequestSchema.parse({ groups: [{ prompt: "p", rollouts }] });
  const spec = SpecSchema.parse({ candidate: { extract: "whole" }, judge });
  const kept = journal !== undefined && { journal };
  const about = { request, spec, started_ms: 0, signal: new AbortController().signal, ...kept };
  const { reply } = await scoreBatch({ verifier, clock: fixedClock() }, about);
  return reply.groups[0] as GroupResult;
}

interface Pair {
  a: number;
  b: number;
  /** Votes for a less those for b; null where nothing was read. */
  margin: number | null;
}

/** A pair by the rule of docs/schedules.md, written down once more; both orders, no more samples. */
function pairBy(mind: Mind, a: number, b: number, samples: number, asked: AskedSample[]): Pair & { whole: number } {
  const orders = [
    [a, b],
    [b, a],
  ] as const;
  const all = orders.flatMap((order) => Array.from({ length: samples }, (_, sample) => ({ order, sample })));
  const votes: number[] = [];
  const ask = ({ order, sample }: (typeof all)[number], max_tokens: number) => {
    const shown = order.map(text);
    asked.push({ shown: shown.join(), sample, max_tokens });
    const { said, tokens } = mind(shown, sample);
    const read = tokens <= max_tokens && (said === "first" || said === "second");
    if (read) votes.push((said === "first") === (order[0] === a) ? 1 : -1);
    return { read, failed: said === "failure", cut: said !== "failure" && tokens > max_tokens };
  };
  const short = all.map((one) => ({ one, ...ask(one, FIRST) }));
  const outcome = votes.length === 0 ? null : (1 + votes.reduce((sum, vote) => sum + vote, 0) / votes.length) / 2;
  if (outcome === null || (outcome >= 0.35 && outcome <= 0.65)) {
    const unread = short.filter(({ read, failed }) => !read && !failed);
    const again = unread.length > 0 || outcome === null ? unread : short;
    for (const { one, cut } of again) ask({ ...one, sample: cut ? one.sample : one.sample + FRESH }, THEN);
  }
  const whole = all.reduce((sum, { order, sample }) => {
    const { said } = mind(order.map(text), sample);
    return said === "first" || said === "second" ? sum + ((said === "first") === (order[0] === a) ? 1 : -1) : sum;
  }, 0);
  return { a, b, margin: votes.length === 0 ? null : votes.reduce((sum, vote) => sum + vote, 0), whole };
}

const nameOf = ({ shown, sample, max_tokens }: AskedSample) => `${shown} ${sample} ${max_tokens}`;

describe("judge.think", () => {
  it("asks what the rule says, counts every token, and leaves undecided only what nobody read", async () => {
    const mute = fc.constantFrom(0, 0.2, 1);
    const cases = [fc.nat(), fc.integer({ min: 2, max: 5 }), fc.integer({ min: 1, max: 4 }), mute] as const;
    await fc.assert(
      fc.asyncProperty(...cases, fc.constantFrom(0, 0.3), async (seed, n, samples, silent, failing) => {
        const mind = mindOf(seed, silent, failing);
        const asked: AskedSample[] = [];
        const judge = { ...THINK, both_orders: true, samples, reask: 0 };
        const group = await scored(n, judge, verifierOf(mind, seed, asked));
        const expected: AskedSample[] = [];
        const pairs = Array.from({ length: n }, (_, a) => a).flatMap((a) =>
          Array.from({ length: n - a - 1 }, (_, k) => pairBy(mind, a, a + 1 + k, samples, expected)),
        );
        expect(asked.map(nameOf).sort()).toEqual(expected.map(nameOf).sort());
        group.rollouts.forEach((rollout, r) => {
          const own = pairs.filter(({ a, b }) => a === r || b === r);
          const margins = own.map(({ a, margin }) => (margin === null ? null : a === r ? margin : -margin));
          expect(rollout.wins).toBe(margins.filter((margin) => margin !== null && margin > 0).length);
          expect(rollout.undecided).toBe(margins.filter((margin) => margin === null).length);
          // An undecided pair that is a jamming rival's doing costs no reward.
          if (rollout.undecided === 0) expect(rollout.reward).not.toBeNull();
        });
        const { generations, parsed, unparsed, failed, cut_short, completion_tokens, comparisons } = group.verifier;
        const spent = expected.map(({ shown, sample, max_tokens }) => {
          const { said, tokens } = mind(shown.split(","), sample);
          return said === "failure" ? 0 : Math.min(tokens, max_tokens);
        });
        expect(completion_tokens).toBe(spent.reduce((sum, tokens) => sum + tokens, 0));
        expect(generations).toBe(expected.length);
        expect(parsed + unparsed + failed + (cut_short as number)).toBe(generations);
        expect(comparisons).toBe(n * (n - 1));
      }),
      { numRuns: 120 },
    );
  });

  it("comes to the verdict of all tokens at once for whatever pair it asked again because it was cut", async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 1, max: 4 }), async (seed, samples) => {
        const mind = mindOf(seed, 0, 0);
        const asked: AskedSample[] = [];
        const both = { both_orders: true, samples };
        const group = await scored(4, { ...THINK, ...both }, verifierOf(mind, seed, asked));
        const whole = await scored(4, { max_tokens: THEN, ...both }, verifierOf(mind, seed));
        const cutPairs = new Set(
          asked
            .filter(({ sample, max_tokens }) => max_tokens === THEN && sample < FRESH)
            .map(({ shown }) => shown.split(",").sort().join()),
        );
        const isAllCut = (r: number) =>
          [0, 1, 2, 3].every((other) => other === r || cutPairs.has([text(r), text(other)].sort().join()));
        group.rollouts.forEach(({ wins, ties }, r) => {
          if (!isAllCut(r)) return;
          expect({ wins, ties }).toEqual({ wins: whole.rollouts[r]?.wins, ties: whole.rollouts[r]?.ties });
        });
        for (const pair of cutPairs) {
          const [a, b] = [0, 1, 2, 3].filter((i) => pair.split(",").includes(text(i))) as [number, number];
          const { margin, whole: all } = pairBy(mind, a, b, samples, []);
          expect(margin).toBe(all);
          compared++;
        }
      }),
      { numRuns: 60 },
    );
    expect(compared).toBeGreaterThan(20);
  });

  it("keeps both askings of a sample apart in a journal, and asks neither twice", async () => {
    const mind: Mind = () => ({ said: "first", tokens: FIRST + 1 });
    const known = new Map<string, KnownReadings>();
    const journal: ReadingJournal = {
      known: (key) => known.get(key),
      onReadings: (key, readings) => void known.set(key, { readings, own: true }),
    };
    const asked: AskedSample[] = [];
    const before = await scored(3, THINK, verifierOf(mind, 1, asked), journal);
    expect(asked.map(({ max_tokens }) => max_tokens).sort()).toEqual([FIRST, FIRST, FIRST, THEN, THEN, THEN].sort());
    expect(known.size).toBe(6);
    expect([...known.keys()].filter((key) => key.endsWith(`:0+1@${FIRST}`))).toHaveLength(3);
    expect([...known.keys()].filter((key) => key.endsWith(":0+1"))).toHaveLength(3);
    const again = await scored(3, THINK, verifierOf(mind, 1, asked), journal);
    expect(asked).toHaveLength(6);
    expect(again.rollouts).toEqual(before.rollouts);
  });
});
