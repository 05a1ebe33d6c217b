// The parser `numbers`: reads the last \boxed{7, 4}, or the last [7, 4] without a box.
import * as z from "zod";
import { lineCounter, linesOf } from "./answer-text.ts";
import { nextBox } from "./boxes.ts";
import { RangeSchema } from "./fields.ts";
import { numbersIn } from "./number-text.ts";
import type { Parser } from "./parser.ts";
import { finalOf, type VerdictMatch } from "./parser-result.ts";

const SCHEMA = z.strictObject({ kind: z.literal("numbers"), range: RangeSchema, whole: z.boolean().optional() });
export type NumbersSettings = z.output<typeof SCHEMA>;

const LIST = /\[([^[\]]{1,256})\]/g;

export const numbers: Parser<NumbersSettings> = {
  kind: "numbers",
  schema: SCHEMA,
  labelCount: () => "either",
  promptMarks: () => ["\\boxed{"],
  read({ range, whole = false }, { segment, count }) {
    const lineAt = lineCounter(segment);
    const matchOf = (line: number, content: string): VerdictMatch[] => {
      if (!/[0-9]|^[^\p{L}]*nan/iu.test(content)) return [];
      const found = numbersIn(content, count, range);
      const good = found !== null && !(whole && found.some((value) => !Number.isInteger(value)));
      return [{ line, value: good ? { numbers: found } : null }];
    };
    const boxes: VerdictMatch[] = [];
    let marked = false;
    for (let box = nextBox(segment, 0); box !== null; box = nextBox(segment, box.end + 1)) {
      marked = true;
      boxes.push(...matchOf(lineAt(box.start), segment.slice(box.start, box.end)));
    }
    if (marked) return finalOf(boxes, true);
    const lists = linesOf(segment).flatMap((text, line) =>
      [...text.matchAll(LIST)].flatMap(([, content]) => matchOf(line, content as string)),
    );
    return finalOf(lists, false);
  },
};
