// A request's own principle or rubric as its spec's judges take it: where their preset has a place for one.

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
  .meta(said("what to prefer; the spec's judge must have a place for it"));

type PrincipleSlot = "principle" | "rubric";
const SLOTS: readonly PrincipleSlot[] = ["principle", "rubric"];

/** The slots among the two that a preset's messages have. */
const slotsOf = ({ prompt }: Judge): readonly PrincipleSlot[] =>
  SLOTS.filter((slot) => presetNamed(prompt)?.messages.some(({ text }) => text.includes(`{{${slot}`)));

/** The judge with the text in its slots; the same one where it has none. */
function judgeWith(judge: Judge, text: string): Judge {
  const slots = slotsOf(judge);
  return slots.length === 0 ? judge : { ...judge, ...Object.fromEntries(slots.map((slot) => [slot, text])) };
}

function signalWith(signal: SpecSignal, text: string): SpecSignal {
  if (signal.kind !== "tournament" && signal.kind !== "grade") return signal;
  const judge = judgeWith(signal.judge as Judge, text);
  return judge === signal.judge ? signal : { ...signal, judge };
}

/** The spec with the text where its judges' presets have a place for it; null where none has. */
export function specWithPrinciple(spec: AnySpec, text: string): AnySpec | null {
  if (!hasSignals(spec)) {
    const judge = judgeWith(spec.judge, text);
    return judge === spec.judge ? null : { ...spec, judge: judge as typeof spec.judge };
  }
  const signals = Object.entries(spec.signals).map(([name, signal]) => [name, signalWith(signal, text)] as const);
  if (signals.every(([name, signal]) => signal === spec.signals[name])) return null;
  return { ...spec, signals: Object.fromEntries(signals) };
}

/** The same. Throws `invalid_request` for a principle that none of the spec's judges would be shown. */
export function requirePrinciple(spec: AnySpec, principle: z.output<typeof PrincipleSchema>): AnySpec {
  const informed = principle == null ? spec : specWithPrinciple(spec, principle);
  if (informed !== null) return informed;
  const message =
    "the spec's judge has no place for it; name a spec whose preset has, such as rewardanything or rubric-rm";
  throw invalidRequest([{ path: "principle", message }]);
}
