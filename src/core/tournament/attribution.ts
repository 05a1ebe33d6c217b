// Finds the candidate that made the verifier refuse a question, as too long or as filtered. Must not know
// rewards: group-result.ts says what follows.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import { comparedIn, isProbe, type Presentation } from "../asking/questions.ts";
import { isUnparsed } from "../asking/readings.ts";
import { BLAMES_CONTENT } from "../faults/question-fault.ts";

/**
 * A candidate blamed for a refusal for length is this many times longer than the longest that fits: one that
 * is a little over its share is not blamed.
 */
const LONGER_BY_FAR = 2;

/**
 * Candidates shown together: refused, or answered readably at least once. What merely failed, or
 * cannot be read, says nothing.
 */
interface SubsetRefusal {
  shown: ReadonlySet<number>;
  refused: boolean;
  filtered: boolean;
}

interface Attribution {
  /** Classes that caused refusals. */
  atFault: ReadonlySet<number>;
  /** Questions that must be answered first: whether several copies of one candidate are refused. */
  probes: readonly Presentation[];
}

/** The questions by whom they show, both orders and all samples together. */
function questionsOf(asked: readonly AskedQuestion[]): SubsetRefusal[] {
  const byShown = new Map<string, { shown: Set<number>; refused: boolean; filtered: boolean; answered: boolean }>();
  for (const { question, readings } of asked) {
    const shown = new Set(question.shown);
    const key = comparedIn({ shown: [...shown] });
    const subset = byShown.get(key) ?? { shown, refused: false, filtered: false, answered: false };
    byShown.set(key, subset);
    for (const { status, code } of readings) {
      // An unreadable answer clears no candidate: one that jams may be refused besides.
      if (status !== null && !isUnparsed({ status })) subset.answered = true;
      if (BLAMES_CONTENT.has(code)) subset.refused = true;
      if (code === "content_filtered") subset.filtered = true;
    }
  }
  return [...byShown.values()].flatMap(({ answered, refused, ...rest }) =>
    answered || refused ? [{ ...rest, refused: !answered }] : [],
  );
}

const within = (question: SubsetRefusal, members: ReadonlySet<number>) =>
  [...question.shown].every((member) => members.has(member));

/** Members of most of the questions, ascending. */
function mostOften(questions: readonly SubsetRefusal[]): number[] {
  const counts = new Map<number, number>();
  for (const { shown } of questions) for (const member of shown) counts.set(member, (counts.get(member) ?? 0) + 1);
  const maxCount = Math.max(...counts.values());
  return [...counts.keys()].filter((member) => counts.get(member) === maxCount).sort((a, b) => a - b);
}

/**
 * The candidates that caused refusals. Those refused most are blamed first, where all questions about them
 * beside the others were refused and others among themselves were answered. Where this does not decide (a
 * group of two, a list), each is shown beside copies of itself: one that is refused even so is blamed for
 * refusals beside one that is not; for length only when it is longer by far. When none fits, the prompt
 * itself is too long, and none is blamed.
 * @param texts one a class
 */
export function attribution(texts: readonly string[], asked: readonly AskedQuestion[]): Attribution {
  const atFault = new Set<number>();
  const done = (probes: readonly Presentation[] = []): Attribution => ({ atFault, probes });
  if (!asked.some(({ readings }) => readings.some(({ code }) => BLAMES_CONTENT.has(code)))) return done();
  const probes = questionsOf(asked.filter(({ question }) => isProbe(question)));
  const questions = questionsOf(asked.filter(({ question }) => !isProbe(question)));
  const probed = new Set(asked.flatMap(({ question }) => (isProbe(question) ? [question.shown[0] as number] : [])));
  const probeOf = (member: number) => probes.find(({ shown }) => shown.has(member));

  const rest = new Set(texts.keys());
  for (;;) {
    const among = questions.filter((question) => within(question, rest));
    const refused = among.filter((question) => question.refused);
    if (refused.length === 0) return done();
    const found = seen(mostOften(refused), rest, among);
    if (found.length === 0) {
      const involved = [...new Set(refused.flatMap(({ shown }) => [...shown]))].sort((a, b) => a - b);
      const open = involved.filter((member) => !probed.has(member));
      if (open.length > 0) return done(open.map((member) => probe(member, refused)));
      found.push(...involved.filter((member) => isOver(member, texts, refused, probeOf)));
    }
    if (found.length === 0) return done();
    for (const member of found) {
      atFault.add(member);
      rest.delete(member);
    }
  }
}

/** Those of the suspects of whom the questions themselves tell. */
function seen(suspects: readonly number[], rest: ReadonlySet<number>, among: readonly SubsetRefusal[]): number[] {
  const others = new Set([...rest].filter((member) => !suspects.includes(member)));
  if (!among.some((question) => !question.refused && within(question, others))) return [];
  // A refusal beside somebody of whom nothing was answered may be the other's doing.
  const cleared = new Set(among.flatMap(({ refused, shown }) => (refused ? [] : [...shown])));
  return suspects.filter((member) => {
    const beside = new Set([...[...others].filter((other) => cleared.has(other)), member]);
    const ofMember = among.filter((question) => question.shown.has(member) && within(question, beside));
    return ofMember.length > 0 && ofMember.every((question) => question.refused);
  });
}

/** Copies of one candidate, one for each candidate of the refused question, so that it fills its share. */
function probe(member: number, refused: readonly SubsetRefusal[]): Presentation {
  const { size } = (refused.find(({ shown }) => shown.has(member)) as SubsetRefusal).shown;
  return { shown: new Array<number>(size).fill(member), samples: 1 };
}

function isOver(
  member: number,
  texts: readonly string[],
  refused: readonly SubsetRefusal[],
  probeOf: (member: number) => SubsetRefusal | undefined,
): boolean {
  const memberProbe = probeOf(member);
  if (memberProbe?.refused !== true) return false;
  const lengthOf = (index: number) => (texts[index] as string).length;
  return refused.some(({ shown }) => {
    const fitting = [...shown].filter((other) => probeOf(other)?.refused === false);
    if (!shown.has(member) || fitting.length === 0) return false;
    return memberProbe.filtered || lengthOf(member) >= LONGER_BY_FAR * Math.max(...fitting.map(lengthOf));
  });
}
