// Owns the form of the kinds that compare two texts made of the sample and the dataset's row, and
// ask nobody: OpenAI's graders `string_check` and `text_similarity`.
import type * as z from "zod";
import { filledText, ITEM_FIELDS, itemFact, itemFault, templateOf } from "./sample-template.ts";
import { answeredAtOnce, factOf, type Signal } from "./signal.ts";
import { type Valued, without } from "./signal-value.ts";

interface TwoTexts {
  input: string;
  reference: string;
}

/** @param compare in [0, 1], or why the two cannot be compared */
export const comparing = <S extends TwoTexts>(
  kind: string,
  schema: z.ZodObject,
  compare: (settings: S, input: string, reference: string) => Valued,
): Signal<S> => ({
  kind,
  schema,
  fields: ITEM_FIELDS,
  relative: false,
  verified: true,
  facts: ({ input, reference }) => itemFact([input, reference]),
  groupFault: ({ input, reference }, group) => itemFault([input, reference], group),
  range: () => [0, 1],
  open({ group, index }, settings) {
    const [own, other] = [templateOf(settings.input), templateOf(settings.reference)];
    const item = factOf<Record<string, unknown>>(group, "item");
    const values = group.rollouts.map(({ text }) => {
      const filling = { item, index, text };
      const [a, b] = [filledText(own, filling), filledText(other, filling)];
      return a === null || b === null ? without("sample_not_json") : compare(settings, a, b);
    });
    return answeredAtOnce(() => values);
  },
});
