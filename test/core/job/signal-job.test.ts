// Guarantees of a signal's job over random histories: neither the order of answers, nor how many are known
// before, nor whether equal groups share them, changes what is asked and answered.

import { expect, it } from "vitest";
import { firstSampleOf } from "../../../src/core/asking/purpose.ts";
import { comparedIn, type Question } from "../../../src/core/asking/questions.ts";
import { NO_FACTS, NOTHING, type Reading } from "../../../src/core/asking/readings.ts";
import { createPreparer, type PreparedGroup } from "../../../src/core/candidate/prepare.ts";
import { type PooledQuestion, QuestionPool } from "../../../src/core/job/question-pool.ts";
import { SignalJob } from "../../../src/core/job/signal-job.ts";
import { drained } from "../../../src/core/math/drained.ts";
import { createRandom, hashText } from "../../../src/core/math/random.ts";
import { compileSpec } from "../../../src/core/reward/compiled-spec.ts";
import { GroupSignals } from "../../../src/core/reward/group-signals.ts";
import { preparerRules } from "../../../src/core/reward/preparing.ts";
import { RewardsRequestSchema } from "../../../src/core/reward/requests.ts";
import { SpecSchema } from "../../../src/core/reward/signals-spec.ts";
import fc from "../../harness/property.ts";

const JUDGES: readonly object[] = [
  { schedule: "round_robin" },
  { schedule: "round_robin", both_orders: true, samples: 2, reask: 2 },
  { schedule: "round_robin", samples: { min: 1, max: 4, confidence: 0.9 }, both_orders: "when_close" },
  { schedule: "swiss", samples: 2, both_orders: "when_close" },
  { schedule: "knockout" },
  { schedule: "pivot", budget: { ratio: 0.7 }, reask: 1 },
  { mode: "listwise", schedule: "blocks", samples: 2 },
];

/** A verifier's answers, by content and sample number alone. */
interface Answers {
  seed: number;
  unreadable: number;
  failing: number;
}

interface History extends Answers {
  judge: object;
  groups: readonly (readonly number[])[];
  /** Draws which answer comes next, and which answers are known before. */
  order: number;
  known: number;
}

const textOf = (value: number) => `print(${value})`;

function preparedGroups(judge: object, groups: History["groups"]) {
  const spec = SpecSchema.parse({ candidate: { extract: "whole" }, judge });
  const compiled = compileSpec(spec, Math.max(...groups.map(({ length }) => length)));
  const request = RewardsRequestSchema.parse({
    groups: groups.map((values) => ({ prompt: "p", rollouts: values.map((value) => ({ text: textOf(value) })) })),
  });
  const prepare = createPreparer(preparerRules(compiled));
  return { compiled, prepared: request.groups.map((group, index) => prepare(group, index)) };
}

const shownIn = ({ texts }: Pick<PreparedGroup, "texts">, { shown }: Question) => shown.map((i) => texts[i] as string);

function readingsOf(shown: readonly string[], question: Question, { seed, unreadable, failing }: Answers): Reading[] {
  return Array.from({ length: question.samples }, (_, k): Reading => {
    const sample = firstSampleOf(question) + k;
    const random = createRandom(hashText("job", seed, ...[...shown].sort(), sample));
    const [luck, place] = [random(), random()];
    const facts = { ...NO_FACTS, ...NOTHING, sample };
    if (luck < failing) return { ...facts, status: null, code: "verifier_unavailable" };
    if (luck < failing + unreadable) return { ...facts, status: "no_box" };
    const best = [...shown].sort()[Math.floor(place * shown.length)] as string;
    return { ...facts, status: "ok", verdict: { kind: "letter", place: shown.indexOf(best) } };
  });
}

const keyOf = (group: Pick<PreparedGroup, "texts">, question: Question) =>
  JSON.stringify([shownIn(group, question), firstSampleOf(question), question.samples]);

/** Plays a history. @returns what each group asked, and every answer by key */
function played(history: History, before: ReadonlyMap<string, readonly Reading[]>) {
  const { compiled, prepared } = preparedGroups(history.judge, history.groups);
  const known = (key: string) => {
    const readings = before.get(key);
    return readings === undefined ? undefined : { readings, charged: true };
  };
  const pool = new QuestionPool({ keyOf: (_, group, question) => keyOf(group, question), known });
  const answered = new Map<string, readonly Reading[]>();
  const random = createRandom(hashText("order", history.order));
  const jobs = prepared.flatMap((group) =>
    drained(new GroupSignals(compiled, group, 0).advance()).map((signal) => new SignalJob(signal, pool)),
  );
  const open: { job: SignalJob; entry: PooledQuestion }[] = [];
  const proceed = (job: SignalJob) => {
    for (const entry of job.pending()) open.push({ job, entry });
  };
  for (const job of jobs) {
    const early = 1 + Math.floor(3 * random());
    job.start({ left: 100_000, early, goesOn: () => true, onProgress: () => proceed(job) });
  }
  while (open.length > 0) {
    const [{ job, entry }] = open.splice(Math.floor(random() * open.length), 1) as [(typeof open)[0]];
    const { group } = job.signal;
    const readings = readingsOf(shownIn(group, entry.question), entry.question, history);
    const key = keyOf(group, entry.question);
    expect(answered.has(key), `asked twice: ${key}`).toBe(false);
    answered.set(key, readings);
    entry.shared.readings.push(...readings);
    job.answer(entry);
  }
  expect(jobs.every(({ hasEnded }) => hasEnded)).toBe(true);
  // Groups that share answers may list them in different orders, depending on which group asked first.
  const results = jobs.map((job) => ({
    asked: job.asked
      .map(({ question: { purpose, shown }, readings }) => JSON.stringify([purpose, shown, readings]))
      .sort(),
    result: job.signal.plan.result(job.asked),
  }));
  return { results, answered };
}

const histories: fc.Arbitrary<History> = fc.record({
  judge: fc.constantFrom(...JUDGES),
  groups: fc
    .tuple(fc.uniqueArray(fc.nat(20), { minLength: 2, maxLength: 7 }), fc.nat(2))
    .map(([values, copies]) => [
      values,
      ...Array.from({ length: copies }, (_, k) => (k === 0 ? values : values.slice(1))),
    ])
    .map((groups) => groups.filter(({ length }) => length > 1)),
  seed: fc.nat(),
  unreadable: fc.constantFrom(0, 0.3),
  failing: fc.constantFrom(0, 0.2),
  order: fc.nat(),
  known: fc.constantFrom(0.3, 1),
});

it("asks and answers the same in any order of answers, and after a restart", () => {
  const check = (history: History) => {
    const first = played(history, new Map());
    const again = played({ ...history, order: history.order + 1 }, new Map());
    expect(again.results).toEqual(first.results);
    expect([...again.answered.keys()].sort()).toEqual([...first.answered.keys()].sort());
    const random = createRandom(hashText("known", history.order));
    const before = new Map([...first.answered].filter(() => random() < history.known));
    const restarted = played(history, before);
    expect(restarted.results).toEqual(first.results);
    expect(restarted.answered.size + before.size).toBe(first.answered.size);
  };
  fc.assert(fc.property(histories, check), { numRuns: 600 });
});

it("judges a group beside an equal one as it judges the group alone", () => {
  const check = (history: History) => {
    const alone = history.groups.map((values) => played({ ...history, groups: [values] }, new Map()).results[0]);
    expect(played(history, new Map()).results).toEqual(alone);
  };
  fc.assert(fc.property(histories, check), { numRuns: 200 });
});

it("keeps a comparison's questions apart from those of others", () => {
  const history = { judge: JUDGES[2] as object, groups: [[1, 2, 3]], seed: 1, unreadable: 0, failing: 0, order: 1 };
  const { results } = played({ ...history, known: 0 }, new Map());
  const pairs = new Set(results[0]?.asked.map((asked) => comparedIn({ shown: JSON.parse(asked)[1] })));
  expect(pairs.size).toBe(3);
});
