// Inserts a request's principle or rubric into its spec's judges, if their presets have a slot for one.

import * as z from "zod";
import { said } from "#said";
import type { Judge } from "../../../core/asking/signal.ts";
import { bound } from "../../../core/faults/limit-advice.ts";
import { presetNamed } from "../../../core/judges/presets/table.ts";
import { type AnySpec, hasSignals, type SpecSignal } from "../../../core/reward/compiled-spec.ts";
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

/** The principle slots that occur in a preset's messages. */
const slotsOf = ({ prompt }: Judge): readonly PrincipleSlot[] =>
  SLOTS.filter((slot) => presetNamed(prompt)?.messages.some(({ text }) => text.includes(`{{${slot}`)));

/** The judge with the text in its slots; the same object if it has none. */
function judgeWith(judge: Judge, text: string): Judge {
  const slots = slotsOf(judge);
  return slots.length === 0 ? judge : { ...judge, ...Object.fromEntries(slots.map((slot) => [slot, text])) };
}

function signalWith(signal: SpecSignal, text: string): SpecSignal {
  if (signal.kind !== "tournament" && signal.kind !== "grade") return signal;
  const judge = judgeWith(signal.judge as Judge, text);
  return judge === signal.judge ? signal : { ...signal, judge };
}

/** The spec with the text inserted in all judges that have a slot; null if none has. */
export function specWithPrinciple(spec: AnySpec, text: string): AnySpec | null {
  if (!hasSignals(spec)) {
    const judge = judgeWith(spec.judge, text);
    return judge === spec.judge ? null : { ...spec, judge: judge as typeof spec.judge };
  }
  const signals = Object.entries(spec.signals).map(([name, signal]) => [name, signalWith(signal, text)] as const);
  if (signals.every(([name, signal]) => signal === spec.signals[name])) return null;
  return { ...spec, signals: Object.fromEntries(signals) };
}

/**
 * Like `specWithPrinciple`, with the principle optional. Throws `invalid_request` if no judge of the spec
 * would see it.
 */
export function requirePrinciple(spec: AnySpec, principle: z.output<typeof PrincipleSchema>): AnySpec {
  const informed = principle == null ? spec : specWithPrinciple(spec, principle);
  if (informed !== null) return informed;
  const message =
    "the spec's judge has no slot for it; use a spec whose preset has one, such as the templates rewardanything and rubric-rm of lab/templates";
  throw invalidRequest([{ path: "principle", message }]);
}
