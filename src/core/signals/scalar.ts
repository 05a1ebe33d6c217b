// The kind `scalar`: one number per rollout from a scalar reward model, squashed into a known range.

import * as z from "zod";
import { said } from "#said";
import { commonFault } from "../asking/asked-questions.ts";
import { FIRST } from "../asking/purpose.ts";
import { factOf, type Judge, type Signal } from "../asking/signal.ts";
import { type ValueRange, valued, without } from "../asking/signal-value.ts";
import { DEFAULT_SPEC } from "../contract/spec.ts";
import { sigmoid } from "../math/elementary.ts";
import { bareQuestion, gradeOn, lonePlan } from "./lone-plan.ts";
import { UnreadableSchema } from "./unreadable.ts";

const SCHEMA = z.strictObject({
  squash: z
    .enum(["sigmoid", "clip", "par"])
    .default("sigmoid")
    .meta(
      said(
        "sigmoid: sigmoid(x); clip: x limited to low..high; par: sigmoid(x - the group's mean) (preference as reward, arXiv 2502.18770)",
      ),
    ),
  low: z.number().optional().meta(said("lower bound for clip; default 0")),
  high: z.number().optional().meta(said("upper bound for clip; default 1")),
  unreadable: UnreadableSchema,
});
type ScalarSignalSettings = z.output<typeof SCHEMA>;

/** Judge settings for a scalar model, which neither samples nor generates. */
const JUDGE: Judge = { ...DEFAULT_SPEC.judge, temperature: 0, max_tokens: 1 };

const PRESET = "scalar";

const clipRange = ({ low = 0, high = 1 }: ScalarSignalSettings): ValueRange => [low, high];

/** The squashed numbers, one per class (distinct candidate); null where a number is missing. */
function squashed(numbers: readonly (number | null)[], settings: ScalarSignalSettings, counts: readonly number[]) {
  if (settings.squash === "clip") {
    const [low, high] = clipRange(settings);
    return numbers.map((x) => (x === null ? null : Math.min(high, Math.max(low, x))));
  }
  const mean = settings.squash === "par" ? meanOf(numbers, counts) : 0;
  // An infinite mean cannot be used for centring.
  return numbers.map((x) => (x === null ? null : Number.isFinite(x - mean) ? sigmoid(x - mean) : Number.NaN));
}

/**
 * Mean over the rollouts that have a number; each class (distinct candidate) is weighted by its number of
 * rollouts.
 */
function meanOf(numbers: readonly (number | null)[], counts: readonly number[]): number {
  let [sum, count] = [0, 0];
  numbers.forEach((x, i) => {
    if (x === null) return;
    sum += x * (counts[i] as number);
    count += counts[i] as number;
  });
  return count === 0 ? 0 : sum / count;
}

export const scalar: Signal<ScalarSignalSettings> = {
  kind: "scalar",
  schema: SCHEMA,
  to: () => "scalar",
  fault(settings) {
    const { squash, low, high } = settings;
    const bounded = low === undefined ? (high === undefined ? null : "high") : "low";
    if (squash !== "clip") return bounded === null ? null : { path: [bounded], message: "only clip has bounds" };
    const [min, max] = clipRange(settings);
    return min < max
      ? null
      : { path: [bounded ?? "low"], message: `low must be below high; ${min} is not below ${max}` };
  },
  relative: false,
  relativeWith: ({ squash }) => squash === "par",
  judge: () => JUDGE,
  facts: () => [],
  range: (settings) => (settings.squash === "clip" ? clipRange(settings) : [0, 1]),
  open({ group, classes, texts }, settings) {
    // Used by templates with a slot for the reference; the backend's settings choose the template.
    const reference = [factOf<string | string[]>(group, "reference") ?? []].flat().at(0);
    const questions = texts.map((_, classIndex) => ({
      to: "scalar" as const,
      preset: PRESET,
      ...(reference !== undefined && { slots: { reference } }),
      shown: [classIndex],
      samples: 1,
      purpose: FIRST,
    }));
    const [lowest] = settings.squash === "clip" ? clipRange(settings) : [0];
    return lonePlan({
      ...{ questions, textIndices: classes.classOf, lowest, unreadable: settings.unreadable, bare: bareQuestion },
      read(seen, lost) {
        const numbers = texts.map((_, text) => gradeOn(seen, text));
        // The mean over an incomplete group would shift all values, so they are reported as missing.
        // Candidates that lost are never part of the mean.
        const gap = settings.squash === "par" && numbers.some((x, text) => x === null && !lost.has(text));
        const values = squashed(
          numbers,
          settings,
          classes.members.map(({ length }) => length),
        );
        return (text) => {
          // Without a candidate there is nothing to judge, so the rollout gets the lowest value, as it does
          // in a tournament.
          if (text === null) return { value: valued(lowest), detail: null };
          const value = values[text] ?? null;
          const detail = { raw: numbers[text] ?? null };
          if (value === null) return { value: without(commonFault(seen, text) ?? "verifier_bad_reply"), detail };
          return { value: gap ? without("partial") : valued(value), detail };
        };
      },
    });
  },
};
