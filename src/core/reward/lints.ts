// Warnings about valid specs with signals that may not do what their author intended. Codes:
// docs/errors.jsonl.

import type { CompiledSignal, CompiledSpec } from "./compiled-spec.ts";
import { formOf } from "./spec-forms.ts";

/** Generation speed, in tokens per second, that any verifier is assumed to reach. */
const TOKENS_A_SECOND = 40;

/**
 * Warnings about a spec, each as `code: subject`:
 * - `auxiliary_outweighs`: a signal that neither asks a verifier nor checks correctness can move the reward
 *   further than every signal that does.
 * - `normalised_twice`: `centre` or `zscore`, which a group-relative trainer applies again.
 * - `unused_signal`: neither the reward nor a `when` uses the signal.
 * - `label_free_alone`: a signal that a policy can raise without being correct, in a spec that never checks
 *   correctness.
 * - `length_in_characters`: a length in characters, while a trainer's limits are in tokens.
 * - `failure_becomes_number`: a `coalesce` turns the failure of a signal's backend into a number.
 * - `max_tokens_beyond_deadline`: an answer of max_tokens takes longer than `deadlineMs` at 40 tokens per
 *   second.
 *
 * Warnings that a kind defines itself (`unequal_games`) are sentences. A spec in the flat form has only these
 * and the last one listed.
 */
export function specLints(compiled: CompiledSpec, deadlineMs: number): string[] {
  const { spec, signals } = compiled;
  const slow = signals.flatMap(({ name, judge }) =>
    judge !== null && (judge.max_tokens * 1000) / TOKENS_A_SECOND > deadlineMs ? [name] : [],
  );
  const named = formOf(spec).named
    ? [outweighing, twice, unused, unverified, ofKinds, swallowing].flatMap((lint) => lint(compiled))
    : [];
  const cautions = signals.flatMap(({ signal, settings }) => signal.caution?.(settings) ?? []);
  return [...named, ...cautions, ...slow.map((name) => `max_tokens_beyond_deadline: ${name}`)];
}

/** How far one signal can move the reward if all other signals are fixed at the middle of their ranges. */
function spanOf({ signals, reward }: CompiledSpec, name: string): number {
  const held = signals.flatMap(({ name: other, range: [low, high] }) => {
    const middle = low / 2 + high / 2;
    return other === name ? [] : [[other, [middle, middle]] as const];
  });
  const [low, high] = reward.rangeWith(Object.fromEntries(held));
  return high - low;
}

function outweighing(compiled: CompiledSpec): string[] {
  const span = ({ name }: { name: string }) => spanOf(compiled, name);
  const isMain = ({ judge, signal }: CompiledSignal) => judge !== null || signal.verified === true;
  const mains = compiled.signals.filter(isMain);
  if (mains.length === 0) return [];
  const main = Math.max(...mains.map(span));
  const auxiliary = compiled.signals.filter((signal) => !isMain(signal) && span(signal) > main);
  return auxiliary.map(({ name }) => `auxiliary_outweighs: ${name}`);
}

const twice = ({ reward }: CompiledSpec) => reward.normalising.map((name) => `normalised_twice: ${name}`);

function unused({ signals, reward }: CompiledSpec): string[] {
  const used = new Set([...reward.signals, ...signals.flatMap(({ when }) => when?.signals ?? [])]);
  return signals.flatMap(({ name }) => (used.has(name) ? [] : [`unused_signal: ${name}`]));
}

/** A tournament counts as a check, because its verifier is not the policy. */
function unverified({ signals }: CompiledSpec): string[] {
  const checks = signals.some(({ signal, judge }) => signal.verified === true || judge !== null);
  return checks ? [] : signals.flatMap(({ name, signal }) => (signal.label_free ? [`label_free_alone: ${name}`] : []));
}

const ofKinds = ({ signals }: CompiledSpec) =>
  signals.flatMap(({ name, signal, settings }) => (signal.lints?.(settings) ?? []).map((code) => `${code}: ${name}`));

/** Only signals that ask a verifier count, since other signals have no backend that could fail. */
function swallowing({ signals, reward }: CompiledSpec): string[] {
  const asks = new Set(signals.flatMap(({ name, judge }) => (judge === null ? [] : [name])));
  const all = [reward, ...signals.flatMap(({ when }) => when ?? [])].flatMap(({ swallows }) => swallows);
  return all.flatMap((expression) =>
    expression.signals.some((name) => asks.has(name)) ? `failure_becomes_number: ${expression.text}` : [],
  );
}
