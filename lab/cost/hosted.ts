// The tokens that a step takes of a hosted model, and their price, by the formulas of POST /v1/specs/check.
import { type EstimatedJob, type TextLengths, TYPICAL_LENGTHS } from "../../src/core/asking/request-cost.ts";
import { knownUsd, type Prices, costOf as tokenCost } from "../../src/core/load/prices.ts";
import { compileSpec } from "../../src/core/reward/compiled-spec.ts";
import { costOf } from "../../src/core/reward/cost.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import { DECISION_APIS } from "../../src/core/wire/decision-apis.ts";
import { decisionRequestCost } from "../../src/verifier/decision/fitting.ts";

export interface HostedStep {
  generations: number;
  prompt_tokens: number;
  completion_tokens: number;
}

interface HostedSpec {
  groups: number;
  rollouts: number;
  preset: string;
  schedule: string;
  samples: number;
  max_tokens: number;
}

/**
 * A step's tokens, estimated from above for texts of typical lengths.
 * @throws Error if the schedule does not take groups of this size
 */
export function hostedStep({ groups, rollouts, ...judge }: HostedSpec): HostedStep {
  const compiled = compileSpec(SpecSchema.parse({ judge }), rollouts);
  const requestCost = (job: EstimatedJob, lengths: TextLengths) =>
    job.to === "decide" ? decisionRequestCost(job, lengths, DECISION_APIS["workers-ai"]) : {};
  const [cost] = Object.values(costOf(compiled, rollouts, { lengths: TYPICAL_LENGTHS, requestCost }));
  const { generations, prompt_tokens, completion_tokens } = cost ?? {};
  if (generations == null || prompt_tokens == null || completion_tokens == null)
    throw new Error(`${judge.schedule} does not take groups of ${rollouts} rollouts`);
  return {
    generations: groups * generations,
    prompt_tokens: groups * prompt_tokens,
    completion_tokens: groups * completion_tokens,
  };
}

/**
 * US dollars of a step.
 * @throws Error if the model has no price
 */
export function hostedUsd({ prompt_tokens, completion_tokens }: HostedStep, model: string, prices: Prices): number {
  const usd = knownUsd(tokenCost([{ model, asked: null, prompt_tokens, completion_tokens }], prices));
  if (usd === null) throw new Error(`PRICES has no price for the model ${model}`);
  return usd;
}
