// The items of a rubric: as a request or a spec says them, in the words of four projects, and in the one form
// in which they are asked and scored.

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

/** Fields that say one thing in several projects' words; an item has at most one of each. */
const ALIKE = [
  ["text", "criterion", "description"],
  ["id", "name", "title"],
  ["points", "weight"],
] as const;

const ItemSchema = z
  .strictObject({
    id: Name.optional().meta(said("default: the item's place, from 1")),
    text: Text.optional().meta(said("what a response must do to meet it")),
    points: Points.optional().meta(said("what it counts when met; below 0 for a mistake. Default 1")),
    kind: z
      .enum(["rule", "principle"])
      .optional()
      .meta(said("told to the judge: a rule is taken word for word, a principle by its sense")),
    critical: z.boolean().optional().meta(said("the score is 0 where it is not met")),
    choices: z
      .array(Name)
      .min(2)
      .max(...bound("rubric_choices_max"))
      .optional()
      .meta(said("worst to best: the judge chooses one, which counts from 0 to 1; default: no, yes")),
    name: Name.optional().meta(said("verifiers' word for id")),
    title: Name.optional().meta(said("Rubrics as Rewards' word for id")),
    criterion: Text.optional().meta(said("HealthBench's word for text")),
    description: Text.optional().meta(said("Rubrics as Rewards' word for text")),
    weight: Points.optional().meta(said("verifiers' and Rubrics as Rewards' word for points")),
    tags: z
      .array(anyText("id_chars"))
      .max(...bound("rubric_items_max"))
      .optional()
      .meta(said("HealthBench's; not read")),
  })
  .superRefine((item, context) => {
    for (const [name, ...others] of ALIKE) {
      const given = [name, ...others].filter((name) => item[name] !== undefined);
      const [, second] = given;
      if (second !== undefined) {
        context.addIssue({ code: "custom", path: [second], message: `says the same as ${given[0]}: leave one out` });
      }
    }
    const texts = ALIKE[0];
    if (texts.every((name) => item[name] === undefined)) {
      context.addIssue({ code: "custom", path: ["text"], message: `required, or ${texts.slice(1).join(" or ")}` });
    }
  });
export type GivenItem = z.output<typeof ItemSchema>;

/** A rubric as a group or a spec carries it. */
export const RubricSchema = someOf(ItemSchema, "rubric_items_max")
  .superRefine((items, context) => {
    const ids = items.map(idOf);
    ids.forEach((id, i) => {
      if (ids.indexOf(id) === i) return;
      const message = `the same id as that of the item ${ids.indexOf(id)}; ids tell items apart in replies and the log`;
      context.addIssue({ code: "custom", path: [i], message });
    });
  })
  .meta(said("what a signal of the kind rubric asks the judge"));

/** An item in the one form; what is at its default is left out. */
export interface RubricItem {
  id: string;
  text: string;
  points: number;
  kind?: "rule" | "principle";
  critical?: true;
  choices?: readonly string[];
}

const idOf = ({ id, name, title }: GivenItem, at: number): string => id ?? name ?? title ?? `${at + 1}`;

/** The choices that a plain item has. */
const NO_YES = ["no", "yes"] as const;

const isPlain = (choices: readonly string[]) =>
  choices.length === 2 && NO_YES.every((word, i) => choices[i]?.toLowerCase() === word);

/** Any of the forms as ours. The same rubric in another project's words is the same rubric. */
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

/** Faults of items that do not go with the score, each with the item's place. */
export function itemFaults(
  items: readonly RubricItem[],
  score: RubricScore,
): { path: readonly number[]; message: string }[] {
  if (score === "weighted_mean") {
    const message = "weighted_mean has no points below 0: use points_over_positive";
    return items.flatMap(({ points }, i) => (points < 0 ? [{ path: [i], message }] : []));
  }
  const positive = score === "implicit_1_10" || items.some(({ points }) => points > 0);
  return positive ? [] : [{ path: [], message: "no item has positive points, so nothing can be reached" }];
}

const KIND = { rule: " [rule]", principle: " [principle]" } as const;

/** An item alone, as the judge is shown it: its text, and its choices by their numbers. */
export function loneText({ text, choices }: Pick<RubricItem, "text" | "choices">): string {
  if (choices === undefined) return text;
  return `${text} (choices: ${choices.map((choice, k) => `${k + 1} = ${choice}`).join(", ")})`;
}

/** The items as the judge is shown them, numbered from 1. */
export const rubricText = (items: readonly RubricItem[]): string =>
  items.map((item, i) => `${i + 1}.${item.kind === undefined ? "" : KIND[item.kind]} ${loneText(item)}`).join("\n");

/**
 * The items in the order given, at most `count` a part, and not more text than a slot holds; an item that is
 * longer than a slot is a part by itself.
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
