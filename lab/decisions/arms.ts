// Asks about a group in several ways: all pairs in one state, each pair separately, one question at a
// time, and a repetition.
import { createRandom, hashText, shuffled } from "../../src/core/math/random.ts";
import type { VerifierJob } from "../../src/core/wire/questions.ts";
import { createStates } from "../../src/verifier/decision/state.ts";
import type { Asked, Asker } from "./asker.ts";

export interface StudyGroup {
  name: string;
  prompt: string;
  texts: readonly string[];
  /** How good each text is; higher is better. */
  truth: readonly number[];
}

/** P(i is better than j), with i shown first; null where the model gave none. */
export interface Reading {
  i: number;
  j: number;
  p: number | null;
}

export interface GroupReadings {
  group: StudyGroup;
  /** All pairs in one state and in its reverse. */
  joint: Reading[];
  /** Each pair in its own state, in both orders. */
  alone: Reading[];
  /** One question about the whole state; some pairs. */
  single: Reading[];
  /** The whole state asked a second time. */
  repeated: Reading[];
  /** By candidate: the probability of being the best, mean of both orders; null where there is none. */
  best: (number | null)[];
  /** Probability of the check's right word, of each call. */
  checks: (number | null)[];
  tokens: { joint: number; alone: number };
  faults: string[];
}

/** Pairs of a group that are asked one question at a time. */
const SINGLES = 4;
const SECRET = "decisions-study";

type Pair = readonly [number, number];
const pairsOf = (order: readonly number[]): Pair[] =>
  order.flatMap((i, at) => order.slice(at + 1).map((j): Pair => [i, j]));

/** Asks all about one group. @throws BudgetSpent */
export async function readGroup(asker: Asker, group: StudyGroup): Promise<GroupReadings> {
  const baseJob = { to: "decide" as const, question: group.prompt, language: null, candidates: [...group.texts] };
  const job = (preset: string): VerifierJob => ({ ...baseJob, preset, questions: [] });
  const [pairs, lists] = [createStates(job("decide-pair"), SECRET), createStates(job("decide-best"), SECRET)];
  const random = createRandom(hashText("decisions", group.name));
  const order = shuffled(
    group.texts.map((_, i) => i),
    random,
  );
  const orders = [order, [...order].reverse()];
  const groupReadings: GroupReadings = {
    ...{ group, joint: [], alone: [], single: [], repeated: [], best: [], checks: [], faults: [] },
    tokens: { joint: 0, alone: 0 },
  };
  const note = ({ check, fault }: Asked) => {
    if (fault === null) groupReadings.checks.push(check);
    else groupReadings.faults.push(fault);
  };
  const ask = async (shown: readonly number[], asked: readonly Pair[], repeat = 0) => {
    const asks = asked.map((pair, question) => ({ question, sample: 0, shown: pair }));
    const answer = await asker.ask(pairs({ order: shown, asks }), repeat);
    note(answer);
    const readings = asked.map(([i, j], at): Reading => ({ i, j, p: answer.shares[at]?.[0] ?? null }));
    return { readings, tokens: answer.tokens };
  };

  for (const shown of orders) {
    const { readings, tokens } = await ask(shown, pairsOf(shown));
    groupReadings.joint.push(...readings);
    groupReadings.tokens.joint += tokens;
    for (const pair of pairsOf(shown)) {
      const answer = await ask(pair, [pair]);
      groupReadings.alone.push(...answer.readings);
      groupReadings.tokens.alone += answer.tokens;
    }
  }
  groupReadings.repeated.push(...(await ask(order, pairsOf(order), 1)).readings);
  for (const pair of shuffled(pairsOf(order), random).slice(0, SINGLES)) {
    groupReadings.single.push(...(await ask(order, [pair])).readings);
  }
  const bests: (number | null)[][] = [];
  for (const shown of orders) {
    const answer = await asker.ask(lists({ order: shown, asks: [{ question: 0, sample: 0, shown }] }));
    note(answer);
    bests.push(group.texts.map((_, i) => answer.shares[0]?.[shown.indexOf(i)] ?? null));
  }
  groupReadings.best = group.texts.map((_, i) => meanOf(bests.map((shares) => shares[i] ?? null)));
  return groupReadings;
}

/** The mean, or null where a value is missing. */
export function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length < values.length || known.length === 0 ? null : known.reduce((a, b) => a + b, 0) / known.length;
}
