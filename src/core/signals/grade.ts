// The kind `grade`: the verifier is asked about each candidate separately, and each answer becomes a value in
// [0, 1].

import * as z from "zod";
import { said } from "#said";
import { type AskedQuestion, commonFault } from "../asking/asked-questions.ts";
import { FIRST } from "../asking/purpose.ts";
import type { Question } from "../asking/questions.ts";
import type { Signal } from "../asking/signal.ts";
import { type Valued, valued, without } from "../asking/signal-value.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import type { JudgeSettings } from "../contract/judge-settings.ts";
import { someOf, someText } from "../faults/bounded.ts";
import { slotsOf } from "../judges/judge-slots.ts";
import { anchorOf } from "../judges/parsers/table.ts";
import type { Preset } from "../judges/presets/preset.ts";
import { backendFor, presetNamed } from "../judges/presets/table.ts";
import type { Verdict } from "../judges/verdicts.ts";
import { mean, percentile, populationStd } from "../math/stats.ts";
import { InvalidSchema, leanInvalid } from "./invalid-answer.ts";
import { canonicalLoneJudge, LoneJudgeSchema, referenceOf, voteFault } from "./lone-judge.ts";
import { bareQuestion, lonePlan, verdictsOn } from "./lone-plan.ts";
import { type UnreadableRule, UnreadableSchema } from "./unreadable.ts";

const SCHEMA = z.strictObject({
  judge: LoneJudgeSchema.prefault({ preset: "yes-no" }),
  reduce: z
    .enum(["mean", "median", "min", "quantile", "std"])
    .default("mean")
    .meta(said("reduction of several samples to one value; std is their standard deviation")),
  quantile: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .meta(said("quantile for `reduce: quantile`; for example, 0.25 is a cautious estimate")),
  passing_labels: someOf(someText("label_chars"), "verdict_candidates_max")
    .optional()
    .meta(said("labels that count as 1; all others count as 0. Default: the preset's labels")),
  unreadable: UnreadableSchema,
  invalid: InvalidSchema,
});

interface GradeSettings extends UnreadableRule {
  judge: JudgeSettings;
  reduce: z.output<typeof SCHEMA>["reduce"];
  quantile?: number;
  passing_labels?: string[];
  invalid?: number;
}

const needsReference = (prompt: string) => presetNamed(prompt)?.shape === "reference";

export const grade: Signal<GradeSettings> = {
  kind: "grade",
  schema: SCHEMA,
  relative: false,
  canonical(settings) {
    const { judge, ...rest } = settings as unknown as z.output<typeof SCHEMA>;
    return leanInvalid({ ...rest, judge: canonicalLoneJudge(judge) } as GradeSettings);
  },
  fault: (settings) => voteFault(settings.judge) ?? reduceFault(settings),
  judge: ({ judge }) => judge,
  to: ({ judge }) => backendFor(judge.prompt),
  facts: ({ judge }) => (needsReference(judge.prompt) ? ["group.reference"] : []),
  // The population standard deviation of numbers in [low, 1] is at most half the range.
  range: ({ reduce, invalid = 0 }) => (reduce === "std" ? [0, (1 - invalid) / 2] : [invalid, 1]),
  open(group, settings) {
    const { judge } = settings;
    const preset = presetNamed(judge.prompt);
    const lowest = settings.reduce === "std" ? 0 : (settings.invalid ?? 0);
    const scoreOn = (text: number, seen: readonly AskedQuestion[]): Valued => {
      const values = verdictsOn(seen, text).flatMap((verdict) => gradeOf(verdict, settings, preset) ?? []);
      // A standard deviation needs at least two answers.
      const minValues = settings.reduce === "std" ? 2 : 1;
      if (values.length < minValues) return without(commonFault(seen, text) ?? "verifier_bad_reply");
      return valued(reduced(values, settings));
    };
    return lonePlan({
      questions: questionsOf(group, judge),
      ...{ textIndices: group.classes.classOf, unreadable: settings.unreadable, lowest, bare: bareQuestion },
      read: (seen) => (text) => {
        // The verifier is not asked about a rollout without a candidate.
        if (text === null) return { value: valued(lowest), detail: null };
        const verdicts = verdictsOn(seen, text);
        const none = verdicts.filter((verdict) => isInvalid(verdict, preset)).length > verdicts.length / 2;
        return { value: scoreOn(text, seen), detail: none ? { label: "invalid" } : null };
      },
    });
  },
};

function reduceFault({ reduce, quantile, judge }: GradeSettings): ReturnType<typeof voteFault> {
  if ((reduce === "quantile") !== (quantile !== undefined)) {
    return { path: ["quantile"], message: "must be set if, and only if, reduce is quantile" };
  }
  if (reduce !== "std" || (judge.samples as number) > 1) return null;
  return {
    path: ["judge", "samples"],
    message: "must be at least 2, because reduce: std measures the spread of the samples",
  };
}

/** Reduces one or more grades to one number. */
function reduced(grades: readonly number[], { reduce, quantile = 0 }: GradeSettings): number {
  if (reduce === "mean") return mean(grades);
  if (reduce === "std") return populationStd(grades);
  const sorted = [...grades].sort((a, b) => a - b);
  return percentile(sorted, { median: 0.5, min: 0, quantile }[reduce]);
}

function questionsOf({ group, texts }: PreparedGroup, judge: JudgeSettings): Question[] {
  const reference = needsReference(judge.prompt) ? referenceOf(group) : undefined;
  const question = {
    to: backendFor(judge.prompt),
    preset: judge.prompt,
    ...slotsOf(judge, reference),
    samples: judge.samples as number,
    purpose: FIRST,
  };
  return texts.map((_, member) => ({ ...question, shown: [member] }));
}

/** Whether a verdict calls the candidate's answer invalid rather than wrong. */
export const isInvalid = (verdict: Verdict, preset: Preset | null): boolean =>
  verdict.kind === "label" && preset?.invalid?.includes(verdict.label) === true;

/**
 * The value of a verdict on one candidate in [0, 1], or the `invalid` setting; null if the verdict contains
 * no grade.
 */
export function gradeOf(
  verdict: Verdict,
  { passing_labels, invalid = 0 }: Pick<GradeSettings, "passing_labels" | "invalid">,
  preset: Preset | null,
): number | null {
  if (preset === null) return null;
  const passing = passing_labels ?? preset.passing ?? [];
  const { parser } = preset;
  const [low, high] = ("range" in parser ? parser.range : undefined) ?? [0, 1];
  const ofLabel = (label: string) =>
    passing.includes(label) ? 1 : preset.invalid?.includes(label) === true ? invalid : 0;
  switch (verdict.kind) {
    case "label":
      return ofLabel(verdict.label);
    case "grade":
      return (verdict.grade - low) / (high - low);
    case "criteria": {
      const answers = Object.values(verdict.met).filter((met) => met !== null);
      return answers.length === 0 ? null : answers.filter((answer) => answer === true).length / answers.length;
    }
    case "distribution": {
      // The expected grade if the labels form a scale, else the probability of a passing label.
      const labels = anchorOf(parser, 1)?.labels ?? [];
      const isScale = passing_labels === undefined && preset.levels !== undefined;
      const hasRange = "range" in parser && parser.range !== undefined;
      const [lowest, highest] = isScale ? [0, labels.length - 1] : [low, high];
      const worth = (label = "") =>
        isScale || hasRange ? (Number(label) - lowest) / (highest - lowest) : ofLabel(label);
      return Math.min(
        1,
        verdict.shares.reduce((sum, share, i) => sum + share * worth(labels[i]), 0),
      );
    }
    default:
      return null;
  }
}
