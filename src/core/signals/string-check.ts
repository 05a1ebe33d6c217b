// Owns the kind `string_check`: whether two texts made of the sample and the dataset's row are
// equal, or one holds the other, as OpenAI's grader of that name.
import * as z from "zod";
import { comparing } from "./comparing-texts.ts";
import { TemplateSchema } from "./sample-template.ts";
import { valued } from "./signal-value.ts";

const SCHEMA = z.strictObject({
  input: TemplateSchema,
  reference: TemplateSchema,
  operation: z.enum(["eq", "ne", "like", "ilike"]).meta({
    description: "1 where input equals reference, differs from it, holds it, or holds it whatever the case",
  }),
});
export type StringCheckSettings = z.output<typeof SCHEMA>;

const OPERATIONS: Readonly<Record<StringCheckSettings["operation"], (input: string, reference: string) => boolean>> = {
  eq: (input, reference) => input === reference,
  ne: (input, reference) => input !== reference,
  like: (input, reference) => input.includes(reference),
  ilike: (input, reference) => input.toLowerCase().includes(reference.toLowerCase()),
};

export const stringCheck = comparing("string_check", SCHEMA, ({ operation }: StringCheckSettings, input, reference) =>
  valued(OPERATIONS[operation](input, reference) ? 1 : 0),
);
