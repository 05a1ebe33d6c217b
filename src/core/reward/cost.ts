// Owns what a spec costs for a group: generations and tokens, counted by opening its signals on a
// group of n different candidates. Asks nobody.

import type { Forecast, RehearsalWork } from "../asking/comparison.ts";
import { generationsOf } from "../asking/questions.ts";
import type { Plan } from "../asking/signal.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { missingRules } from "../contract/spec.ts";
import { ApiError } from "../faults/errors.ts";
import { hashText } from "../math/random.ts";
import type { CompiledSpec } from "./compiled-spec.ts";

export interface GroupCost {
  rollouts: number;
  /**
   * Of the first wave, without what may be asked again; null, as all below, where the group cannot
   * be met.
   */
  generations: number | null;
  /**
   * Of all waves: as many as a middling verifier's answers make of them, null where to find out
   * takes more work than is paid; and at most, with what is asked again and to learn whose doing
   * that is, whatever the verifier answers.
   */
  generations_expected: number | null;
  generations_max: number | null;
  /** Most tokens that may be generated for those of the first wave, the expected and the most. */
  completion_tokens: number | null;
  completion_tokens_expected: number | null;
  completion_tokens_max: number | null;
}

/**
 * By signal that asks; a signal with `when` as if it held for every rollout. Yields as `forecastOf`
 * does.
 */
export function* costOf(
  compiled: CompiledSpec,
  n: number,
  work: RehearsalWork,
): Generator<number, Record<string, GroupCost>> {
  const group = groupOf(n, Object.keys(formatsOf(compiled)));
  const none = new Array<boolean>(n).fill(false);
  const context = { seed: compiled.spec.seed, judgeable: compiled.judgeable, jams: none, refused: none, step: 0 };
  const costs: Record<string, GroupCost> = {};
  for (const { name, signal, settings, judge } of compiled.signals) {
    if (judge === null) continue;
    const open = signal.open.bind(signal, group, settings, { ...context, name });
    const counts = yield* countsOf(open, missingRules(judge).reask, work);
    const { max_tokens, budget, filter, first } = judge;
    // Each answer is scored once; a scalar model generates nothing.
    const asked = (generations: number | null = null) =>
      generations === null || filter === undefined ? generations : 2 * generations;
    const tokens = (generations: number | null = null, ofFirst: number | null = null) => {
      const written = filter?.by === "chat" ? asked(generations) : generations;
      if (written === null) return null;
      const before = ofFirst ?? 0;
      const all = (written - before) * max_tokens + before * (first?.max_tokens ?? 0);
      return Math.min(all, budget?.tokens ?? Number.POSITIVE_INFINITY);
    };
    costs[name] = {
      rollouts: n,
      generations: asked(counts?.first),
      generations_expected: asked(counts?.expected),
      generations_max: asked(counts?.most),
      completion_tokens: tokens(counts?.first, first === undefined ? 0 : counts?.first),
      completion_tokens_expected: tokens(counts?.expected, counts?.first_judge?.expected),
      completion_tokens_max: tokens(counts?.most, counts?.first_judge?.most),
    };
  }
  return costs;
}

function* countsOf(
  open: () => Plan,
  reask: number,
  work: RehearsalWork,
): Generator<number, ({ first: number } & Forecast) | null> {
  try {
    const plan = open();
    const first = plan.next([]).reduce((sum, question) => sum + generationsOf(question), 0);
    const alone = { expected: first, most: first * (1 + reask) + (plan.aside ?? 0) };
    const forecast = plan.forecast === undefined ? alone : yield* plan.forecast(work);
    return { first, ...forecast };
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
    tooLong: texts.map(() => false),
    classes: { classOf: texts.map((_, r) => r), members: texts.map((_, r) => [r]) },
    texts,
    keys: texts.map((text) => hashText("", text)),
    warnings: [],
  };
}
