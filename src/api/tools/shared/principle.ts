// Inserts the principle or rubric in a request into the spec's judges, if their presets have a slot for it.

import * as z from "zod";
import { said } from "#said";
import type { Judge } from "../../../core/asking/signal.ts";
import { bound } from "../../../core/faults/limit-advice.ts";
import { presetNamed } from "../../../core/judges/presets/table.ts";
import { type Spec, type SpecSignal, withSignals } from "../../../core/reward/spec.ts";
import { invalidRequest } from "../../door/validation.ts";

export const PrincipleSchema = z
  .string()
  .min(1)
  .max(...bound("slot_chars"))
  .nullish()
  .meta(
    said(
      "principle that says what the verifier should prefer; the preset of the spec's `judge` must have a slot for it",
    ),
  );

type PrincipleSlot = "principle" | "rubric";
const SLOTS: readonly PrincipleSlot[] = ["principle", "rubric"];

/** The slots for a principle that occur in the messages of a judge's preset. */
const slotsOf = ({ prompt }: Judge): readonly PrincipleSlot[] =>
  SLOTS.filter((slot) => presetNamed(prompt)?.messages.some(({ text }) => text.includes(`{{${slot}`)));

/** Inserts a principle into the judge's slots. Returns the same object if the judge has no slots. */
function judgeWith(judge: Judge, text: string): Judge {
  const slots = slotsOf(judge);
  return slots.length === 0 ? judge : { ...judge, ...Object.fromEntries(slots.map((slot) => [slot, text])) };
}

function signalWith(signal: SpecSignal, text: string): SpecSignal {
  if (signal.kind !== "tournament" && signal.kind !== "grade") return signal;
  const judge = judgeWith(signal.judge as Judge, text);
  return judge === signal.judge ? signal : { ...signal, judge };
}

/** Inserts a principle into all judges that have a slot for it. Returns null if no judge has one. */
export function specWithPrinciple(spec: Spec, text: string): Spec | null {
  const changed = withSignals(spec, (signal) => signalWith(signal, text));
  return Object.entries(changed.signals).every(([name, signal]) => signal === spec.signals[name]) ? null : changed;
}

/**
 * Like `specWithPrinciple`, but the principle is optional. Throws `invalid_request` if there is a principle
 * that no judge of the spec would see.
 */
export function requirePrinciple(spec: Spec, principle: z.output<typeof PrincipleSchema>): Spec {
  const informed = principle == null ? spec : specWithPrinciple(spec, principle);
  if (informed !== null) return informed;
  const message =
    "the spec's judge has no slot for it; use a spec whose preset has one, such as the templates rewardanything and rubric-rm of lab/templates";
  throw invalidRequest([{ path: "principle", message }]);
}
