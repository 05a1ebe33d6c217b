// The benchmark of scoring itself: a whole batch through `scoreBatch` with a verifier that answers at once.

import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import type { VerifierJob } from "../../src/core/wire/questions.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Clock, Verifier } from "../../src/ports/ports.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { type Figure, repeated } from "./figures.ts";
import { type Batch, comparisonsOf, rewardsRequest } from "./loads.ts";

export const clock: Clock = systemClock;
const ANSWERS = ["\\boxed{A}", "\\boxed{B}", "I prefer neither."];

/** Answers every sample in the call itself; the letter depends on the comparison's number only. */
export const instantVerifier: Verifier = {
  protocol: "instant",
  generations_max: 65_536,
  session: () => ({
    stats: { headers_waiting_max: 0, in_flight_max: 0, requests: 0, retries: 0 },
    async judge({ questions }: VerifierJob, sink) {
      for (const { id, samples } of questions) {
        for (let sample = 0; sample < samples; sample++) {
          sink({
            question: id,
            sample,
            answer: ANSWERS[(id + sample) % ANSWERS.length] as string,
            thinking: "closed",
            finish_reason: "stop",
            error: null,
            prompt_tokens: 900,
            completion_tokens: 8,
            latency_ms: 1,
          });
        }
      }
    },
  }),
  check: async () => ({ ok: true, latency_ms: 0 }),
};

/** Milliseconds of this process's CPU a batch, garbage collection and hashing threads included. */
export async function benchScoring(batch: Batch, rounds: number): Promise<Figure[]> {
  const body = JSON.stringify(rewardsRequest(batch));
  // Every third answer chooses no candidate; asking those again would measure another number of comparisons
  // than the name says.
  const spec = SpecSchema.parse({ judge: { reask: 0 } });
  const score = async () => {
    const request = RewardsRequestSchema.parse(JSON.parse(body));
    const before = process.cpuUsage();
    const { session: _, ...scored } = await scoreBatch(
      { verifier: instantVerifier, clock },
      { request, spec, started_ms: clock.now(), signal: new AbortController().signal },
    );
    const { user, system } = process.cpuUsage(before);
    const asked = scored.reply.groups.reduce((sum, { verifier }) => sum + verifier.generations, 0);
    if (asked !== comparisonsOf(batch)) throw new Error(`${asked} generations, expected ${comparisonsOf(batch)}`);
    return (user + system) / 1000;
  };
  const name = `scoring ${batch.groups} x ${batch.rollouts} pairwise, ${comparisonsOf(batch)} comparisons, instant verifier`;
  return [await repeated(name, "ms CPU", { max: 250 }, rounds, score)];
}
