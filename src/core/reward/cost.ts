// Cost of a spec for one group in requests, generations and tokens, computed by opening its signals on a
// dummy group of n distinct candidates. Sends no requests.

import type { Plan } from "../asking/plan.ts";
import { generationsOf, type Question } from "../asking/questions.ts";
import { type EstimatedJob, type RequestCost, requestCost, type TextLengths } from "../asking/request-cost.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { type JudgeSettings, missingRules } from "../contract/judge-settings.ts";
import { ApiError } from "../faults/errors.ts";
import { hashText } from "../math/random.ts";
import type { CompiledSpec } from "./compiled-spec.ts";

export interface GroupCost {
  rollouts: number;
  /** Requests to the verifier for `generations`. Null, like the fields below, if the spec cannot be applied. */
  calls: number | null;
  /** Generations of the first wave, without repeated questions. */
  generations: number | null;
  /**
   * Upper bound over all waves, whatever the verifier answers; includes repeated questions and attribution.
   */
  generations_max: number | null;
  /** Upper estimate of the input tokens of `calls`. */
  prompt_tokens: number | null;
  /** Upper bounds of the tokens generated for `generations` and `generations_max`. */
  completion_tokens: number | null;
  completion_tokens_max: number | null;
}

/** Assumptions of the estimate: the texts' lengths, and how a backend batches questions. */
interface CostAssumptions {
  lengths: TextLengths;
  /** See `Verifier.requestCost`. */
  requestCost?: ((job: EstimatedJob, lengths: TextLengths) => Partial<RequestCost>) | undefined;
}

const NO_TEXTS: CostAssumptions = { lengths: { prompt_tokens: 0, rollout_tokens: 0 } };

/** Cost per asking signal. A signal with `when` is counted as if the condition held for every rollout. */
export function costOf(compiled: CompiledSpec, n: number, assumed = NO_TEXTS): Record<string, GroupCost> {
  const group = groupOf(n, Object.keys(formatsOf(compiled)));
  const none = new Array<boolean>(n).fill(false);
  const context = { seed: compiled.spec.seed, judgeable: compiled.judgeable, jams: none, refused: none, step: 0 };
  const costs: Record<string, GroupCost> = {};
  for (const { name, signal, settings, judge } of compiled.signals) {
    if (judge === null) continue;
    const open = signal.open.bind(signal, group, settings, { ...context, name });
    const counts = countsOf(open, missingRules(judge).reask);
    const { max_tokens, budget } = judge;
    const generated = counts?.questions.some(({ to }) => to === "chat") === true ? max_tokens : 0;
    const tokens = (generations: number | null) =>
      generations === null ? null : Math.min(generations * generated, budget?.tokens ?? Number.POSITIVE_INFINITY);
    const first = counts?.first ?? null;
    const maxGenerations = counts?.maxGenerations ?? null;
    const requests = counts === null ? null : requestsOf(counts, group, judge, assumed);
    costs[name] = {
      rollouts: n,
      calls: requests?.calls ?? null,
      generations: first,
      generations_max: maxGenerations,
      prompt_tokens: requests?.prompt_tokens ?? null,
      completion_tokens: tokens(first),
      completion_tokens_max: tokens(maxGenerations),
    };
  }
  return costs;
}

interface PlanCounts {
  /** The first wave. */
  questions: readonly Question[];
  texts: readonly string[] | null;
  first: number;
  maxGenerations: number;
}

function countsOf(open: () => Plan, reask: number): PlanCounts | null {
  try {
    const plan = open();
    const questions = plan.next([]);
    const first = questions.reduce((sum, question) => sum + generationsOf(question), 0);
    const maxGenerations = plan.mostOf?.(first) ?? first * (1 + reask) + (plan.maxAttributionGenerations ?? 0);
    return { questions, texts: plan.shows?.texts ?? null, first, maxGenerations };
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/** Requests and input tokens of a first wave, whose questions form one job per preset and its slots. */
function requestsOf(
  { questions, texts }: PlanCounts,
  group: PreparedGroup,
  { form }: JudgeSettings,
  { lengths, requestCost: backend }: CostAssumptions,
): RequestCost {
  // Slots are compared by identity, because a plan's questions share them and they may be long.
  const bySlots = [...Map.groupBy(questions, ({ slots }) => slots).values()];
  const jobs = bySlots.flatMap((asked) => [...Map.groupBy(asked, ({ preset }) => preset).values()]);
  const total = { calls: 0, prompt_tokens: 0 };
  for (const asked of jobs) {
    const { to, preset, slots } = asked[0] as Question;
    const job: EstimatedJob = {
      ...{ to, preset, question: group.question, language: null },
      ...(slots && { slots }),
      candidates: texts ?? group.texts,
      questions: asked.map(({ shown, samples }, id) => ({ id, shown, samples })),
    };
    const { calls, prompt_tokens } = { ...requestCost(job, form, lengths), ...backend?.(job, lengths) };
    total.calls += calls;
    total.prompt_tokens += prompt_tokens;
  }
  return total;
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
