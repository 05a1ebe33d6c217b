// Prepares a group before any verifier call: candidates, format checks, classes of equal candidates, and the
// question.

import type { CandidateRule } from "../contract/candidate-rule.ts";
import type { Group } from "../contract/group.ts";
import { drained } from "../math/drained.ts";
import { hashText } from "../math/random.ts";
import { ownWords, thoughtApart } from "../transcript/turns.ts";
import type { Classes, ContentKey } from "./classes.ts";
import { hasContent, normaliseCandidate } from "./extract.ts";
import { compileFormats, type FormatRules } from "./format.ts";
import { type ShownEvidence, type Shrinking, takenOf } from "./taken.ts";

export interface PreparedGroup {
  group: Group;
  /** Index of the group in the request. */
  index: number;
  group_id: string;
  question: string;
  language: string | null;
  /** For each rollout, the normalised candidate, or null if there is none. */
  candidates: readonly (string | null)[];
  /**
   * For each rollout, whether it passes all format rules that can be checked before the verifier is asked.
   * Always includes the rule `fits`.
   */
  formatOk: readonly boolean[];
  /** The same for each format signal separately, by the signal's name. */
  formats: Readonly<Record<string, readonly boolean[]>>;
  /** Whether any candidate is longer than max_chars. */
  overlong: boolean;
  /** For each rollout, whether its text exceeds rollout_text_bytes, which violates every format signal. */
  tooLong: readonly boolean[];
  classes: Classes;
  /** For each class, its candidate and its content key. */
  texts: readonly string[];
  keys: readonly ContentKey[];
  warnings: readonly string[];
  /** All groups of the request; omitted if this is the only group. */
  beside?: readonly Group[];
  /** Evidence of multi-turn rollouts; omitted for plain texts, which are shown completely. */
  evidence?: ShownEvidence;
}

/** For each rollout, everything that the policy wrote, as separate parts; a plain text is a single part. */
export const ownWordsOf = ({ group, evidence }: Pick<PreparedGroup, "group" | "evidence">): (readonly string[])[] =>
  group.rollouts.map(({ text }, r) => (evidence === undefined ? [text] : ownWords(evidence.items[r]?.turns ?? [])));

/**
 * For each rollout, the string that is used as its answer or program. If transcripts or files are judged,
 * this is the policy's last message, because the candidate also contains text that others wrote.
 */
export const answersOf = ({ group, evidence, candidates }: PreparedGroup): readonly (string | null)[] =>
  evidence?.isView === true
    ? group.rollouts.map(({ text }) => (hasContent(text) ? normaliseCandidate(text) : null))
    : candidates;

/** The settings of a spec that determine how a group is prepared. */
export interface PreparerRules {
  candidate: CandidateRule;
  /** The rules of each format signal, by the signal's name. */
  formats: Readonly<Record<string, FormatRules>>;
}

/** Like `preparerInSteps`, but runs without interruption. */
export function createPreparer(rules: PreparerRules): (group: Group, index: number) => PreparedGroup {
  const prepare = preparerInSteps(rules);
  return (group, index) => drained(prepare(group, index));
}

/**
 * Creates the preparer for one request and compiles the format rules once. Yields the number of work steps
 * for each rollout (see `turn_steps`).
 * @returns a function of a group, its index and, for a group whose view was too long, how to shrink the view
 * @throws ApiError `unsafe_regex`, or `facts_required` if files are judged and a rollout has none
 */
export function preparerInSteps(
  rules: PreparerRules,
): (group: Group, index: number, smaller?: Shrinking) => Generator<number, PreparedGroup> {
  const names = Object.keys(rules.formats);
  const tests = compileFormats(Object.values(rules.formats));
  return function* (group, index, smaller) {
    const taken = yield* takenOf(group, index, rules.candidate, smaller);
    const { candidates, short, tooLong, question, ...rest } = taken;
    const fits = short.map((isShort, r) => isShort && !tooLong[r]);
    const holds = tests.map((test) =>
      group.rollouts.map(({ text }, r) => {
        const thought = thoughtApart(taken.evidence?.items[r]?.turns ?? []);
        const shown = 1 - (taken.evidence?.cut[r] ?? 0);
        return fits[r] === true && test({ text, candidate: candidates[r] ?? null, thought, shown });
      }),
    );
    const formatOk = fits.map((fit, r) => fit && holds.every((passed) => passed[r]));
    return {
      ...{ group, index, question, candidates, formatOk, tooLong },
      group_id: group.group_id ?? String(index),
      formats: Object.fromEntries(names.map((name, i) => [name, holds[i] as boolean[]])),
      overlong: short.includes(false),
      ...distinctCandidates(question, candidates, formatOk),
      ...rest,
    };
  };
}

/**
 * Groups equal candidates into classes, and computes the keys that seed their order. A malformed rollout
 * belongs to no class.
 */
export function distinctCandidates(
  question: string,
  candidates: readonly (string | null)[],
  formatOk: readonly boolean[],
) {
  const { classes, texts } = classesOf(candidates.map((candidate, r) => (formatOk[r] ? candidate : null)));
  return { classes, texts, keys: texts.map((text) => hashText(question, text)) };
}

/** Restricts the group to some of its rollouts. Returns the same object if these are all rollouts. */
export function subgroup(prepared: PreparedGroup, members: readonly number[]): PreparedGroup {
  const { group, candidates, formatOk, formats, tooLong, question, evidence } = prepared;
  if (members.length === candidates.length) return prepared;
  const pick = <T>(values: readonly T[]) => members.map((r) => values[r] as T);
  return {
    ...prepared,
    group: { ...group, rollouts: pick(group.rollouts) },
    candidates: pick(candidates),
    formatOk: pick(formatOk),
    tooLong: pick(tooLong),
    ...(evidence !== undefined && {
      evidence: {
        ...evidence,
        items: pick(evidence.items),
        shown: pick(evidence.shown),
        cut: pick(evidence.cut),
        cuttable: pick(evidence.cuttable),
        shrinks: pick(evidence.shrinks),
      },
    }),
    formats: Object.fromEntries(Object.entries(formats).map(([name, holds]) => [name, pick(holds)])),
    ...distinctCandidates(question, pick(candidates), pick(formatOk)),
  };
}

/**
 * Groups equal candidates into classes, numbered by first appearance. A null candidate belongs to no class.
 */
function classesOf(candidates: readonly (string | null)[]): { classes: Classes; texts: string[] } {
  const indexOf = new Map<string, number>();
  const members: number[][] = [];
  const classOf = candidates.map((text, r) => {
    if (text === null) return null;
    const known = indexOf.get(text);
    if (known !== undefined) {
      members[known]?.push(r);
      return known;
    }
    indexOf.set(text, members.length);
    members.push([r]);
    return members.length - 1;
  });
  return { classes: { classOf, members }, texts: [...indexOf.keys()] };
}
