// The kind `external`: a number per rollout, returned by a checker on a host that the deployment allows.

import * as z from "zod";
import { said } from "#said";
import { type AskedQuestion, commonFault } from "../asking/asked-questions.ts";
import { FIRST } from "../asking/purpose.ts";
import type { Signal } from "../asking/signal.ts";
import { valued, without } from "../asking/signal-value.ts";
import { someText } from "../faults/bounded.ts";
import type { ItemErrorCode } from "../faults/errors.ts";
import { referenceOf, UNSAMPLED } from "./lone-judge.ts";
import { gradeOn, lonePlan } from "./lone-plan.ts";

/** Schema of a checker's URL. */
export const CheckerUrlSchema = someText("checker_url_chars").meta(
  said("URL that returns the number; its host must be listed in the deployment's CHECKER_HOSTS"),
);

const SCHEMA = z.strictObject({
  url: CheckerUrlSchema,
  range: z
    .tuple([z.number(), z.number()])
    .meta(said("minimum and maximum of the numbers; a number outside is a failure and is not clamped")),
});

/** The reason why a checker returned no usable number for a candidate. */
export function checkerFault(seen: readonly AskedQuestion[], text: number): ItemErrorCode {
  const fault = commonFault(seen, text);
  return fault === "deadline" || fault === "cancelled" ? fault : "checker_failed";
}

interface ExternalSettings {
  url: string;
  range: readonly [number, number];
}

export const external: Signal<ExternalSettings> = {
  kind: "external",
  schema: SCHEMA,
  to: () => "check",
  address: ({ url }) => url,
  fault: ({ range: [low, high] }) =>
    low < high
      ? null
      : { path: ["range"], message: `the minimum must be below the maximum; ${low} is not below ${high}` },
  relative: false,
  judge: () => UNSAMPLED,
  facts: () => [],
  range: ({ range }) => range,
  open({ group, classes, texts }, { url, range }) {
    const [low, high] = range;
    const reference = referenceOf(group);
    const slots = reference !== undefined && { slots: { reference } };
    const question = { to: "check" as const, preset: url, ...slots, samples: 1, purpose: FIRST };
    return lonePlan({
      questions: texts.map((_, text) => ({ ...question, shown: [text] })),
      textIndices: classes.classOf,
      read: (seen) => (text) => {
        // Without a candidate there is nothing to check, so the rollout gets the lowest value, as it does in
        // a tournament.
        if (text === null) return { value: valued(low), detail: null };
        const number = gradeOn(seen, text);
        if (number !== null && number >= low && number <= high) return { value: valued(number), detail: null };
        return {
          value: without(number === null ? checkerFault(seen, text) : "checker_failed"),
          detail: number === null ? null : { out_of_range: number },
        };
      },
    });
  },
};
