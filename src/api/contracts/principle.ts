// Owns a request's own principle or rubric as its spec's judges take it: where their preset has a
// place for one. Knows no dialect.
import { presetNamed } from "../../core/judges/presets/table.ts";
import { type AnySpec, hasSignals, type SpecSignal } from "../../core/signals/compiled-spec.ts";
import type { Judge } from "../../core/signals/signal.ts";

type Slot = "principle" | "rubric";
const SLOTS: readonly Slot[] = ["principle", "rubric"];

/** The slots among the two that a preset's messages have. */
const slotsOf = ({ prompt }: Judge): readonly Slot[] =>
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
