// Early stop is exact: whatever the verdicts and whatever the order they come in, the pair's result
// is that of waiting for all.

import { describe, expect, it } from "vitest";
import type { EngineAnswer } from "../../gpu-backend/gateway/engines/port.ts";
import { Ballot } from "../../gpu-backend/gateway/scheduling/early-stop.ts";
import { type Draw, Job } from "../../gpu-backend/gateway/scheduling/job.ts";
import { type AskedQuestion, outcomesOf } from "../../src/core/asking/asked-questions.ts";
import { FIRST } from "../../src/core/asking/purpose.ts";
import { readAnswer } from "../../src/core/asking/readings.ts";
import { decide, type PairResult } from "../../src/core/tournament/decision.ts";
import type { VerifyEvent, VerifyRequest } from "../../src/core/wire/verify-protocol.ts";
import fc from "../harness/property.ts";
import { failing, voteFor } from "./fake-pool.ts";
import { asked, comparison, group, only, reported, request } from "./requests.ts";

const scores = (text: string): EngineAnswer => voteFor("", { answer: `\\boxed{[${text}]}` });

const LETTERS: EngineAnswer[] = [
  voteFor("A"),
  voteFor("B"),
  voteFor("Z"),
  voteFor("A", { finish_reason: "length" }),
  voteFor("B", { thinking: "unclosed" }),
  voteFor("", { answer: "I cannot tell." }),
  failing("verifier_unavailable"),
  failing("verifier_rejected", { retryable: false }),
];
const SCORES: EngineAnswer[] = [
  scores("9, 2"),
  scores("1, 10"),
  scores("5, 5"),
  scores("11, 3"),
  failing("verifier_overloaded"),
];

/** The edge's decision on the pair, from the answers it would have got. */
function edgeResult(answers: readonly EngineAnswer[], form: VerifyRequest["form"]): PairResult {
  const question = {
    to: "chat",
    preset: "code-select",
    purpose: FIRST,
    shown: [0, 1],
    samples: answers.length,
  } as const;
  const readings = answers.map(({ answer, thinking, finish_reason, error }, sample) => ({
    sample,
    ...readAnswer({ answer: error === null ? answer : null, thinking, finish_reason, error }, 2, form),
    finish_reason,
    prompt_tokens: 0,
    completion_tokens: 0,
    latency_ms: 0,
    model: null,
    backend: null,
  }));
  const judged: AskedQuestion[] = [{ question, charged: true, readings }];
  return decide(2, "pairwise", [question], outcomesOf(judged)).pairs[0]?.[1] as PairResult;
}

const cases = fc
  .record({
    form: fc.constantFrom("exact_match" as const, "scores" as const),
    samples: fc.integer({ min: 1, max: 17 }),
    parallel: fc.integer({ min: 1, max: 17 }),
  })
  .chain(({ form, samples, parallel }) => {
    const kinds = form === "scores" ? SCORES : LETTERS;
    // Weighted to one side, so that early decisions are common.
    const answers = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant(kinds[0]) }, fc.constantFrom(...kinds)), {
      minLength: samples,
      maxLength: samples,
    }) as fc.Arbitrary<EngineAnswer[]>;
    const finishing = fc.array(fc.nat(), { minLength: samples, maxLength: samples });
    const healed = fc.array(fc.constantFrom(...kinds), { minLength: samples, maxLength: samples });
    return fc.record({
      form: fc.constant(form),
      parallel: fc.constant(parallel),
      spare: fc.boolean(),
      answers,
      healed,
      finishing,
    });
  });

describe("early stop", () => {
  it("gives the result of waiting for all, for any verdicts in any order of finishing, each sample reported once", () => {
    const counts = { runs: 0, saved: 0 };
    fc.assert(
      fc.property(cases, ({ form, answers, healed, finishing, parallel, spare }) => {
        const asks = request([group("g", 2, [comparison(0, [0, 1], { samples: answers.length, stop: "majority" })])], {
          form,
        });
        const events: VerifyEvent[] = [];
        const emit = (event: VerifyEvent) => events.push(event);
        const job = new Job(asks, { tenant: "one", arrived_at: 0, now: () => 0, emit, full: () => false });
        const next = () => job.peek("needed") ?? (spare ? job.peek("spare") : null);
        const running: Draw[] = [];
        for (let step = 0; job.open > 0; step++) {
          for (let work = next(); work !== null && running.length < parallel; work = next()) {
            running.push(job.draw(work));
          }
          // Never stuck: what is undecided and does not run has a sample that is needed.
          expect(running.length).toBeGreaterThan(0);
          const [draw] = running.splice((finishing[step % finishing.length] as number) % running.length, 1);
          job.settle(draw as Draw, answers[(draw as Draw).sample] as EngineAnswer);
        }
        const named = only(events, "verdict").map(({ sample }) => sample);
        const heard = answers.filter((_, sample) => named.includes(sample));
        const failed = only(events, "error").map(({ sample }) => sample);
        const heardAnd = (others: readonly EngineAnswer[]) =>
          edgeResult([...heard, ...failed.map((sample) => others[sample] as EngineAnswer)], form);
        expect(heardAnd(answers)).toBe(edgeResult(answers, form));
        // Nor does it matter what the edge hears when it asks the failed ones again, here or of
        // another backend.
        const later = answers.map((one, sample) => (one.retryable ? (healed[sample] as EngineAnswer) : one));
        expect(heardAnd(later)).toBe(edgeResult(later, form));
        expect(reported(events)).toEqual(asked(asks));
        expect(only(events, "saved").length).toBeLessThanOrEqual(1);
        expect(job.needed).toBe(0);
        counts.runs++;
        counts.saved += only(events, "saved").length;
      }),
      { numRuns: 2_000, verbose: false },
    );
    // The property is not vacuous: many of these were decided early.
    expect(counts.saved).toBeGreaterThan(counts.runs / 4);
  });

  it("needs at first no more samples than an undisputed majority takes, and one more with each dissent", () => {
    const ballot = new Ballot(8, "majority");
    expect(ballot.needed).toBe(5);
    for (let i = 0; i < 5; i++) ballot.send();
    expect(ballot.needed).toBe(0);
    ballot.settle(0);
    expect(ballot.needed).toBe(0);
    ballot.settle(1);
    expect(ballot.needed).toBe(1);
    expect(ballot.decided).toBe(false);
  });

  it("never stops while a tie is possible", () => {
    const ballot = new Ballot(4, "majority");
    for (let i = 0; i < 4; i++) ballot.send();
    ballot.settle(0);
    ballot.settle(0);
    expect(ballot.decided).toBe(false);
    ballot.settle(null);
    expect(ballot.decided).toBe(true);
  });

  it("holds on while a sample that may be asked again could make a tie possible", () => {
    const ballot = new Ballot(4, "majority");
    for (let i = 0; i < 3; i++) ballot.send();
    ballot.settle("lost");
    ballot.settle(0);
    ballot.settle(0);
    expect(ballot.decided).toBe(false);
    expect(ballot.needed).toBe(1);
  });

  it("never leaves a sample out when all are asked for", () => {
    const ballot = new Ballot(3, "all");
    expect(ballot.needed).toBe(3);
    for (let i = 0; i < 3; i++) ballot.send();
    ballot.settle(0);
    ballot.settle(0);
    expect(ballot.decided).toBe(false);
  });
});
