// The seed of each generation, which depends only on the question. Shared by the edge's adapter and the GPU
// gateway.

import { hashText } from "../math/random.ts";
import type { PromptJob } from "./prompt-job.ts";
import type { PromptForm } from "./render.ts";

/**
 * An odd multiplier permutes the 31-bit numbers, so that the samples of one comparison never share a seed.
 */
const SAMPLE_STEP = 0x9e3779b1;

/**
 * Creates a function that returns seeds in 0..2^31-1, because engines differ in whether they accept larger
 * ones. A seed depends on the request's seed, the texts in the order shown and the sample's number, so that
 * equal questions get equal seeds at any position in the request. Each text is hashed once per job.
 */
export function createSeeds(
  call: { seed: number; prompt: string; form: PromptForm },
  job: PromptJob,
): (order: readonly number[], sample: number) => number {
  // Converted once per job, not once per question, to the strings that `hashText` expects.
  const base = hashText(call.seed, call.prompt, call.form, job.language ?? "", job.question).map(String);
  const texts = job.candidates.map((text) => hashText(text).map(String));
  return (order, sample) => {
    const shown = order.flatMap((index) => texts[index] ?? []);
    return (hashText(...base, ...shown)[0] + Math.imul(sample, SAMPLE_STEP)) & 0x7fffffff;
  };
}
