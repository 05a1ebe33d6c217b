// The guarantees of comparisons that go on by themselves: nothing waits for an unrelated answer. That no result
// depends on which answer came first: tournament-properties.test.ts.

import { describe, expect, it } from "vitest";
import type { GroupResult } from "../../src/core/contract/group-reply.ts";
import type { SpecInput } from "../../src/core/reward/flat-spec.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import type { Generation, VerifierJob } from "../../src/core/wire/questions.ts";
import type { Verifier } from "../../src/ports/ports.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { fixedClock } from "../harness/fakes.ts";

const program = (value: number) => `print(${value})`;
const UNTIL_SURE = { samples: { min: 1, max: 6, confidence: 0.9 } };

type Answer = (shown: readonly string[], sample: number) => string | null;

/** Every sample of a job: who was shown, and how it is reported. */
function samplesOf(job: VerifierJob, answer: Answer, sink: (generation: Generation) => void) {
  return job.questions.flatMap(({ id, shown, samples, first_sample = 0 }) =>
    Array.from({ length: samples }, (_, k) => {
      const sample = first_sample + k;
      const texts = shown.map((i) => job.candidates[i] as string);
      const said = answer(texts, sample);
      const told = { answer: said, error: said === null ? ("verifier_unavailable" as const) : null };
      const cost = { prompt_tokens: 3, completion_tokens: sample + 1, latency_ms: 1 };
      const ended = { thinking: "none" as const, finish_reason: said === null ? null : "stop" };
      return { texts, sample, tell: () => sink({ question: id, sample, ...told, ...ended, ...cost }) };
    }),
  );
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function verifierOf(judge: (job: VerifierJob, sink: (generation: Generation) => void) => Promise<void>): Verifier {
  const stats = { headers_waiting_max: 0, in_flight_max: 0, requests: 0, retries: 0 };
  const session = () => ({ stats, judge });
  return { protocol: "fake", generations_max: 8192, session, check: async () => ({ ok: true, latency_ms: 0 }) };
}

async function scored(
  groups: readonly (readonly number[])[],
  spec: SpecInput,
  verifier: Verifier,
): Promise<GroupResult[]> {
  const request = RewardsRequestSchema.parse({
    groups: groups.map((values) => ({ prompt: "p", rollouts: values.map((value) => ({ text: program(value) })) })),
  });
  const parsed = SpecSchema.parse({ candidate: { extract: "whole" }, ...spec });
  const about = { request, spec: parsed, started_ms: 0, signal: new AbortController().signal };
  return (await scoreBatch({ verifier, clock: fixedClock() }, about)).reply.groups;
}

describe("a comparison whose answers ask for more", () => {
  it("goes on while another of its wave has not been answered", async () => {
    const held = Promise.withResolvers<void>();
    const asked: string[] = [];
    const isSlow = (texts: readonly string[]) => texts.includes(program(1)) && texts.includes(program(2));
    const verifier = verifierOf(async (job, sink) => {
      const all = samplesOf(job, (shown) => `\\boxed{${shown[0] === [...shown].sort()[0] ? "A" : "B"}}`, sink);
      for (const { texts, sample } of all) asked.push(`${[...texts].sort().join(" ")} ${sample}`);
      for (const { texts, tell } of all) if (!isSlow(texts)) tell();
      if (all.some(({ texts }) => isSlow(texts))) await held.promise;
      for (const { texts, tell } of all) if (isSlow(texts)) tell();
    });
    const running = scored([[1, 2, 3]], { judge: UNTIL_SURE }, verifier);
    // One vote does not make a majority sure: more samples of the pairs that were answered.
    while (!asked.some((one) => one === "print(1) print(3) 1")) await turn();
    expect(asked.some((one) => one.startsWith("print(2) print(3) "))).toBe(true);
    expect(asked.filter((one) => one.startsWith("print(1) print(2) "))).toEqual(["print(1) print(2) 0"]);
    held.resolve();
    const [group] = await running;
    expect(group?.status).toBe("ok");
    expect(group?.verifier.why?.sure).toBeGreaterThan(0);
  });
});
