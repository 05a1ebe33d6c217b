// Owns the kind `string_check`: whether two texts made of the sample and the dataset's row are
// equal, or one holds the other, as OpenAI's grader of that name.

import * as z from "zod";
import { said } from "#said";
import { valued } from "../asking/signal-value.ts";
import { holds } from "../text/text-search.ts";
import { TemplateSchema } from "./sample-template.ts";
import { comparing, type TextWork } from "./text-comparison.ts";
import { UnreadableSchema } from "./unreadable.ts";

const SCHEMA = z.strictObject({
  input: TemplateSchema,
  reference: TemplateSchema,
  unreadable: UnreadableSchema,
  operation: z
    .enum(["eq", "ne", "like", "ilike"])
    .meta(said("1 where input equals reference, differs from it, holds it, or holds it whatever the case")),
});
type StringCheckSettings = z.output<typeof SCHEMA>;

const OPERATIONS: Readonly<Record<StringCheckSettings["operation"], (input: string, reference: string) => boolean>> = {
  eq: (input, reference) => input === reference,
  ne: (input, reference) => input !== reference,
  like: (input, reference) => holds(input, reference),
  ilike: (input, reference) => holds(input.toLowerCase(), reference.toLowerCase()),
};

/** A search goes through both texts for each sample, however many samples share one of them. */
const SEARCHED = { sample: 4, row: () => 8, again: true };
const WORK: Readonly<Record<StringCheckSettings["operation"], TextWork>> = {
  eq: { sample: 4, row: () => 4 },
  ne: { sample: 4, row: () => 4 },
  like: SEARCHED,
  ilike: SEARCHED,
};

export const stringCheck = comparing(
  "string_check",
  SCHEMA,
  ({ operation }: StringCheckSettings) =>
    (input, reference) =>
      valued(OPERATIONS[operation](input, reference) ? 1 : 0),
  ({ operation }) => WORK[operation],
);
