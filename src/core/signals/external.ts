// Owns the kind `external`: a number for each rollout from a host that the deployment lists.
import * as z from "zod";
import { DEFAULT_SPEC } from "../contract/spec.ts";
import { bound } from "../faults/limit-advice.ts";
import { type AskedQuestion, commonFault } from "../tournament/asked-questions.ts";
import { factOf, type Judge, type Signal } from "./signal.ts";
import { type Valued, valued, without } from "./signal-value.ts";

const SCHEMA = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(...bound("checker_url_chars"))
    .meta({ description: "where the number comes from; its host must be of the deployment's CHECKER_HOSTS" }),
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
function numberOf(asked: readonly AskedQuestion[], own: number): number | null {
  const reading = asked.find(({ question }) => question.shown[0] === own)?.readings[0];
  return reading?.verdict?.kind === "grade" ? reading.verdict.grade : null;
}

function checked(asked: readonly AskedQuestion[], own: number, [low, high]: ExternalSettings["range"]): Valued {
  const number = numberOf(asked, own);
  if (number !== null) return number >= low && number <= high ? valued(number) : without("checker_failed");
  const fault = commonFault(asked, own);
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
    const about = { to: "check" as const, preset: url, ...slots, samples: 1 };
    return {
      next: (seen) => (seen.length > 0 ? [] : texts.map((_, own) => ({ ...about, shown: [own] }))),
      result(seen) {
        const values = texts.map((_, own) => checked(seen, own, range));
        const lost = (own: number) => values[own]?.value === null && numberOf(seen, own) !== null;
        return {
          // Nothing to look at: the worst there is, as in a tournament.
          scores: classes.classOf.map((own) => values[own ?? -1] ?? valued(range[0])),
          details: classes.classOf.map((own) =>
            own !== null && lost(own) ? { out_of_range: numberOf(seen, own) } : null,
          ),
        };
      },
    };
  },
};
