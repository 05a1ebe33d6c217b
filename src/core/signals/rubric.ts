// The kind `rubric`: a judge decides which items of a rubric a candidate meets, and the score is computed
// from the points of these items.

import * as z from "zod";
import { said } from "#said";
import { FIRST } from "../asking/purpose.ts";
import type { Question } from "../asking/questions.ts";
import { factOf, type Signal } from "../asking/signal.ts";
import { valued } from "../asking/signal-value.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import type { JudgeSettings } from "../contract/judge-settings.ts";
import { wholeFrom } from "../faults/bounded.ts";
import { ApiError } from "../faults/errors.ts";
import { LIMITS } from "../faults/limits.ts";
import { promptTitle } from "../judges/presets/own.ts";
import { presetNamed } from "../judges/presets/table.ts";
import { isPromptName } from "../judges/render.ts";
import { canonicalLoneJudge, LoneJudgeSchema, voteFault } from "./lone-judge.ts";
import { bareQuestion, lonePlan } from "./lone-plan.ts";
import {
  type GivenItem,
  itemFaults,
  loneText,
  partsOf,
  RUBRIC_SCORES,
  type RubricItem,
  RubricSchema,
  type RubricScore,
  rubricItems,
  rubricText,
} from "./rubric-items.ts";
import { type RubricPart, rubricResult } from "./rubric-result.ts";
import { type UnreadableRule, UnreadableSchema } from "./unreadable.ts";

const SCHEMA = z.strictObject({
  score: z.enum(RUBRIC_SCORES).default("points_over_positive"),
  items: RubricSchema.optional().meta(said("rubric items for every group; default: each group's `rubric`")),
  max_criteria: wholeFrom(1, "rubric_items_max")
    .optional()
    .meta(said("maximum items per question; default 8, or 1 if the preset asks about a single item")),
  min_coverage: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .meta(said("minimum share of the points that must be decided; below it, the value is null with the code partial")),
  unreadable: UnreadableSchema,
  judge: LoneJudgeSchema.omit({ rubric: true }).prefault({}),
});

interface RubricSettings extends UnreadableRule {
  score: RubricScore;
  items?: RubricItem[];
  max_criteria?: number;
  min_coverage?: number;
  judge: JudgeSettings;
}

const CRITERIA_DEFAULT = 8;
const PRESETS: Readonly<Record<RubricScore, string>> = {
  points_over_positive: "rubric-items",
  weighted_mean: "rubric-items",
  implicit_1_10: "rubric-rating",
};

/**
 * The form of the preset's answers: many items, one item, or a single rating; null if the preset is
 * unsuitable for rubrics.
 */
function readingOf(name: string): "many" | "one" | "rating" | null {
  const preset = presetNamed(name);
  if (preset?.shape !== "rubric" || preset.parser.kind !== "json") return null;
  const { met, grade, range } = preset.parser;
  if (met === undefined) return grade !== undefined && range?.[0] === 1 && range[1] === 10 ? "rating" : null;
  return met.includes("{n}") ? "many" : "one";
}

/** Whether the preset's answers can name one of an item's choices. */
function readsChoices(name: string): boolean {
  const parser = presetNamed(name)?.parser;
  return parser?.kind === "json" && (parser.met === undefined || parser.choices === true);
}

/**
 * Returns an error for the first item with choices if the judge's preset cannot answer choices, else null.
 */
function choicesFault(items: readonly RubricItem[], { score, judge }: RubricSettings) {
  const at = readsChoices(judge.prompt) ? -1 : items.findIndex(({ choices }) => choices !== undefined);
  const message = `${promptTitle(judge.prompt)} does not support choices: use ${PRESETS[score]}`;
  return at < 0 ? null : { path: [at, "choices"], message };
}

/** Template for the item keys in the preset's answer; `{n}` is the item's number. */
function keyOf(name: string): string {
  const parser = presetNamed(name)?.parser;
  return parser?.kind === "json" ? (parser.met ?? "") : "";
}

const isRating = (score: RubricScore) => score === "implicit_1_10";

/** Splits the items into one part per question. */
function asksOf(
  items: readonly RubricItem[],
  { score, judge, max_criteria = CRITERIA_DEFAULT }: RubricSettings,
): RubricPart[] {
  const alone = readingOf(judge.prompt) === "one";
  const parts = isRating(score) ? [items] : partsOf(items, alone ? 1 : max_criteria, LIMITS.slot_chars);
  const key = keyOf(judge.prompt);
  return parts.map((part) => ({
    items: part,
    text: alone ? loneText(part[0] as RubricItem) : rubricText(part),
    keys: part.map((_, i) => key.replace("{n}", `${i + 1}`)),
  }));
}

export const rubric: Signal<RubricSettings> = {
  kind: "rubric",
  schema: SCHEMA,
  fields: { group: { rubric: RubricSchema } },
  relative: false,
  canonical(settings) {
    const { items, judge, ...rest } = settings as unknown as z.output<typeof SCHEMA>;
    const given = items === undefined ? {} : { items: rubricItems(items) };
    return { ...rest, ...given, judge: canonicalLoneJudge(judge, PRESETS[rest.score]) } as RubricSettings;
  },
  fault(settings) {
    const { score, items = [], judge, max_criteria, min_coverage } = settings;
    const reading = readingOf(judge.prompt);
    const fits = isRating(score) ? reading === "rating" : reading === "many" || reading === "one";
    const refuse = (path: readonly (string | number)[], message: string) => ({ path, message });
    // A deployment's own templates are checked once the spec is resolved.
    if (!fits && isPromptName(judge.prompt))
      return refuse(
        ["judge", "preset"],
        `${promptTitle(judge.prompt)} does not support the score ${score}: use ${PRESETS[score]}`,
      );
    const unread = isPromptName(judge.prompt) ? choicesFault(items, settings) : null;
    if (unread !== null) return refuse(["judge", "preset"], unread.message);
    if (isRating(score) && max_criteria !== undefined) {
      return refuse(["max_criteria"], "has no effect with implicit_1_10, which asks about the rubric as a whole");
    }
    if (isRating(score) && min_coverage !== undefined) {
      return refuse(["min_coverage"], "has no effect with implicit_1_10, which does not decide single items");
    }
    const vote = voteFault(judge);
    if (vote !== null) return vote;
    const [fault] = items.length === 0 ? [] : itemFaults(items, score);
    return fault === undefined ? null : refuse(["items", ...fault.path], fault.message);
  },
  judge: ({ judge }) => judge,
  facts: ({ items }) => (items === undefined ? ["group.rubric"] : []),
  groupFault(settings, group) {
    if (settings.items !== undefined) return null;
    const items = itemsOf(group);
    const [wrong] = items.length === 0 ? [{ path: [], message: "required" }] : itemFaults(items, settings.score);
    const fault = wrong ?? choicesFault(items, settings);
    if (fault === null) return null;
    const below = fault.path.map((at) => (typeof at === "number" ? `[${at}]` : `.${at}`));
    return { path: `rubric${below.join("")}`, message: fault.message };
  },
  range: () => [0, 1],
  open(group, settings) {
    const items = settings.items ?? itemsOf(group.group);
    // Reached only by groups that were not validated, such as the dummy group of a cost estimate.
    if (items.length === 0) throw new ApiError("facts_required", "Every group needs a rubric.");
    const parts = asksOf(items, settings);
    return lonePlan({
      questions: questionsOf(group, parts, settings),
      ...{ textIndices: group.classes.classOf, unreadable: settings.unreadable, bare: bareQuestion },
      read: (seen) => (index) =>
        index === null
          ? // Without a candidate the rollout gets the lowest value, as in a tournament.
            { value: valued(0), detail: null }
          : rubricResult({ classIndex: index, text: group.texts[index] as string }, parts, settings, seen),
    });
  },
};

/** The rubric sent in the group. */
const itemsOf = (group: object): RubricItem[] => rubricItems(factOf<GivenItem[]>(group, "rubric") ?? []);

function questionsOf({ texts }: PreparedGroup, parts: readonly RubricPart[], { judge }: RubricSettings): Question[] {
  const { principle, samples, prompt } = judge;
  return parts.flatMap(({ text }) => {
    const slots = { rubric: text, ...(principle !== undefined && { principle }) };
    const question = { to: "chat" as const, preset: prompt, slots, samples: samples as number, purpose: FIRST };
    return texts.map((_, member) => ({ ...question, shown: [member] }));
  });
}
