// Owns the guarantees of questions given up because no outcome can matter of any more: the result
// is that of waiting for all, whatever came first and whatever was ended in time.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GroupResult } from "../../src/core/contract/replies.ts";
import type { Reading } from "../../src/core/judges/readings.ts";
import { createRandom, hashText, shuffled } from "../../src/core/math/random.ts";
import { type SpecInput, SpecSchema } from "../../src/core/signals/flat-spec.ts";
import { RewardsRequestSchema } from "../../src/core/signals/requests.ts";
import type { Generation, VerifierJob } from "../../src/core/wire/questions.ts";
import type { Verifier } from "../../src/scoring/ports.ts";
import type { ReadingJournal } from "../../src/scoring/reading-journal.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { fixedClock } from "../harness/fakes.ts";

const program = (value: number) => `print(${value})`;
const printed = (text: string) => Number(/\d+/.exec(text)?.[0]);
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

type Answer = (shown: readonly string[], sample: number) => string | null;

/** The larger value mostly wins; some answers cannot be read, some fail. */
const luckily =
  (seed: number, luck: number, mute: number, failing: number): Answer =>
  (shown, sample) => {
    const random = createRandom(hashText("luck", seed, ...[...shown].sort(), sample));
    if (random() < failing) return null;
    if (random() < mute) return "I cannot say.";
    const [best, worst] = [...shown].sort((a, b) => printed(b) - printed(a)) as [string, string];
    return `\\boxed{${"AB"[shown.indexOf(random() < luck ? worst : best)]}}`;
  };

interface Ended {
  /** Samples told as saved, since their question had become obsolete. */
  saved: number;
  /** Samples told whole although it had. */
  late: number;
}

/**
 * Tells samples in a shuffled order, in every second job those of the best first, between turns; what
 * became obsolete before it was told is ended with a share of `ends`, having cost one token, else
 * told late.
 */
function anyhow(seed: number, answer: Answer, ends: number, ended: Ended = { saved: 0, late: 0 }): Verifier {
  let jobs = 0;
  const judge = async (job: VerifierJob, sink: (generation: Generation) => void) => {
    const random = createRandom(hashText("order", seed, jobs++));
    const all = job.questions.flatMap(({ samples, first_sample = 0, ...about }) =>
      Array.from({ length: samples }, (_, k) => ({ ...about, sample: first_sample + k })),
    );
    const line = shuffled(all, random);
    const best = Math.max(...job.candidates.map(printed));
    const isFirst = ({ shown }: { shown: readonly number[] }) =>
      shown.some((i) => printed(job.candidates[i] as string) === best);
    if (random() < 0.5) line.sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
    for (const { id, shown, sample, obsolete } of line) {
      while (random() < 0.5) await turn();
      const about = { question: id, sample, thinking: "none" as const, latency_ms: 1 };
      if (obsolete?.aborted === true && random() < ends) {
        ended.saved++;
        const nothing = { answer: null, error: null, saved: true, finish_reason: null };
        sink({ ...about, ...nothing, prompt_tokens: 0, completion_tokens: 1 });
        continue;
      }
      if (obsolete?.aborted === true) ended.late++;
      const texts = shown.map((i) => job.candidates[i] as string);
      const said = answer(texts, sample);
      const failed = said === null ? ("verifier_unavailable" as const) : null;
      const told = { answer: said, error: failed, finish_reason: said === null ? null : "stop" };
      sink({ ...about, ...told, prompt_tokens: 3, completion_tokens: 5 });
    }
  };
  const stats = { headers_waiting_max: 0, in_flight_max: 0, requests: 0, retries: 0 };
  const session = () => ({ stats, judge });
  return { protocol: "fake", generations_max: 8192, session, check: async () => ({ ok: true, latency_ms: 0 }) };
}

async function scored(
  groups: readonly (readonly number[])[],
  judge: SpecInput["judge"],
  verifier: Verifier,
  journal: ReadingJournal | null = null,
): Promise<GroupResult[]> {
  const request = RewardsRequestSchema.parse({
    groups: groups.map((values) => ({ prompt: "p", rollouts: values.map((value) => ({ text: program(value) })) })),
  });
  const spec = SpecSchema.parse({ candidate: { extract: "whole" }, judge, reward: "top1" });
  const about = { request, spec, started_ms: 0, signal: new AbortController().signal };
  const deps = { verifier, clock: fixedClock(), ...(journal !== null && { journal }) };
  return (await scoreBatch(deps, about)).reply.groups;
}

/** All but what hangs on when a cut came: tokens and times. */
const judged = (groups: GroupResult[]) =>
  groups.map(({ verifier: { prompt_tokens, completion_tokens, latency_ms, ...rest }, ...group }) => ({
    ...group,
    ...rest,
  }));

const withoutUse = (groups: GroupResult[]) =>
  groups.map(({ verifier: _, metrics, ...rest }) => ({ ...rest, ...metrics, parse_rate: null }));

describe.each([
  ["one vote a pair", { both_orders: false }],
  ["both orders, asked again where unread", { both_orders: true, samples: 2, reask: 1 }],
  ["samples until sure", { samples: { min: 1, max: 4, confidence: 0.9 }, both_orders: true }],
  ["within a budget of generations", { budget: { ratio: 0.6 }, both_orders: false }],
] as [string, SpecInput["judge"]][])("the schedule winner, %s", (_, more) => {
  const judge = { ...more, schedule: "winner" } as SpecInput["judge"];

  it("comes to the same reply whatever came first and whatever was ended", async () => {
    const check = async (group: number[], seed: number, luck: number, mute: number, failing: number) => {
      const answer = luckily(seed, luck, mute, failing);
      const expected = await scored([group], judge, anyhow(0, answer, 0));
      for (const [order, ends] of [
        [1, 1],
        [2, 0.5],
        [3, 1],
      ] as const) {
        const other = await scored([group], judge, anyhow(seed + order, answer, ends));
        expect(judged(other)).toEqual(judged(expected));
      }
    };
    const share = fc.constantFrom(0, 0, 0.2);
    const values = fc.array(fc.nat(99), { minLength: 2, maxLength: 14 });
    const property = fc.asyncProperty(values, fc.nat(), fc.constantFrom(0, 0.1, 0.4), share, share, check);
    await fc.assert(property, { numRuns: 25 });
  });

  it("gives every group what it has alone, where groups share questions", async () => {
    const check = async (group: number[], seed: number, luck: number) => {
      const answer = luckily(seed, luck, 0, 0);
      const groups = [group, [...group].reverse(), group.slice(1), group.slice(0, -2)].filter(
        ({ length }) => length > 1,
      );
      const together = await scored(groups, judge, anyhow(seed, answer, 1));
      const alone = await Promise.all(groups.map(async (one) => scored([one], judge, anyhow(seed, answer, 1))));
      const named = alone.flat().map((one, g) => ({ ...one, group_id: together[g]?.group_id as string }));
      expect(withoutUse(together)).toEqual(withoutUse(named));
    };
    const values = fc.uniqueArray(fc.nat(99), { minLength: 4, maxLength: 8 });
    await fc.assert(fc.asyncProperty(values, fc.nat(), fc.constantFrom(0, 0.3), check), { numRuns: 12 });
  });
});

it("finds in a wave under way what cannot matter any more, and says so to the verifier", async () => {
  const ended: Ended = { saved: 0, late: 0 };
  const group = Array.from({ length: 12 }, (_, value) => value);
  for (let seed = 0; seed < 8; seed++) {
    const answer = luckily(seed, 0.3, 0, 0);
    for (const ends of [0, 1]) await scored([group], { schedule: "winner" }, anyhow(seed, answer, ends, ended));
  }
  expect(ended.saved).toBeGreaterThan(0);
  expect(ended.late).toBeGreaterThan(0);
});

describe("a journal", () => {
  it("holds no answer to what was ended, and a second run of what it holds comes to the same reply", async () => {
    const group = Array.from({ length: 12 }, (_, i) => i);
    const ended: Ended = { saved: 0, late: 0 };
    for (let seed = 0; seed < 8; seed++) {
      const answer = luckily(seed, 0.1, 0, 0);
      const kept = new Map<string, readonly Reading[]>();
      const journal: ReadingJournal = {
        known: (key) => (kept.has(key) ? { readings: kept.get(key) ?? [], own: true } : undefined),
        onReadings: (key, readings) => kept.set(key, readings),
      };
      const first = await scored([group], { schedule: "winner" }, anyhow(seed, answer, 1, ended), journal);
      expect([...kept.values()].flat().filter(({ saved }) => saved)).toEqual([]);
      const again = await scored([group], { schedule: "winner" }, anyhow(seed + 50, answer, 1), journal);
      expect(judged(again)).toEqual(judged(first));
    }
    expect(ended.saved).toBeGreaterThan(0);
  });
});
