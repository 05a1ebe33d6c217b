// Groups the questions of a job into calls to a decision model, and orders the candidates in each call's
// state. Independent of HTTP.
import type { JobQuestion } from "../../core/asking/questions.ts";
import { presetNamed } from "../../core/judges/presets/table.ts";
import { hashText } from "../../core/math/random.ts";
import type { VerifierJob } from "../../core/wire/questions.ts";
import type { Countable } from "../fan-out/queue.ts";
import { WHOLE } from "../fan-out/whole.ts";

/** One sample of one question of the job. */
interface DecisionAsk {
  question: number;
  sample: number;
  shown: readonly number[];
}

/** One call to the model: a state and the questions about it. */
export class DecisionCall implements Countable {
  readonly questions = WHOLE;
  /** Indices of the job's candidates; the first is shown as letter A. */
  readonly order: readonly number[];
  readonly asks: readonly DecisionAsk[];
  /** One answer per question; empty until the reply arrives. */
  answers: readonly DecisionAnswer[] = [];

  constructor(order: readonly number[], asks: readonly DecisionAsk[]) {
    const used = new Set(asks.flatMap(({ shown }) => shown));
    this.order = order.filter((candidate) => used.has(candidate));
    this.asks = asks;
  }

  /**
   * Splits the call into smaller ones, so that a candidate that breaks the call only costs the questions
   * that show that candidate. Empty if every question shows all candidates.
   */
  parts(): DecisionCall[] {
    const { order, asks } = this;
    const largest = Math.max(...asks.map(({ shown }) => shown.length));
    if (order.length <= largest) return [];
    const half = new Set(order.slice(0, order.length >> 1));
    const sides = Map.groupBy(asks, ({ shown }) => shown.filter((candidate) => half.has(candidate)).length);
    if (sides.size > 1) return [...sides.values()].map((some) => new DecisionCall(order, some));
    // All questions show candidates from both halves, or are about lists: split by the first candidate shown.
    const firsts = [
      ...new Set(asks.map(({ shown }) => Math.min(...shown.map((candidate) => order.indexOf(candidate))))),
    ];
    const middle = firsts.sort((a, b) => a - b)[firsts.length >> 1] as number;
    const before = (ask: DecisionAsk) => Math.min(...ask.shown.map((candidate) => order.indexOf(candidate))) < middle;
    const [left, right] = [asks.filter(before), asks.filter((ask) => !before(ask))];
    if (left.length > 0) return [new DecisionCall(order, left), new DecisionCall(order, right)];
    // One candidate is compared with all others: split the questions in half.
    const cut = asks.length >> 1;
    return [new DecisionCall(order, asks.slice(0, cut)), new DecisionCall(order, asks.slice(cut))];
  }

  /** Splits the questions into calls of at most `asksMax`, interleaved so that candidates are spread evenly. */
  chunks(asksMax: number): DecisionCall[] {
    const { order, asks } = this;
    const count = Math.ceil(asks.length / asksMax);
    return Array.from(
      { length: count },
      (_, part) =>
        new DecisionCall(
          order,
          asks.filter((_, at) => at % count === part),
        ),
    );
  }
}

export interface DecisionAnswer {
  shares: readonly number[] | null;
  coverage: number;
  /** Whether the model refused the question. */
  refused: boolean;
}

const pairKey = ([i, j]: readonly number[]) => `${i},${j}`;

/**
 * An order of the candidates that agrees with as many pairs as possible. Pairs asked in only one order
 * are constraints; the seed decides the rest, independent of the candidates' arrival order.
 */
function orderOf(
  asks: readonly DecisionAsk[],
  candidates: readonly string[],
  seed: readonly (string | number)[],
): number[] {
  const members = [...new Set(asks.flatMap(({ shown }) => shown))];
  const rank = new Map(members.map((i) => [i, hashText("state", ...seed, candidates[i] as string)[0]]));
  const bySeed = (a: number, b: number) => (rank.get(a) as number) - (rank.get(b) as number) || a - b;
  const shown = new Set(asks.map((ask) => pairKey(ask.shown)));
  const before = new Map(members.map((i) => [i, new Set<number>()]));
  for (const ask of asks) {
    const [i, j] = ask.shown as [number, number];
    if (!shown.has(pairKey([j, i]))) before.get(j)?.add(i);
  }
  const order: number[] = [];
  const left = new Set([...members].sort(bySeed));
  while (left.size > 0) {
    const free = [...left].find((i) => [...(before.get(i) ?? [])].every((other) => !left.has(other)));
    // In a cycle no order satisfies all pairs. Pairs that the order violates go into the reversed state.
    const next = free ?? ([...left][0] as number);
    order.push(next);
    left.delete(next);
  }
  return order;
}

/** Builds the calls for pairs: one state in the order found, and one in reverse order for the other pairs. */
function pairCalls(asks: readonly DecisionAsk[], candidates: readonly string[], seed: readonly (string | number)[]) {
  const order = orderOf(asks, candidates, seed);
  const place = new Map(order.map((candidate, at) => [candidate, at]));
  const isForward = ({ shown: [i, j] }: DecisionAsk) =>
    (place.get(i as number) as number) < (place.get(j as number) as number);
  return [
    { order, asks: asks.filter(isForward) },
    { order: [...order].reverse(), asks: asks.filter((ask) => !isForward(ask)) },
  ];
}

/** Splits the questions into rounds: the first sample of every question, then the second, and so on. */
function roundsOf(questions: readonly JobQuestion[]): DecisionAsk[][] {
  const rounds = Math.max(0, ...questions.map(({ samples }) => samples));
  return Array.from({ length: rounds }, (_, k) =>
    questions.flatMap(({ id, shown, samples, first_sample = 0 }) =>
      k < samples ? [{ question: id, sample: first_sample + k, shown }] : [],
    ),
  );
}

/** Builds the calls of a job, of any size. Each pair is asked once in each of its orders. */
export function callsOf(job: VerifierJob, seed: number): DecisionCall[] {
  return roundsOf(job.questions).flatMap((asks) => {
    const seeds = [seed, (asks[0] as DecisionAsk).sample];
    const shape = presetNamed(job.preset)?.shape;
    const states =
      shape === "pair"
        ? pairCalls(asks, job.candidates, seeds)
        : shape === "list"
          ? asks.map((ask) => ({ order: ask.shown, asks: [ask] }))
          : [{ order: orderOf(asks, job.candidates, seeds), asks }];
    return states.flatMap(({ order, asks }) => (asks.length === 0 ? [] : [new DecisionCall(order, asks)]));
  });
}
