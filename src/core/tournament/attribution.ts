// Finds the candidates that made the verifier reject a question as too long or as filtered. Does not deal
// with rewards: group-result.ts decides the consequences.

import type { AskedQuestion } from "../asking/asked-questions.ts";
import { comparedIn, type Presentation, type Question } from "../asking/questions.ts";
import { isUnparsed } from "../asking/readings.ts";
import { BLAMES_CONTENT } from "../faults/question-fault.ts";

/**
 * How many times longer a candidate must be than the longest candidate that fits, to be blamed for a length
 * refusal. A candidate only slightly over its share of the context is not blamed.
 */
const LONGER_BY_FAR = 2;

/**
 * Outcome of all questions that show the same candidates: refused, or readably answered at least once. Other
 * failures and unreadable answers are ignored.
 */
interface SubsetRefusal {
  shown: ReadonlySet<number>;
  refused: boolean;
  /** Whether a refusal had a cause other than length. */
  forContent: boolean;
}

interface Attribution {
  /** Candidate classes that caused refusals. */
  atFault: ReadonlySet<number>;
  /** Questions to ask before deciding: each shows several copies of one candidate. */
  probes: readonly Presentation[];
}

/** Groups questions by the candidates shown, regardless of order and sample. */
function questionsOf(asked: readonly AskedQuestion[]): SubsetRefusal[] {
  const byShown = new Map<string, { shown: Set<number>; refused: boolean; forContent: boolean; answered: boolean }>();
  for (const { question, readings } of asked) {
    const shown = new Set(question.shown);
    const key = comparedIn({ shown: [...shown] });
    const subset = byShown.get(key) ?? { shown, refused: false, forContent: false, answered: false };
    byShown.set(key, subset);
    for (const { status, code } of readings) {
      // An unreadable answer does not clear any candidate: one that makes verdicts unreadable may also be
      // refused.
      if (status !== null && !isUnparsed({ status })) subset.answered = true;
      if (BLAMES_CONTENT.has(code)) subset.refused = true;
      if (BLAMES_CONTENT.has(code) && code !== "context_exceeded") subset.forContent = true;
    }
  }
  return [...byShown.values()].flatMap(({ answered, refused, ...rest }) =>
    answered || refused ? [{ ...rest, refused: !answered }] : [],
  );
}

const showsCopies = ({ purpose }: Question): boolean => purpose.kind === "fit";

const within = (question: SubsetRefusal, members: ReadonlySet<number>) =>
  [...question.shown].every((member) => members.has(member));

/** The members that occur in the largest number of questions, ascending. */
function mostOften(questions: readonly SubsetRefusal[]): number[] {
  const counts = new Map<number, number>();
  for (const { shown } of questions) for (const member of shown) counts.set(member, (counts.get(member) ?? 0) + 1);
  const maxCount = Math.max(...counts.values());
  return [...counts.keys()].filter((member) => counts.get(member) === maxCount).sort((a, b) => a - b);
}

/**
 * Finds the candidates that caused refusals. The most often refused candidates are blamed first, if all
 * questions that show them with the others were refused while questions among the others were answered. If
 * the answers are not conclusive (a group of two, a list without trials), each candidate is probed with copies
 * of itself. A candidate whose probe is refused is blamed for refusals that it shares with a candidate whose
 * probe is answered; in the case of length, only if it is longer by LONGER_BY_FAR. If no candidate fits, the
 * prompt itself is too long and no candidate is blamed.
 * @param texts one candidate per class
 */
export function attribution(texts: readonly string[], asked: readonly AskedQuestion[]): Attribution {
  const atFault = new Set<number>();
  const done = (probes: readonly Presentation[] = []): Attribution => ({ atFault, probes });
  if (!asked.some(({ readings }) => readings.some(({ code }) => BLAMES_CONTENT.has(code)))) return done();
  const probes = questionsOf(asked.filter(({ question }) => showsCopies(question)));
  const questions = questionsOf(asked.filter(({ question }) => !showsCopies(question)));
  const probed = new Set(asked.flatMap(({ question }) => (showsCopies(question) ? [question.shown[0] as number] : [])));
  const probeOf = (member: number) => probes.find(({ shown }) => shown.has(member));

  const rest = new Set(texts.keys());
  for (const member of leftByTrials(asked, questions)) {
    atFault.add(member);
    rest.delete(member);
  }
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

/** Members of a refused trial in which every other member was answered in another question. */
function leftByTrials(asked: readonly AskedQuestion[], questions: readonly SubsetRefusal[]): number[] {
  const cleared = new Set(questions.flatMap(({ refused, shown }) => (refused ? [] : [...shown])));
  const trials = questionsOf(asked.filter(({ question }) => question.purpose.kind === "trial")).filter(
    ({ refused }) => refused,
  );
  const open = trials.map(({ shown }) => [...shown].filter((member) => !cleared.has(member)));
  return [...new Set(open.flatMap((members) => (members.length === 1 ? members : [])))].sort((a, b) => a - b);
}

/** The suspects that the answered and refused questions alone identify as the cause. */
function seen(suspects: readonly number[], rest: ReadonlySet<number>, among: readonly SubsetRefusal[]): number[] {
  const others = new Set([...rest].filter((member) => !suspects.includes(member)));
  if (!among.some((question) => !question.refused && within(question, others))) return [];
  // A refused question may have been caused by another candidate in it that no answer has cleared.
  const cleared = new Set(among.flatMap(({ refused, shown }) => (refused ? [] : [...shown])));
  return suspects.filter((member) => {
    const beside = new Set([...[...others].filter((other) => cleared.has(other)), member]);
    const ofMember = among.filter((question) => question.shown.has(member) && within(question, beside));
    return ofMember.length > 0 && ofMember.every((question) => question.refused);
  });
}

/**
 * A probe shows as many copies of the candidate as the refused question had candidates, so that each copy
 * gets the same share of the context.
 */
function probe(member: number, refused: readonly SubsetRefusal[]): Presentation {
  const { size } = (refused.find(({ shown }) => shown.has(member)) as SubsetRefusal).shown;
  return { shown: new Array<number>(size).fill(member), samples: 1, purpose: { kind: "fit" } };
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
    return memberProbe.forContent || lengthOf(member) >= LONGER_BY_FAR * Math.max(...fitting.map(lengthOf));
  });
}
