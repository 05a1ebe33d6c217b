// The made-up run that the demo and `npm start -- --example` write into the log: a policy learns that its
// judge prefers long answers. Scored and logged by the product's own code.
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import type { VerifierJob } from "../../src/core/wire/questions.ts";
import { type ExamplePlace, type MadeUpRun, madeUpJudge, writeRun } from "./made-up-run.ts";

export const EXAMPLE_RUN = "example-length-hack";
export const EXAMPLE_STEPS = 60;

const GROUPS = 4;
const ROLLOUTS = 5;
const TESTS = 8;
/** From this step on the judge has another temperature, so that the run has a second spec. */
const COOLER_FROM = 20;

const specAt = (step: number) =>
  SpecSchema.parse({
    judge: { temperature: step < COOLER_FROM ? 0.6 : 0.3, max_tokens: 1024 },
    log_texts: true,
    log_verdicts: true,
  });

/** How far the policy has learnt to write at length, 0 to 1. */
const learntAt = (step: number) => 1 / (1 + Math.exp((38 - step) / 3));

function rollout(step: number, random: () => number) {
  const learnt = learntAt(step);
  const passed = Math.max(0, Math.min(TESTS, Math.round(5.5 - 3.5 * learnt + (4 - 3 * learnt) * (random() - 0.5))));
  const lines = 10 + Math.floor(4 * random() + 40 * learnt * random());
  const padding = Array.from({ length: lines }, (_, i) => `    # Note ${i + 1}: what the line above does, once more.`);
  const program = [
    `def solve_${Math.floor(random() * 1e6)}(values):`,
    `    # Made up: passes ${passed} of ${TESTS} hidden tests.`,
    "    return sorted(values)",
    ...padding,
  ].join("\n");
  // Early in training the policy sometimes forgets the code block.
  const forgets = random() < 0.2 * Math.exp(-step / 12);
  const unfenced = "I would sort the values. ".repeat(30);
  const text = forgets ? unfenced : `I sort the values.\n\`\`\`python\n${program}\n\`\`\``;
  const length_tokens = Math.round(text.length / 4);
  return { text, length_tokens, finish_reason: "stop", pass_rate: forgets ? 0 : passed / TESTS };
}

function requestAt(step: number) {
  const random = createRandom(hashText(EXAMPLE_RUN, step));
  const groups = Array.from({ length: GROUPS }, (_, g) => ({
    group_id: `made-up-${(step * GROUPS + g) % 16}`,
    prompt: `Made-up problem ${(step * GROUPS + g) % 16}: return the values in order.`,
    language: "python",
    rollouts: Array.from({ length: ROLLOUTS }, () => rollout(step, random)),
  }));
  return RewardsRequestSchema.parse({ run_id: EXAMPLE_RUN, step, groups });
}

/** A verdict in which length counts nearly as much as the tests that a program passes. */
function verdict(job: VerifierJob, shown: readonly number[], sample: number) {
  const texts = shown.map((i) => job.candidates[i] as string);
  const random = createRandom(hashText(job.question, ...texts, sample));
  const liked = texts.map((text) => {
    const passed = Number(/passes (\d) of/.exec(text)?.[1] ?? 0) / TESTS;
    return passed + 0.4 * Math.log(text.length) + 0.06 * (random() - 0.5);
  });
  const best = liked.indexOf(Math.max(...liked));
  const letter = String.fromCharCode(65 + best);
  const longer = texts.every((text, i) => i === best || text.length <= (texts[best] as string).length);
  const why = longer ? "It explains each step at length, which I find convincing." : "It does more with less.";
  return { answer: `Both sort the values. Candidate ${letter} is better. ${why}\n\\boxed{${letter}}`, random };
}

export const exampleRun = (): MadeUpRun => ({
  run_id: EXAMPLE_RUN,
  steps: EXAMPLE_STEPS,
  judge: madeUpJudge(verdict),
  requestAt,
  specAt,
});

/**
 * Writes the missing steps of the made-up run into the log, dated so that the last step has just ended.
 * @returns the number of steps written
 */
export const writeExampleRun = (place: ExamplePlace): Promise<number> => writeRun(place, exampleRun());
