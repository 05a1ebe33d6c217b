// Writes made-up runs into the log, scored and logged by the product's own code, with a judge whose name says
// that it is made up.

import type { RewardsRequest } from "../../src/core/reward/requests.ts";
import type { Spec } from "../../src/core/reward/spec.ts";
import type { Generation, VerifierJob } from "../../src/core/wire/questions.ts";
import { simulatedName } from "../../src/core/wire/simulated-model.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createRequestIds } from "../../src/platform/request-ids.ts";
import type { Verifier } from "../../src/ports/ports.ts";
import type { RunLog } from "../../src/ports/run-log.ts";
import { createNeonRunLog } from "../../src/run-log/neon.ts";
import { completeJudging } from "../../src/scoring/complete-judging.ts";
import { scoreAndLog } from "../../src/scoring/score-and-log.ts";

const STEP_MS = 240_000;
const MODEL = simulatedName("made-up-judge");

/** The answer to one question, and a random source for its latency. */
type Said = (job: VerifierJob, shown: readonly number[], sample: number) => { answer: string; random: () => number };

/** A made-up judge, marked as simulated. */
export const madeUpJudge = (said: Said): Verifier => ({
  protocol: "made-up",
  simulated: true,
  generations_max: 8192,
  session: () => ({
    stats: { headers_waiting_max: 1, in_flight_max: 1, requests: 0, retries: 0 },
    async judge(job, sink) {
      for (const { id, shown, samples, first_sample = 0 } of job.questions) {
        for (let sample = first_sample; sample < first_sample + samples; sample++) {
          const { answer, random } = said(job, shown, sample);
          const chars = shown.reduce((sum, i) => sum + (job.candidates[i] as string).length, 0);
          const generation: Generation = {
            question: id,
            sample,
            answer,
            thinking: "none",
            finish_reason: "stop",
            error: null,
            prompt_tokens: 200 + Math.round(chars / 4),
            completion_tokens: Math.round(answer.length / 4),
            latency_ms: Math.round(700 + 600 * random()),
            model: MODEL,
            backend: MODEL,
          };
          sink(generation);
        }
      }
    },
  }),
  check: async () => ({ ok: true, latency_ms: 0 }),
});

/** The Worker's database variables, and the key that owns the run; null: no key. */
export interface ExamplePlace {
  vars: Readonly<Record<string, string>>;
  key_name: string | null;
}

export interface MadeUpRun {
  run_id: string;
  steps: number;
  judge: Verifier;
  requestAt(step: number): RewardsRequest;
  specAt(step: number): Spec;
}

/** Writes the run's missing steps into the log. @returns the number of steps written */
export function writeRun({ vars, key_name }: ExamplePlace, made: MadeUpRun): Promise<number> {
  const [databaseUrl = "", fetchEndpoint] = [vars.DATABASE_URL, vars.DATABASE_FETCH_ENDPOINT];
  return writeInto(createNeonRunLog({ databaseUrl, fetchEndpoint, clock: systemClock }), key_name, made);
}

/** Writes the missing steps into `runLog`, dated so that the last step has just ended. */
export async function writeInto(runLog: RunLog, key_name: string | null, made: MadeUpRun): Promise<number> {
  const { run_id, steps, judge, requestAt, specAt } = made;
  const found = await runLog.run({ owner: key_name ?? "", run_id });
  const first = found === null ? 0 : (found.last_step ?? -1) + 1;
  const began_ms = Date.now() - steps * STEP_MS;
  const nextId = createRequestIds(() => Date.now());
  for (let step = first; step < steps; step++) {
    const clock = { ...systemClock, date: () => new Date(began_ms + (step + 1) * STEP_MS) };
    const deps = completeJudging({ verifier: judge, runLog, clock, timers: clock, report: () => {} });
    const scope = { id: nextId(), started_ms: clock.now(), key_name, verifier_ms: 0, store_ms: 0 };
    const { reply } = await scoreAndLog(deps, scope, requestAt(step), specAt(step), new AbortController().signal);
    if (reply.logged !== true) throw new Error(`step ${step} of ${run_id} was not logged: ${reply.warnings}`);
  }
  return Math.max(0, steps - first);
}
