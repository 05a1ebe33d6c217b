// Owns what a spec costs for a group: generations and tokens, counted by opening its signals on a
// group of n different candidates. Asks nobody.

import type { PreparedGroup } from "../candidate/prepare.ts";
import { ApiError } from "../faults/errors.ts";
import { hashText } from "../math/random.ts";
import type { CompiledSpec } from "./compiled-spec.ts";

export interface GroupCost {
  rollouts: number;
  /** Of the first wave, without what may be asked again; null where the group cannot be met. */
  generations: number | null;
  /** Most tokens that may be generated for them. */
  completion_tokens_max: number | null;
}

/** By signal that asks; a signal with `when` as if it held for every rollout. */
export function costOf(compiled: CompiledSpec, n: number): Record<string, GroupCost> {
  const group = groupOf(n, Object.keys(formatsOf(compiled)));
  const none = new Array<boolean>(n).fill(false);
  const about = { seed: compiled.spec.seed, judgeable: compiled.judgeable, jams: none, refused: none, step: 0 };
  const costs = compiled.signals.flatMap(({ name, signal, settings, judge }) => {
    if (judge === null) return [];
    const generations = countOf(() => signal.open(group, settings, { ...about, name }).next([]));
    const completion_tokens_max = generations === null ? null : generations * judge.max_tokens;
    return [[name, { rollouts: n, generations, completion_tokens_max }] as const];
  });
  return Object.fromEntries(costs);
}

function countOf(questions: () => readonly { samples: number }[]): number | null {
  try {
    return questions().reduce((sum, { samples }) => sum + samples, 0);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

const formatsOf = ({ signals }: CompiledSpec) =>
  Object.fromEntries(signals.flatMap(({ name, signal }) => (signal.rules === undefined ? [] : [[name, true]])));

/** n well-formed rollouts, all different. */
function groupOf(n: number, formats: readonly string[]): PreparedGroup {
  const texts = Array.from({ length: n }, (_, r) => `${r}`);
  const all = texts.map(() => true);
  return {
    group: { prompt: "", rollouts: texts.map((text) => ({ text })) },
    index: 0,
    group_id: "0",
    question: "",
    language: null,
    candidates: texts,
    formatOk: all,
    formats: Object.fromEntries(formats.map((name) => [name, all])),
    overlong: false,
    classes: { classOf: texts.map((_, r) => r), members: texts.map((_, r) => [r]) },
    texts,
    keys: texts.map((text) => hashText("", text)),
    warnings: [],
  };
}
