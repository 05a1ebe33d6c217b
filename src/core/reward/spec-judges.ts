// The kinds and judges of a spec's signals.
import type { Question } from "../asking/questions.ts";
import type { Judge, Signal } from "../asking/signal.ts";
import type { Spec } from "./spec.ts";
import { fieldOf } from "./spec-forms.ts";
import { SIGNALS } from "./table.ts";

/** The kind with the given name. The schema accepts only names in the table. */
export const kindNamed = (kind: string): Signal => SIGNALS.find((signal) => signal.kind === kind) as Signal;

/** The kind of backend that answers a signal's questions. */
export const backendOf = (signal: Signal, settings: unknown): Question["to"] => signal.to?.(settings) ?? "chat";

/** Kinds of backends that receive a prompt worded by a preset. */
const ASKED_IN_WORDS: ReadonlySet<Question["to"]> = new Set(["chat", "decide"]);

/** The field of the spec that configures the judge of the audit. */
export const AUDIT_JUDGE = "audit.judge";

/** The judge of a signal, or of the audit, that prompts a model in natural language. */
export interface WordedJudge {
  /** The field of the spec that configures the judge. */
  path: string;
  judge: Judge;
  /** The signal; null for the audit. */
  signal: { name: string; kind: Signal; settings: unknown } | null;
}

/** Judges of all signals that prompt a model in natural language, and the audit's judge. */
export function judgesIn(spec: Spec): WordedJudge[] {
  const audit = spec.audit === undefined ? [] : [{ path: AUDIT_JUDGE, judge: spec.audit.judge, signal: null }];
  const asking = Object.entries(spec.signals).flatMap(
    ([name, { kind: named, when: _, skip_value: __, ...settings }]) => {
      const kind = kindNamed(named);
      const judge = ASKED_IN_WORDS.has(backendOf(kind, settings)) ? kind.judge?.(settings) : undefined;
      return judge == null ? [] : [{ path: fieldOf(spec, name, ["judge"]), judge, signal: { name, kind, settings } }];
    },
  );
  return [...asking, ...audit];
}
