// Cost of a spec for one group in generations and tokens, computed by opening its signals on a dummy group of
// n distinct candidates. Sends no requests.

import { generationsOf } from "../asking/questions.ts";
import type { Plan } from "../asking/signal.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { missingRules } from "../contract/judge-settings.ts";
import { ApiError } from "../faults/errors.ts";
import { hashText } from "../math/random.ts";
import type { CompiledSpec } from "./compiled-spec.ts";

export interface GroupCost {
  rollouts: number;
  /**
   * Generations of the first wave, without repeated questions. Null, like the fields below, if the spec
   * cannot be applied to the group.
   */
  generations: number | null;
  /**
   * Upper bound over all waves, whatever the verifier answers; includes repeated questions and attribution.
   */
  generations_max: number | null;
  /** Upper bounds of the tokens generated for `generations` and `generations_max`. */
  completion_tokens: number | null;
  completion_tokens_max: number | null;
}

/** Cost per asking signal. A signal with `when` is counted as if the condition held for every rollout. */
export function costOf(compiled: CompiledSpec, n: number): Record<string, GroupCost> {
  const group = groupOf(n, Object.keys(formatsOf(compiled)));
  const none = new Array<boolean>(n).fill(false);
  const context = { seed: compiled.spec.seed, judgeable: compiled.judgeable, jams: none, refused: none, step: 0 };
  const costs: Record<string, GroupCost> = {};
  for (const { name, signal, settings, judge } of compiled.signals) {
    if (judge === null) continue;
    const open = signal.open.bind(signal, group, settings, { ...context, name });
    const counts = countsOf(open, missingRules(judge).reask);
    const { max_tokens, budget } = judge;
    const tokens = (generations: number | null) =>
      generations === null ? null : Math.min(generations * max_tokens, budget?.tokens ?? Number.POSITIVE_INFINITY);
    const first = counts?.first ?? null;
    const maxGenerations = counts?.maxGenerations ?? null;
    costs[name] = {
      rollouts: n,
      generations: first,
      generations_max: maxGenerations,
      completion_tokens: tokens(first),
      completion_tokens_max: tokens(maxGenerations),
    };
  }
  return costs;
}

function countsOf(open: () => Plan, reask: number): { first: number; maxGenerations: number } | null {
  try {
    const plan = open();
    const first = plan.next([]).reduce((sum, question) => sum + generationsOf(question), 0);
    const maxGenerations = plan.mostOf?.(first) ?? first * (1 + reask) + (plan.maxAttributionGenerations ?? 0);
    return { first, maxGenerations };
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

const formatsOf = ({ signals }: CompiledSpec) =>
  Object.fromEntries(signals.flatMap(({ name, signal }) => (signal.rules === undefined ? [] : [[name, true]])));

/** A dummy group of n well-formed, distinct rollouts. */
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
    tooLong: texts.map(() => false),
    classes: { classOf: texts.map((_, r) => r), members: texts.map((_, r) => [r]) },
    texts,
    keys: texts.map((text) => hashText("", text)),
    warnings: [],
  };
}
