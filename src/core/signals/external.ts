// Owns the kind `external`: a number for each rollout from a host that the deployment lists.
import * as z from "zod";
import { type AskedQuestion, commonFault } from "../asking/asked-questions.ts";
import { factOf, type Judge, type Signal } from "../asking/signal.ts";
import { type Valued, valued, without } from "../asking/signal-value.ts";
import { DEFAULT_SPEC } from "../contract/spec.ts";
import { someText } from "../faults/bounded.ts";

const SCHEMA = z.strictObject({
  url: someText("checker_url_chars").meta({
    description: "where the number comes from; its host must be of the deployment's CHECKER_HOSTS",
  }),
  range: z
    .tuple([z.number(), z.number()])
    .meta({ description: "where every number lies, lowest first; one outside is a failure, and never moved inside" }),
});

interface ExternalSettings {
  url: string;
  range: readonly [number, number];
}

/** A checker samples nothing and generates nothing. */
const JUDGE: Judge = { ...DEFAULT_SPEC.judge, temperature: 0, max_tokens: 1, reask: 0 };

/** The number that was said of a class; null where none was. */
function numberOf(asked: readonly AskedQuestion[], classIndex: number): number | null {
  const reading = asked.find(({ question }) => question.shown[0] === classIndex)?.readings[0];
  return reading?.verdict?.kind === "grade" ? reading.verdict.grade : null;
}

function checked(asked: readonly AskedQuestion[], classIndex: number, [low, high]: ExternalSettings["range"]): Valued {
  const number = numberOf(asked, classIndex);
  if (number !== null) return number >= low && number <= high ? valued(number) : without("checker_failed");
  const fault = commonFault(asked, classIndex);
  return without(fault === "deadline" || fault === "cancelled" ? fault : "checker_failed");
}

export const external: Signal<ExternalSettings> = {
  kind: "external",
  schema: SCHEMA,
  to: () => "check",
  address: ({ url }) => url,
  fault: ({ range: [low, high] }) =>
    low < high ? null : { path: ["range"], message: `the first must be below the second; ${low} is not below ${high}` },
  relative: false,
  judge: () => JUDGE,
  facts: () => [],
  range: ({ range }) => range,
  open({ group, classes, texts }, { url, range }) {
    const given = factOf<string | string[]>(group, "reference");
    const reference = Array.isArray(given) ? given.join("\nor: ") : given;
    const slots = reference !== undefined && { slots: { reference } };
    const question = { to: "check" as const, preset: url, ...slots, samples: 1 };
    return {
      next: (seen) => (seen.length > 0 ? [] : texts.map((_, classIndex) => ({ ...question, shown: [classIndex] }))),
      result(seen) {
        const values = texts.map((_, classIndex) => checked(seen, classIndex, range));
        const lost = (r: number) => values[r]?.value === null && numberOf(seen, r) !== null;
        return {
          // Nothing to look at: the worst there is, as in a tournament.
          scores: classes.classOf.map((classIndex) => values[classIndex ?? -1] ?? valued(range[0])),
          details: classes.classOf.map((classIndex) =>
            classIndex !== null && lost(classIndex) ? { out_of_range: numberOf(seen, classIndex) } : null,
          ),
        };
      },
    };
  },
};
