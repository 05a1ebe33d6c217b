// Items of a rubric: the input formats of four projects, and the canonical form in which items are asked
// about and scored.

import * as z from "zod";
import { said } from "#said";
import { anyText, someOf, someText } from "../faults/bounded.ts";
import { bound } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";

const Text = someText("rubric_item_chars");
const Name = someText("name_chars");
const Points = z
  .number()
  .min(-LIMITS.rubric_points_max, "rubric_points_max")
  .max(...bound("rubric_points_max"));

/** Synonymous field names in the supported projects; an item may use at most one name from each line. */
const ALIKE = [
  ["text", "criterion", "description"],
  ["id", "name", "title"],
  ["points", "weight"],
] as const;

const ItemSchema = z
  .strictObject({
    id: Name.optional().meta(said("default: the item's position, starting at 1")),
    text: Text.optional().meta(said("criterion that a response must meet")),
    points: Points.optional().meta(said("points if the criterion is met; negative for a mistake. Default 1")),
    kind: z
      .enum(["rule", "principle"])
      .optional()
      .meta(said("kind shown to the verifier: a rule is applied literally, a principle by its meaning")),
    critical: z.boolean().optional().meta(said("true: the score is 0 if the criterion is not met")),
    choices: z
      .array(Name)
      .min(2)
      .max(...bound("rubric_choices_max"))
      .optional()
      .meta(said("choices from worst to best, worth 0 to 1, of which the verifier selects one; default: no, yes")),
    name: Name.optional().meta(said("name of `id` in verifiers")),
    title: Name.optional().meta(said("name of `id` in Rubrics as Rewards")),
    criterion: Text.optional().meta(said("name of `text` in HealthBench")),
    description: Text.optional().meta(said("name of `text` in Rubrics as Rewards")),
    weight: Points.optional().meta(said("name of `points` in verifiers and in Rubrics as Rewards")),
    tags: z
      .array(anyText("id_chars"))
      .max(...bound("rubric_items_max"))
      .optional()
      .meta(said("tags of HealthBench items; ignored")),
  })
  .superRefine((item, context) => {
    for (const [name, ...others] of ALIKE) {
      const given = [name, ...others].filter((name) => item[name] !== undefined);
      const [, second] = given;
      if (second !== undefined) {
        context.addIssue({
          code: "custom",
          path: [second],
          message: `has the same meaning as ${given[0]}: omit one of them`,
        });
      }
    }
    const texts = ALIKE[0];
    if (texts.every((name) => item[name] === undefined)) {
      context.addIssue({ code: "custom", path: ["text"], message: `required, or ${texts.slice(1).join(" or ")}` });
    }
  });
export type GivenItem = z.output<typeof ItemSchema>;

/** Schema of a rubric as sent in a group or a spec. */
export const RubricSchema = someOf(ItemSchema, "rubric_items_max")
  .superRefine((items, context) => {
    const ids = items.map(idOf);
    ids.forEach((id, i) => {
      if (ids.indexOf(id) === i) return;
      const message = `has the same id as item ${ids.indexOf(id)}; ids must be unique, because replies and the log refer to them`;
      context.addIssue({ code: "custom", path: [i], message });
    });
  })
  .meta(said("rubric items, for a signal of kind rubric"));

/** An item in canonical form, without fields that have their default values. */
export interface RubricItem {
  id: string;
  text: string;
  points: number;
  kind?: "rule" | "principle";
  critical?: true;
  choices?: readonly string[];
}

const idOf = ({ id, name, title }: GivenItem, at: number): string => id ?? name ?? title ?? `${at + 1}`;

/** Choices of an item that does not list any. */
const NO_YES = ["no", "yes"] as const;

const isPlain = (choices: readonly string[]) =>
  choices.length === 2 && NO_YES.every((word, i) => choices[i]?.toLowerCase() === word);

/**
 * Converts items to the canonical form, so that equal rubrics in the formats of different projects become
 * identical.
 */
export function rubricItems(given: readonly GivenItem[]): RubricItem[] {
  return given.map((item, at) => {
    const { text, criterion, description, points, weight, kind, critical, choices } = item;
    return {
      id: idOf(item, at),
      text: (text ?? criterion ?? description) as string,
      points: points ?? weight ?? 1,
      ...(kind !== undefined && { kind }),
      ...(critical === true && { critical }),
      ...(choices !== undefined && !isPlain(choices) && { choices }),
    };
  });
}

export const RUBRIC_SCORES = ["points_over_positive", "weighted_mean", "implicit_1_10"] as const;
export type RubricScore = (typeof RUBRIC_SCORES)[number];

/** Errors for items that are incompatible with the score, each with the item's index. */
export function itemFaults(
  items: readonly RubricItem[],
  score: RubricScore,
): { path: readonly number[]; message: string }[] {
  if (score === "weighted_mean") {
    const message = "weighted_mean does not support negative points: use points_over_positive";
    return items.flatMap(({ points }, i) => (points < 0 ? [{ path: [i], message }] : []));
  }
  const positive = score === "implicit_1_10" || items.some(({ points }) => points > 0);
  return positive ? [] : [{ path: [], message: "no item has positive points; at least one is required" }];
}

const KIND = { rule: " [rule]", principle: " [principle]" } as const;

/** A single item as shown to the judge, with its choices numbered. */
export function loneText({ text, choices }: Pick<RubricItem, "text" | "choices">): string {
  if (choices === undefined) return text;
  return `${text} (choices: ${choices.map((choice, k) => `${k + 1} = ${choice}`).join(", ")})`;
}

/** The items as shown to the judge, numbered from 1. */
export const rubricText = (items: readonly RubricItem[]): string =>
  items.map((item, i) => `${i + 1}.${item.kind === undefined ? "" : KIND[item.kind]} ${loneText(item)}`).join("\n");

/**
 * Splits the items, in order, into parts of at most `count` items and `chars` characters. An item that
 * exceeds `chars` gets a separate part.
 */
export function partsOf(items: readonly RubricItem[], count: number, chars: number): RubricItem[][] {
  const parts: RubricItem[][] = [];
  for (const item of items) {
    const open = parts.at(-1);
    const fits = open !== undefined && open.length < count && rubricText([...open, item]).length <= chars;
    if (fits) open.push(item);
    else parts.push([item]);
  }
  return parts;
}
