// The kind `random`: a random number per rollout, used as the control arm in an experiment with a judge.
import * as z from "zod";
import { said } from "#said";
import { answeredAtOnce } from "../asking/plan.ts";
import { inSteps, type Signal } from "../asking/signal.ts";
import { type Valued, valued } from "../asking/signal-value.ts";
import { createRandom, hashText } from "../math/random.ts";

const SCHEMA = z.strictObject({
  seed: z.int().min(0).optional().meta(said("seed of the random numbers; default: the spec's seed")),
});
type RandomSettings = z.output<typeof SCHEMA>;

/** Units of work per character for hashing, in addition to those counted at admission. */
const STEPS_CHAR = 1;

/**
 * Uniform in [0, 1), seeded by the seed, the prompt and the rollout: equal rollouts get equal numbers, in any
 * order.
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
