// Views of a group's multi-turn rollouts: the initial turns that all rollouts share, each rollout's own turns
// and files, and the share of them that is shown.
import type { Rollout } from "../../contract/group.ts";
import { answerOf, isOwnTurn, type Turn, turnOfText, turnsOf } from "../../transcript/turns.ts";
import { fileRegions } from "./files.ts";
import { thoughtsApart } from "./thoughts.ts";
import {
  type LeftOut,
  ownWordsChars,
  type Region,
  regionsOf,
  type ShownShare,
  type ViewBudget,
  viewOf,
  wantedChars,
} from "./view.ts";

/** A rollout's turns, and its files in the form in which they are shown. */
export interface Evidence {
  turns: readonly Turn[];
  files: readonly Region[];
}

/**
 * Collects the evidence of a group's rollouts. Returns null if all rollouts are plain texts, which are judged
 * directly. Yields the number of work steps it took.
 * @param diffs whether files without a base are shown as additions
 * @param opened for each rollout, whether it begins inside thoughts that the prompt opened
 */
export function* evidenceOf(
  rollouts: readonly Rollout[],
  diffs = false,
  opened: readonly boolean[] = [],
): Generator<number, Evidence[] | null> {
  if (rollouts.every(({ messages, files }) => messages === undefined && files === undefined)) return null;
  const all: Evidence[] = [];
  for (const [r, { text, messages, files = [] }] of rollouts.entries()) {
    const turns = messages === undefined ? (text === "" ? [] : turnOfText(text)) : turnsOf(messages);
    all.push({ turns: thoughtsApart(turns, opened[r] === true), files: yield* fileRegions(files, diffs) });
  }
  return all;
}

/**
 * Number of initial turns that all rollouts share. At least one turn per rollout is not shared. Turns of the
 * policy are never shared, even if they are identical, because they belong to the response.
 */
function sharedTurns(all: readonly Evidence[]): number {
  const [first, ...others] = all as [Evidence, ...Evidence[]];
  if (others.length === 0) return 0;
  const maxShared = Math.min(...all.map(({ turns }) => turns.length - 1));
  let shared = 0;
  while (shared < maxShared && !isOwnTurn(first.turns[shared] as Turn)) {
    const turn = JSON.stringify(first.turns[shared]);
    if (others.some(({ turns }) => JSON.stringify(turns[shared]) !== turn)) break;
    shared++;
  }
  return Math.max(0, shared);
}

/** The view of a group that the judge is shown, and how much of each rollout it contains. */
export interface GroupView {
  /**
   * Number of initial turns that all rollouts share. Their text, `beginning`, is part of the question; null
   * if there are none.
   */
  shared: number;
  beginning: string | null;
  /** One entry per rollout. */
  texts: readonly string[];
  /**
   * For each rollout, the number of characters of the policy's words, including the headers of their blocks.
   */
  policyChars: readonly number[];
  shown: readonly ShownShare[];
  /** For each rollout, the share of its characters that was cut off because of its length. */
  cut: readonly number[];
  /** For each rollout, whether a smaller budget would cut more of it. */
  cuttable: readonly boolean[];
}

interface ViewRule {
  reasoning: boolean;
  budget: Omit<ViewBudget, "shrinks">;
  /** For each rollout, how often the budget for text that the policy did not write is halved. */
  shrinks: readonly number[];
}

/** Number of characters of the policy's words without thoughts, including the headers of their blocks. */
export const ownLength = ({ turns }: Evidence): number =>
  ownWordsChars(regionsOf(turns).filter(({ is }) => is !== "thoughts"));

const charsOf = (regions: readonly Region[]): number => regions.reduce((sum, { text }) => sum + text.length, 0);

/**
 * The complete view of each rollout: turns, calls, results and files. Initial turns that all rollouts share
 * are shown only once.
 */
export function wholeView(all: readonly Evidence[], { reasoning, budget, shrinks }: ViewRule): GroupView {
  const shared = sharedTurns(all);
  const common = regionsOf((all[0] as Evidence).turns.slice(0, shared));
  const regions = all.map(({ turns, files }) => [...regionsOf(turns.slice(shared), shared + 1), ...files]);
  const ofThought = ({ is }: Region) => reasoning || is !== "thoughts";
  // The shared turns take at most half of the budget, however long the runs are, so that a long run does not
  // reduce what is shown of the turns that the others share.
  const total_chars = Math.min(wantedChars(common, budget), Math.floor(budget.total_chars / 2));
  const beginning = viewOf(common, reasoning, { ...budget, total_chars, shrinks: Math.min(...shrinks) });
  const left = Math.max(0, budget.total_chars - (shared === 0 ? 0 : beginning.text.length));
  const views = regions.map((rolloutRegions, r) =>
    viewOf(rolloutRegions, reasoning, { ...budget, total_chars: left, shrinks: shrinks[r] as number }),
  );
  const commonChars = charsOf(common.filter(ofThought));
  const shown = views.map((view, r) => {
    const chars = charsOf((regions[r] as Region[]).filter(ofThought));
    const whole = chars + commonChars;
    const share = (chars * view.shown + commonChars * beginning.shown) / whole;
    return { shown: whole === 0 ? 1 : share, left_out: added(view.left_out, beginning.left_out) };
  });
  return {
    shared,
    beginning: shared === 0 ? null : beginning.text,
    texts: views.map(({ text }) => text),
    policyChars: regions.map((rolloutRegions) => ownWordsChars(rolloutRegions.filter(ofThought))),
    shown,
    cut: shown.map((share) => 1 - share.shown),
    cuttable: views.map(({ cuttable }) => cuttable > 0),
  };
}

/** The complete diffs of the files. Turns are omitted and counted in `left_out`. */
export function diffView(all: readonly Evidence[], { budget }: ViewRule): GroupView {
  const regions = all.map(({ files }) => files.filter(({ text }) => text !== ""));
  const views = regions.map((rolloutRegions) =>
    viewOf(rolloutRegions, false, { ...budget, shrinks: 0 } satisfies ViewBudget),
  );
  return {
    ...{ shared: 0, beginning: null },
    texts: views.map(({ text }) => text),
    policyChars: regions.map(ownWordsChars),
    shown: views.map((view, r) => {
      const missing = chars(all[r] as Evidence);
      const files = charsOf(regions[r] as Region[]);
      return shownShare(added(view.left_out, missing), files + sum(missing) - (missing.thoughts ?? 0));
    }),
    cut: all.map(() => 0),
    cuttable: all.map(() => false),
  };
}

/** The share of a rollout that is shown if only its answer is judged. */
export function answerShown({ turns, files }: Evidence): ShownShare {
  const left = chars({ turns, files });
  const whole = sum(left) - (left.thoughts ?? 0) + charsOf(files);
  const turnsLeft = (left.turns ?? 0) - answerOf(turns).length;
  return shownShare(added({ ...left, turns: Math.max(0, turnsLeft) }, { files: charsOf(files) }), whole);
}

type Chars = Readonly<Partial<Record<LeftOut, number>>>;
const sum = (chars: Chars): number => Object.values(chars).reduce((all, count) => all + count, 0);

/** Number of characters of the turns, by kind. */
function chars({ turns }: Evidence): Chars {
  const charsByKind = new Map<LeftOut, number>();
  for (const { is, text } of regionsOf(turns)) charsByKind.set(is, (charsByKind.get(is) ?? 0) + text.length);
  return Object.fromEntries(charsByKind);
}

function added(some: Chars, others: Chars): Chars {
  const all = new Map(Object.entries(some) as [LeftOut, number][]);
  for (const [is, more] of Object.entries(others) as [LeftOut, number][]) all.set(is, (all.get(is) ?? 0) + more);
  return Object.fromEntries([...all].filter(([, count]) => count > 0));
}

const shownShare = (left_out: Chars, whole: number): ShownShare => ({
  shown: whole === 0 ? 1 : Math.max(0, 1 - (sum(left_out) - (left_out.thoughts ?? 0)) / whole),
  left_out,
});
