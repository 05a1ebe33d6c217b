// The kind `random`: a number that says nothing, for the arm of an experiment to which a judge is compared.
import * as z from "zod";
import { said } from "#said";
import { answeredAtOnce, inSteps, type Signal } from "../asking/signal.ts";
import { type Valued, valued } from "../asking/signal-value.ts";
import { createRandom, hashText } from "../math/random.ts";

const SCHEMA = z.strictObject({
  seed: z.int().min(0).optional().meta(said("of the numbers; default: the spec's")),
});
type RandomSettings = z.output<typeof SCHEMA>;

/** Steps of hashing a character, beside those that admission counts. */
const STEPS_CHAR = 1;

/**
 * Uniform in [0, 1), drawn by the seed, the prompt and the rollout's text: equal texts have equal
 * numbers, in whatever order they come.
 */
export const random: Signal<RandomSettings> = {
  kind: "random",
  schema: SCHEMA,
  relative: false,
  facts: () => [],
  range: () => [0, 1],
  ...inSteps<RandomSettings>(function* ({ group }, { seed }, context) {
    const values: Valued[] = [];
    const prompt = hashText("random", seed ?? context.seed, JSON.stringify(group.prompt)).join();
    for (const { text } of group.rollouts) {
      values.push(valued(createRandom(hashText(prompt, text))()));
      yield STEPS_CHAR * text.length;
    }
    return answeredAtOnce(() => values);
  }),
};
