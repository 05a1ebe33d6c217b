// The seed of each generation: a number that depends only on the question. Shared by the edge's adapter and
// the GPU gateway.

import { hashText } from "../math/random.ts";
import type { PromptJob } from "./prompt-job.ts";
import type { PromptForm } from "./render.ts";

/**
 * Odd, so that multiplying by it permutes the 31-bit numbers: the samples of one comparison never
 * share a seed.
 */
const SAMPLE_STEP = 0x9e3779b1;

/**
 * Seeds in 0..2^31-1 (engines differ in what they take beyond) from the call's seed, the texts in
 * the order shown and the sample's number: equal work gets equal seeds, whatever its place in the
 * request. Each text is hashed once a job.
 */
export function createSeeds(
  call: { seed: number; prompt: string; form: PromptForm },
  job: PromptJob,
): (order: readonly number[], sample: number) => number {
  // As texts, which they are hashed as: once a job, not once a question.
  const base = hashText(call.seed, call.prompt, call.form, job.language ?? "", job.question).map(String);
  const texts = job.candidates.map((text) => hashText(text).map(String));
  return (order, sample) => {
    const shown = order.flatMap((index) => texts[index] ?? []);
    return (hashText(...base, ...shown)[0] + Math.imul(sample, SAMPLE_STEP)) & 0x7fffffff;
  };
}
