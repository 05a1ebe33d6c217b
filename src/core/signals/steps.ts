// The kind `steps`: reduces the scores of a rollout's steps to one number. The scores are sent by the caller,
// given by a process reward model or a checker, or derived from the verdict of a judge that names the first
// wrong step.

import * as z from "zod";
import { said } from "#said";
import { answeredAtOnce } from "../asking/plan.ts";
import { factOf, type GroupFault, type Judge, type Signal } from "../asking/signal.ts";
import { someText } from "../faults/bounded.ts";
import { bound } from "../faults/limit-advice.ts";
import { isSummarised } from "../judges/presets/table.ts";
import { CheckerUrlSchema } from "./external.ts";
import { canonicalLoneJudge, LoneJudgeSchema, UNSAMPLED, voteFault } from "./lone-judge.ts";
import { byChecker, byCritic, byModel } from "./steps-asked.ts";
import {
  logRatios,
  type Reduction,
  reduced,
  reducedRange,
  STEP_REDUCTIONS,
  STEP_WORTHS,
  type StepScores,
  stepsDetail,
} from "./steps-score.ts";
import { UnreadableSchema } from "./unreadable.ts";

const ProbabilitySchema = z.number().min(0).max(1);
const StepLogprobsSchema = z.array(z.number().max(...bound("logprob_max"))).max(...bound("solution_steps_max"));

const FIELDS = {
  group: {
    start_score: ProbabilitySchema.meta(
      said("probability of a correct final answer before the first step, for a signal of kind steps"),
    ),
  },
  rollout: {
    step_scores: z
      .array(ProbabilitySchema.nullable())
      .max(...bound("solution_steps_max"))
      .meta(said("probability that each step of the rollout is correct; null: the step was not scored")),
    step_texts: z
      .array(someText("step_text_chars"))
      .max(...bound("solution_steps_max"))
      .meta(
        said(
          "steps of the rollout, in order, for a signal of kind steps that sends them to a verifier, a process reward model or a checker",
        ),
      ),
    step_logprobs: StepLogprobsSchema.meta(
      said(
        "natural log probability of each step of the rollout under the trained model, summed over the step's tokens",
      ),
    ),
    base_step_logprobs: StepLogprobsSchema.meta(
      said("natural log probability of each step of the rollout under the model to compare with"),
    ),
  },
};

const SOURCES = ["sent", "prm", "judge", "checker", "log_ratio"] as const;
const SENT = "sent";

const SCHEMA = z.strictObject({
  reduce: z.enum(STEP_REDUCTIONS).default("min"),
  temperature: z
    .number()
    .gt(0)
    .max(...bound("softmin_temperature_max"))
    .optional()
    .meta(said("temperature of softmin; default 0.1, as in PURE")),
  weights: z
    .array(
      z
        .number()
        .min(0)
        .max(...bound("test_weight_max")),
    )
    .min(1)
    .max(...bound("solution_steps_max"))
    .refine((weights) => weights.some((weight) => weight > 0), "at least one weight must be above 0")
    .optional()
    .meta(said("for weighted: one weight per budget; step_scores must be scores of the rollout's prefixes")),
  per_step: z
    .enum(STEP_WORTHS)
    .optional()
    .meta(
      said(
        "value of a step in details.steps and for reduce: score (default), its score; delta, its score minus the next step's; progress, its score minus the previous step's, or minus the group's start_score for the first step",
      ),
    ),
  source: z
    .enum(SOURCES)
    .optional()
    .meta(
      said(
        "source of the step scores: sent (default), the rollout's step_scores; prm, a process reward model that reads step_texts; judge, a verifier that names the first wrong step (steps before it score 1, all others 0) in step_texts or, with a template that has `summary`, in its own summary of the rollout; checker, your host that receives step_texts; log_ratio, step_logprobs minus base_step_logprobs, times beta",
      ),
    ),
  url: CheckerUrlSchema.optional(),
  beta: z
    .number()
    .gt(0)
    .max(...bound("log_ratio_beta_max"))
    .optional()
    .meta(said("factor of log_ratio; default 0.05, as in PRIME")),
  unreadable: UnreadableSchema,
  judge: LoneJudgeSchema.optional().meta(
    said('judge settings for the source `judge`; default preset "first-wrong-step"'),
  ),
});

interface StepsSettings extends Reduction {
  /** Omitted if the caller sends the scores (`sent`). */
  source?: Exclude<(typeof SOURCES)[number], typeof SENT>;
  url?: string | undefined;
  judge?: Judge;
}

const PRESET = "first-wrong-step";
const BETA = 0.05;

/** Field and message of the first setting that is incompatible or has no effect; null if there is none. */
function settingsFault({ reduce, source, per_step, ...only }: StepsSettings): [string, string] | null {
  if (only.temperature !== undefined && reduce !== "softmin")
    return ["temperature", `only softmin uses a temperature; ${reduce} does not`];
  if ((only.weights !== undefined) !== (reduce === "weighted")) {
    return [
      "weights",
      reduce === "weighted" ? "required by weighted" : `only weighted uses weights; ${reduce} does not`,
    ];
  }
  if (reduce === "weighted" && source !== undefined)
    return ["reduce", `weighted requires the source sent, with scores of prefixes; ${source} scores steps`];
  const scores = source === "log_ratio" ? "log ratios" : per_step;
  if (scores !== undefined && ["prod", "weighted"].includes(reduce))
    return ["reduce", `${reduce} requires probabilities, not ${scores}`];
  if (source === "log_ratio" && per_step !== undefined)
    return ["per_step", "has no effect with log_ratio, which already measures what a step adds"];
  if (only.beta !== undefined && source !== "log_ratio") return ["beta", 'has no effect without source "log_ratio"'];
  if ((only.url !== undefined) !== (source === "checker")) {
    return ["url", source === "checker" ? "required by the source checker" : 'has no effect without source "checker"'];
  }
  return only.judge !== undefined && source !== "judge" ? ["judge", 'has no effect without source "judge"'] : null;
}

const FACTS: Readonly<Partial<Record<(typeof SOURCES)[number], readonly string[]>>> = {
  sent: ["step_scores"],
  log_ratio: ["step_logprobs", "base_step_logprobs"],
};

/** Returns an error if arrays of numbers in a rollout have mismatched lengths, else null. */
function numbersFault({ source, weights }: StepsSettings, group: object): GroupFault | null {
  const count = (rollout: object, field: string) => factOf<unknown[]>(rollout, field)?.length ?? 0;
  for (const [r, rollout] of (factOf<object[]>(group, "rollouts") ?? []).entries()) {
    const [logprobs, base] = [count(rollout, "step_logprobs"), count(rollout, "base_step_logprobs")];
    if (source === "log_ratio" && logprobs !== base) {
      return {
        path: `rollouts[${r}].base_step_logprobs`,
        message: `has ${base} numbers, but step_logprobs has ${logprobs}; both must have the same length`,
      };
    }
    const scores = count(rollout, "step_scores");
    if (weights !== undefined && scores > weights.length) {
      return {
        path: `rollouts[${r}].step_scores`,
        message: `has ${scores} numbers, but only ${weights.length} weights are set`,
      };
    }
  }
  return null;
}

/** The step scores sent by the caller. */
function sentScores(rollout: object, start: number | undefined, beta: number | undefined): StepScores {
  const numbersAt = <T>(field: string) => factOf<T[]>(rollout, field) ?? [];
  if (beta === undefined) return { scores: numbersAt<number | null>("step_scores"), start };
  return logRatios(
    { trained: numbersAt<number>("step_logprobs"), base: numbersAt<number>("base_step_logprobs") },
    beta,
  );
}

export const steps: Signal<StepsSettings> = {
  kind: "steps",
  schema: SCHEMA,
  fields: FIELDS,
  relative: false,
  ownTexts: true,
  canonical(settings) {
    const { source = SENT, judge, per_step = "score", ...rest } = settings as unknown as z.output<typeof SCHEMA>;
    const asks = source === "judge" || judge !== undefined;
    return {
      ...rest,
      ...(per_step !== "score" && { per_step }),
      ...(source !== SENT && { source }),
      ...(source === "log_ratio" && { beta: rest.beta ?? BETA }),
      ...(asks && { judge: canonicalLoneJudge(judge ?? LoneJudgeSchema.parse({}), PRESET) }),
    };
  },
  fault(settings) {
    const [field, message] = settingsFault(settings) ?? [];
    if (field !== undefined) return { path: [field], message: message as string };
    return settings.judge === undefined ? null : voteFault(settings.judge);
  },
  to: ({ source }) => (source === "prm" ? "prm" : source === "checker" ? "check_steps" : "chat"),
  address: ({ url }) => url,
  judge: ({ source, judge = null }) => (source === "prm" || source === "checker" ? UNSAMPLED : judge),
  facts: ({ source, judge, per_step }) => [
    ...(judge !== undefined && isSummarised(judge.prompt) ? [] : (FACTS[source ?? SENT] ?? ["step_texts"])),
    ...(per_step === "progress" ? ["group.start_score"] : []),
  ],
  // Log probabilities sent by the caller are valid however long the rollout is.
  takesTooLong: ({ source }) => source === "log_ratio",
  groupFault: numbersFault,
  range: reducedRange,
  open(prepared, settings) {
    const { source, judge, url, beta } = settings;
    const { group } = prepared;
    const start = factOf<number>(group, "start_score");
    const asking = { settings, start };
    if (source === "prm") return byModel(prepared, asking);
    if (url !== undefined) return byChecker(prepared, asking, url);
    if (judge !== undefined) return byCritic(prepared, asking, judge);
    const all = group.rollouts.map((rollout) => sentScores(rollout, start, beta));
    return answeredAtOnce(
      () => all.map((scores) => reduced(scores, settings)),
      () => all.map((scores) => stepsDetail(scores, settings)),
    );
  },
};
