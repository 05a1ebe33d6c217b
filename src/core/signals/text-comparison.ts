// Owns the form of the kinds that compare two texts made of the sample and the dataset's row, and
// ask nobody: OpenAI's graders `string_check` and `text_similarity`.
import type * as z from "zod";
import { FillRoom } from "../asking/fill-room.ts";
import { answeredAtOnce, inSteps, type RolloutValue, type Signal } from "../asking/signal.ts";
import { type Valued, without } from "../asking/signal-value.ts";
import {
  type Filling,
  filledText,
  fillingOf,
  ITEM_FIELDS,
  isOfGroup,
  itemFact,
  itemFault,
  templateOf,
  textOfRow,
} from "./sample-template.ts";
import { type UnreadableRule, unread } from "./unreadable.ts";

/** What comparing costs, in chars that are looked at a few times. */
export interface TextWork {
  /** Of a char by which a sample fills a template beyond its own length. */
  sample: number;
  /** Of a char that the row fills beyond what was sent of it, beside another text of so many chars. */
  row(other: number): number;
  /** Chars of a unit that is compared; absent: 1. */
  unit?: number;
  /** A text that is the same for all samples costs as much beside each of them. */
  again?: boolean;
}

/** What is looked at in a step (`turn_steps`). */
const CHARS_A_STEP = 25;

type FilledBy = (filling: Filling) => ReturnType<typeof filledText>;

interface TwoTexts extends UnreadableRule {
  input: string;
  reference: string;
}

/** Fills a template over each sample of a group, once where it is the same for all. */
function fillerOf(text: string, { sample, again = false }: TextWork): FilledBy {
  const template = templateOf(text);
  const filled: FilledBy = (filling) => filledText(template, filling, sample);
  if (!isOfGroup(template)) return filled;
  let first: ReturnType<FilledBy> | null = null;
  let later: ReturnType<FilledBy> | null = null;
  return (filling) => {
    if (later !== null) return later;
    if (first === null) {
      first = filled(filling);
      return first;
    }
    later = again || typeof first === "string" ? first : { ...first, row: 0 };
    return later;
  };
}

/**
 * @param comparer for one group: in [0, 1], null where a text is too long to be compared
 */
export const comparing = <S extends TwoTexts>(
  kind: string,
  schema: z.ZodObject,
  comparer: (settings: S) => (input: string, reference: string) => Valued | null,
  workOf: (settings: S) => TextWork,
): Signal<S> => ({
  kind,
  schema,
  fields: ITEM_FIELDS,
  relative: false,
  verified: true,
  facts: ({ input, reference }) => itemFact([input, reference]),
  groupFault: ({ input, reference }, group) => itemFault([input, reference], group),
  range: () => [0, 1],
  ...inSteps<S>(function* ({ group, index }, settings, { room = new FillRoom() }) {
    const work = workOf(settings);
    const compare = comparer(settings);
    const [inputFiller, referenceFiller] = [fillerOf(settings.input, work), fillerOf(settings.reference, work)];
    /** Too long by the row alone, told once: no sample's doing. */
    let byRow: boolean | undefined;
    const isLong = () => {
      const rowOf = (text: string) => textOfRow(templateOf(text), fillingOf(group, index, ""));
      byRow ??= compare(rowOf(settings.input), rowOf(settings.reference)) === null;
      return byRow;
    };
    let last: { a: string; b: string; found: Valued | null } | null = null;
    let looked = 0;
    const rowOf = (text: string): RolloutValue => {
      const filling = fillingOf(group, index, text);
      const [a, b] = [inputFiller(filling), referenceFiller(filling)];
      if (typeof a === "string") return unread(settings, a);
      if (typeof b === "string") return unread(settings, b);
      const rows = a.row * work.row(b.text.length) + b.row * work.row(a.text.length);
      if (rows > 0) room.take(rows, index);
      // Equal samples, or templates that do not look at the sample, are compared once.
      if (last?.a !== a.text || last.b !== b.text) {
        last = { a: a.text, b: b.text, found: compare(a.text, b.text) };
        const { unit = 1 } = work;
        const [long, beside] = [a.text.length / unit, b.text.length / unit];
        looked = long * work.row(beside) + beside * work.row(long);
      }
      const { found } = last;
      if (found === null && !isLong()) return unread(settings, "sample_too_long");
      return { value: found ?? without("text_too_long"), detail: null };
    };
    const rows: RolloutValue[] = [];
    for (const { text } of group.rollouts) {
      looked = text.length;
      rows.push(rowOf(text));
      yield Math.ceil(looked / CHARS_A_STEP);
    }
    return answeredAtOnce(
      () => rows.map(({ value }) => value),
      () => rows.map(({ detail }) => detail),
    );
  }),
});
