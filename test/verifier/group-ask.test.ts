// Holds that a job's samples are reported exactly once whatever the gateway sends, and that asking
// for the rest after a cut never changes a majority.

import { describe, expect, it } from "vitest";
import type { JobQuestion } from "../../src/core/asking/questions.ts";
import type { Generation, VerifierJob } from "../../src/core/wire/questions.ts";
import { type VerifyEvent, VerifyRequestSchema } from "../../src/core/wire/verify-protocol.ts";
import { deadlineMs, verifyBody } from "../../src/verifier/gateway/body.ts";
import { GroupAsk } from "../../src/verifier/gateway/group-ask.ts";
import { samplesOf, saved, verdict } from "../harness/mock-gateway.ts";
import fc from "../harness/property.ts";
import { callWith, expectedKeys, reportedKeys } from "../port-contracts/verifier.contract.ts";

const call = callWith(new AbortController().signal);

/** The gateway's view of the request. */
const readBack = (ask: GroupAsk) =>
  VerifyRequestSchema.parse(JSON.parse(verifyBody(call, null, ask.body(), 1000) as string));

const questionOf = (candidates: number) =>
  fc.record({
    shown: fc.shuffledSubarray(
      Array.from({ length: candidates }, (_, i) => i),
      { minLength: 2, maxLength: Math.min(5, candidates) },
    ),
    samples: fc.integer({ min: 1, max: 9 }),
    stop: fc.constantFrom("majority" as const, "all" as const),
    first_sample: fc.nat({ max: 3 }),
  });

const jobs = fc
  .tuple(
    fc.array(fc.string({ unit: "binary" }), { minLength: 2, maxLength: 7 }),
    fc.string({ unit: "binary" }),
    fc.option(fc.constant("python")),
  )
  .chain(([candidates, question, language]) =>
    fc.array(questionOf(candidates.length), { minLength: 1, maxLength: 6 }).map(
      (list): VerifierJob => ({
        to: "chat",
        preset: "code-select",
        question,
        language,
        candidates,
        questions: list.map((question, at): JobQuestion => ({ id: 7 * at + 2, ...question })),
      }),
    ),
  );

const ABOUT = { to: "chat", preset: "code-select", question: "q", language: null } as const;

/** A question's texts, samples and stop, as asked. */
const meant = (job: VerifierJob) =>
  job.questions.map(({ shown, samples, first_sample, stop }) => ({
    shown: shown.map((index) => job.candidates[index]),
    samples,
    first_sample,
    stop: shown.length === 2 && samples > 1 ? stop : "all",
  }));

describe("the question", () => {
  it("is to go in its order only where the call says that its beginning is of use", () => {
    const shown = [
      [1, 0],
      [0, 2],
    ];
    const questions = shown.map((own, id): JobQuestion => ({ id, shown: own, samples: 1 }));
    const body = new GroupAsk({ ...ABOUT, candidates: ["a", "b", "c"], questions }, () => {}).body();
    const sent = (more: object) => JSON.parse(verifyBody({ ...call, ...more }, null, body, 1000) as string);
    expect(sent({ in_order: true }).in_order).toBe(true);
    expect(sent({})).not.toHaveProperty("in_order");
    expect(VerifyRequestSchema.parse(sent({})).in_order).toBe(false);
  });

  it("says what the job asks, each text once, and fits the protocol", () => {
    fc.assert(
      fc.property(jobs, (job) => {
        const [group] = readBack(new GroupAsk(job, () => {})).groups;
        expect(group).toMatchObject({ question: job.question, language: job.language });
        const asked = group?.comparisons.map(({ order, samples, first_sample, stop, max_tokens }) => ({
          shown: order.map((index) => group.candidates[index]),
          samples,
          first_sample,
          max_tokens,
          stop,
        }));
        expect(asked).toEqual(meant(job));
        const used = new Set(job.questions.flatMap(({ shown }) => shown));
        expect(group?.candidates).toEqual(job.candidates.filter((_, index) => used.has(index)));
      }),
    );
  });

  it("leaves out what equals the protocol's defaults", () => {
    const questions: JobQuestion[] = [
      { id: 4, shown: [0, 1], samples: 1, stop: "majority" },
      { id: 9, shown: [1, 0], samples: 3, stop: "majority", first_sample: 2 },
    ];
    const job = { ...ABOUT, candidates: ["a", "b"], questions };
    expect(new GroupAsk(job, () => {}).body().comparisons).toBe(
      '[{"id":0,"order":[0,1]},{"id":1,"order":[1,0],"samples":3,"first_sample":2,"stop":"majority"}]',
    );
  });

  it("gives the gateway the time that is left, at least 1 ms and at most its limit", () => {
    expect([deadlineMs(null, 5), deadlineMs(1500.4, 500), deadlineMs(100, 500), deadlineMs(1e9, 0)]).toEqual([
      600_000, 1000, 1, 600_000,
    ]);
  });
});

const tally = (reported: readonly Generation[]) => {
  const votes = { A: 0, B: 0 };
  for (const { answer } of reported) if (answer === "A" || answer === "B") votes[answer]++;
  return Math.sign(votes.A - votes.B);
};

/**
 * The gateway's answer to the next request: verdicts in `order`, samples saved once the rest of the
 * request cannot change its majority.
 */
function gatewayEvents(
  ask: GroupAsk,
  voteOf: (sample: number) => string,
  order: (n: number) => number[],
): VerifyEvent[] {
  const request = readBack(ask);
  const samples = samplesOf(request);
  const events: VerifyEvent[] = [];
  for (const { id, samples: count, stop } of request.groups[0]?.comparisons ?? []) {
    const own = samples.filter(({ comparison }) => comparison === id);
    let margin = 0;
    const turn = order(count);
    for (const [at, k] of turn.entries()) {
      const asked = own[k] as (typeof own)[0];
      const left = turn.slice(at).map((i) => (own[i] as typeof asked).sample);
      if (stop === "majority" && Math.abs(margin) > left.length) {
        events.push(saved(asked, left, 5));
        break;
      }
      const vote = voteOf(asked.sample);
      margin += vote === "A" ? 1 : vote === "B" ? -1 : 0;
      events.push(verdict(asked, { answer: vote }));
    }
  }
  return events;
}

describe("what is reported", () => {
  const votes = fc.array(fc.constantFrom("A", "B", "none"), { minLength: 9, maxLength: 9 });
  const turns = fc.array(fc.nat(), { minLength: 9, maxLength: 9 });
  const byTurn = (numbers: readonly number[]) => (n: number) =>
    Array.from({ length: n }, (_, i) => i).sort((a, b) => (numbers[a] as number) - (numbers[b] as number) || a - b);

  it("decides as all samples would, early stop and a cut anywhere included, each sample once", () => {
    const samples = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(votes, turns, turns, samples, fc.nat({ max: 9 }), (said, first, second, count, cutAfter) => {
        const question: JobQuestion = { id: 0, shown: [0, 1], samples: count, stop: "majority" };
        const job = { ...ABOUT, candidates: ["a", "b"], questions: [question] };
        const reported: Generation[] = [];
        const ask = new GroupAsk(job, (generation) => reported.push(generation));
        const voteOf = (sample: number) => said[sample] as string;
        const events = gatewayEvents(ask, voteOf, byTurn(first));
        ask.accepted();
        for (const event of events.slice(0, cutAfter)) expect(ask.take(event, 0)).toBe(true);
        expect(ask.mayAskAgain).toBe(ask.open > 0);
        if (ask.open > 0) {
          const rest = gatewayEvents(ask, voteOf, byTurn(second));
          ask.accepted();
          for (const event of rest) expect(ask.take(event, 0)).toBe(true);
        }
        expect(ask.open).toBe(0);
        ask.finish("verifier_bad_reply", 0);
        expect(reportedKeys(reported).sort()).toEqual(expectedKeys(job).sort());
        const all = said.slice(0, count).map((answer) => ({ answer }) as Generation);
        expect(tally(reported)).toBe(tally(all));
      }),
      { numRuns: 500 },
    );
  });

  it("is each sample exactly once under any events, doubled, foreign and missing ones included", () => {
    fc.assert(
      fc.property(jobs, fc.array(fc.tuple(fc.nat(), fc.nat(4)), { maxLength: 60 }), (job, moves) => {
        const reported: Generation[] = [];
        const ask = new GroupAsk(job, (generation) => reported.push(generation));
        const samples = samplesOf(readBack(ask));
        ask.accepted();
        for (const [at, kind] of moves) {
          const asked = samples[at % samples.length] as (typeof samples)[0];
          const about = { group_id: asked.group_id, comparison: asked.comparison };
          const error = { type: "error", ...about, sample: asked.sample, code: "verifier_rejected" } as const;
          if (kind === 0) expect(ask.take(verdict(asked), 1)).toBe(true);
          if (kind === 1) expect(ask.take({ ...error, retryable: false }, 1)).toBe(true);
          if (kind === 2) expect(ask.take({ ...error, retryable: true }, 1)).toBe(true);
          if (kind === 3) expect(ask.take(verdict({ ...asked, comparison: 99 }), 1)).toBe(false);
          if (kind === 4) expect(ask.take(verdict({ ...asked, group_id: "other" }), 1)).toBe(false);
        }
        ask.finish("verifier_unavailable", 0);
        expect(reportedKeys(reported).sort()).toEqual(expectedKeys(job).sort());
      }),
    );
  });

  it("never is a saved sample where early stop was not asked for", () => {
    const questions: JobQuestion[] = [{ id: 0, shown: [0, 1], samples: 3, stop: "all" }];
    const reported: Generation[] = [];
    const job = { ...ABOUT, candidates: ["a", "b"], questions };
    const ask = new GroupAsk(job, (generation) => reported.push(generation));
    const [asked] = samplesOf(readBack(ask)) as [ReturnType<typeof samplesOf>[0]];
    expect(ask.take(saved(asked, [1, 2]), 0)).toBe(false);
    expect(reported).toEqual([]);
  });
});
