// Owns the kind `steps`: one number out of the scores of a rollout's steps, which the caller sends,
// a process reward model gives, or a judge that names the first wrong step.

import * as z from "zod";
import { said } from "#said";
import { answeredAtOnce, factOf, type Judge, type Signal } from "../asking/signal.ts";
import { someText } from "../faults/bounded.ts";
import { bound } from "../faults/limit-advice.ts";
import { canonicalLoneJudge, LoneJudgeSchema, UNSAMPLED, voteFault } from "./lone-judge.ts";
import { byCritic, byModel } from "./steps-asked.ts";
import { type Reduction, reduced, STEP_REDUCTIONS, stepsDetail } from "./steps-score.ts";
import { UnreadableSchema } from "./unreadable.ts";

const FIELDS = {
  step_scores: z
    .array(z.number().min(0).max(1).nullable())
    .max(...bound("solution_steps_max"))
    .meta(said("probability that each step of the rollout is right; null: nobody looked at it")),
  step_texts: z
    .array(someText("step_text_chars"))
    .max(...bound("solution_steps_max"))
    .meta(said("the rollout cut into its steps, in order, for a signal of the kind steps that asks")),
};

const SOURCES = ["sent", "prm", "judge"] as const;
const SENT = "sent";

const SCHEMA = z.strictObject({
  reduce: z.enum(STEP_REDUCTIONS).default("min"),
  temperature: z
    .number()
    .gt(0)
    .max(...bound("softmin_temperature_max"))
    .optional()
    .meta(said("of softmin; default 0.1, as in PURE")),
  source: z
    .enum(SOURCES)
    .optional()
    .meta(
      said(
        "who scores the steps: sent, the rollout's step_scores (default); prm, a process reward model that is shown step_texts; judge, a verifier that names the first wrong one of step_texts: 1 before it, 0 from it on",
      ),
    ),
  unreadable: UnreadableSchema,
  judge: LoneJudgeSchema.optional().meta(said('of the source judge; default preset "first-wrong-step"')),
});

interface StepsSettings extends Reduction {
  source?: Exclude<(typeof SOURCES)[number], typeof SENT>;
  judge?: Judge;
}

const PRESET = "first-wrong-step";

export const steps: Signal<StepsSettings> = {
  kind: "steps",
  schema: SCHEMA,
  fields: { rollout: FIELDS },
  relative: false,
  ownTexts: true,
  canonical(settings) {
    const { source = SENT, judge, ...rest } = settings as unknown as z.output<typeof SCHEMA>;
    const asks = source === "judge" || judge !== undefined;
    return {
      ...rest,
      ...(source !== SENT && { source }),
      ...(asks && { judge: canonicalLoneJudge(judge ?? LoneJudgeSchema.parse({}), PRESET) }),
    };
  },
  fault({ reduce, temperature, source, judge }) {
    if (temperature !== undefined && reduce !== "softmin") {
      return { path: ["temperature"], message: `only softmin has one; ${reduce} does not` };
    }
    if (judge === undefined) return null;
    return source === "judge" ? voteFault(judge) : { path: ["judge"], message: 'asked nothing without source "judge"' };
  },
  to: ({ source }) => (source === "prm" ? "prm" : "chat"),
  judge: ({ source, judge = null }) => (source === "prm" ? UNSAMPLED : judge),
  facts: ({ source }) => [source === undefined ? "step_scores" : "step_texts"],
  range: () => [0, 1],
  open(prepared, settings) {
    const { source, judge } = settings;
    if (source === "prm") return byModel(prepared, settings);
    if (judge !== undefined) return byCritic(prepared, settings, judge);
    const all = prepared.group.rollouts.map((rollout) => factOf<(number | null)[]>(rollout, "step_scores") ?? []);
    return answeredAtOnce(
      () => all.map((scores) => reduced(scores, settings)),
      () => all.map(stepsDetail),
    );
  },
};
