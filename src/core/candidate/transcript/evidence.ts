// Owns what a group's rollouts of several turns show: what they have in common once, and each what
// is its own, with an account of it.
import type { Rollout } from "../../contract/requests.ts";
import { answerOf, type Turn, turnOfText, turnsOf } from "../../transcript/turns.ts";
import { type FileEvidence, fileRegions } from "./files.ts";
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

/** A rollout's turns and files. */
export interface Evidence {
  turns: readonly Turn[];
  files: readonly FileEvidence[];
}

/** Per group; null for one of texts alone, which is judged as texts are. */
export function evidenceOf(rollouts: readonly Rollout[]): Evidence[] | null {
  if (rollouts.every(({ messages, files }) => messages === undefined && files === undefined)) return null;
  return rollouts.map(({ text, messages, files = [] }) => ({
    turns: thoughtsApart(messages === undefined ? (text === "" ? [] : turnOfText(text)) : turnsOf(messages)),
    files,
  }));
}

/** How many turns all have in common at their beginning; each keeps one at least of its own. */
function sharedTurns(all: readonly Evidence[]): number {
  const [first, ...others] = all as [Evidence, ...Evidence[]];
  if (others.length === 0) return 0;
  const most = Math.min(...all.map(({ turns }) => turns.length - 1));
  let shared = 0;
  while (shared < most) {
    const turn = JSON.stringify(first.turns[shared]);
    if (others.some(({ turns }) => JSON.stringify(turns[shared]) !== turn)) break;
    shared++;
  }
  return Math.max(0, shared);
}

/** What of a group is shown, how, and how much of it. */
export interface GroupView {
  /** Turns that all began with, and their text, which stands in the question; null without any. */
  shared: number;
  beginning: string | null;
  /** One a rollout. */
  texts: readonly string[];
  /** One a rollout: characters of its own words, with what stands around these. */
  own: readonly number[];
  shown: readonly ShownShare[];
  /** Something is left that a smaller budget would cut. */
  cuttable: boolean;
}

interface ViewRule {
  reasoning: boolean;
  budget: ViewBudget;
}

/** Characters of its own words, thoughts apart, with what stands around these. */
export const ownLength = ({ turns }: Evidence): number =>
  ownWordsChars(regionsOf(turns).filter(({ is }) => is !== "thoughts"));

const charsOf = (regions: readonly Region[]): number => regions.reduce((sum, { text }) => sum + text.length, 0);

/** The whole of each: turns, calls, results, files; what all began with once. */
export function wholeView(all: readonly Evidence[], { reasoning, budget }: ViewRule): GroupView {
  const shared = sharedTurns(all);
  const common = regionsOf((all[0] as Evidence).turns.slice(0, shared));
  const regions = all.map(({ turns, files }) => [
    ...regionsOf(turns.slice(shared), shared + 1),
    ...fileRegions(files, false),
  ]);
  const ofThought = ({ is }: Region) => reasoning || is !== "thoughts";
  const wanted = (some: readonly Region[]) => wantedChars(some.filter(ofThought), budget);
  const allChars = wanted(common) + Math.max(...regions.map(wanted));
  // Of more than there is room for, the beginning and what follows get their shares.
  const part = Math.min(1, budget.total_chars / allChars);
  const beginning = viewOf(common, reasoning, { ...budget, total_chars: Math.floor(part * wanted(common)) });
  const left = Math.max(0, budget.total_chars - (shared === 0 ? 0 : beginning.text.length));
  const views = regions.map((own) => viewOf(own, reasoning, { ...budget, total_chars: left }));
  const commonChars = charsOf(common.filter(ofThought));
  return {
    shared,
    beginning: shared === 0 ? null : beginning.text,
    texts: views.map(({ text }) => text),
    own: regions.map((own) => ownWordsChars(own.filter(ofThought)) + ownWordsChars(common.filter(ofThought))),
    shown: views.map((view, r) => {
      const chars = charsOf((regions[r] as Region[]).filter(ofThought));
      const whole = chars + commonChars;
      const share = (chars * view.shown + commonChars * beginning.shown) / whole;
      return { shown: whole === 0 ? 1 : share, left_out: added(view.left_out, beginning.left_out) };
    }),
    cuttable: [beginning, ...views].some(({ cuttable }) => cuttable > 0),
  };
}

/** The diffs of files alone; the turns are left out and told. */
export function diffView(all: readonly Evidence[], { budget }: ViewRule): GroupView {
  const regions = all.map(({ files }) => fileRegions(files, true).filter(({ text }) => text !== ""));
  const views = regions.map((own) => viewOf(own, false, budget));
  return {
    ...{ shared: 0, beginning: null },
    texts: views.map(({ text }) => text),
    own: regions.map(ownWordsChars),
    shown: views.map((view, r) => {
      const missing = chars(all[r] as Evidence);
      const files = charsOf(regions[r] as Region[]);
      return told(added(view.left_out, missing), files + sum(missing) - (missing.thoughts ?? 0));
    }),
    cuttable: views.some(({ cuttable }) => cuttable > 0),
  };
}

/** What is left out of each where only its answer is judged. */
export function answerShown({ turns, files }: Evidence): ShownShare {
  const left = chars({ turns, files });
  const whole = sum(left) - (left.thoughts ?? 0) + charsOf(fileRegions(files, false));
  const turnsLeft = (left.turns ?? 0) - answerOf(turns).length;
  return told(added({ ...left, turns: Math.max(0, turnsLeft) }, { files: charsOf(fileRegions(files, false)) }), whole);
}

type Chars = Readonly<Partial<Record<LeftOut, number>>>;
const sum = (chars: Chars): number => Object.values(chars).reduce((all, one) => all + one, 0);

/** Characters of turns by what they are. */
function chars({ turns }: Evidence): Chars {
  const by = new Map<LeftOut, number>();
  for (const { is, text } of regionsOf(turns)) by.set(is, (by.get(is) ?? 0) + text.length);
  return Object.fromEntries(by);
}

function added(some: Chars, others: Chars): Chars {
  const all = new Map(Object.entries(some) as [LeftOut, number][]);
  for (const [is, more] of Object.entries(others) as [LeftOut, number][]) all.set(is, (all.get(is) ?? 0) + more);
  return Object.fromEntries([...all].filter(([, count]) => count > 0));
}

const told = (left_out: Chars, whole: number): ShownShare => ({
  shown: whole === 0 ? 1 : Math.max(0, 1 - (sum(left_out) - (left_out.thoughts ?? 0)) / whole),
  left_out,
});
