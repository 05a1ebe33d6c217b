// Owns what a tournament's readings come to: results, scores, the selected candidate. Asking:
// tournament.ts.
import type { Classes } from "../candidate/classes.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { missingRules } from "../contract/spec.ts";
import type { ItemErrorCode } from "../faults/errors.ts";
import { presetNamed } from "../judges/presets/table.ts";
import { isShort } from "../judges/questions.ts";
import { isUnparsed } from "../judges/readings.ts";
import type { Weighing } from "../judges/verdicts.ts";
import { mean } from "../math/stats.ts";
import { againstReference } from "../tournament/against-reference.ts";
import { type AskedQuestion, commonFault, counts, outcomesOf } from "../tournament/asked-questions.ts";
import { isGraded } from "../tournament/asking-pairs.ts";
import type { Contest, Seen } from "../tournament/contest.ts";
import { type Decision, decide, type Gap, gapsIn, type Selection, select, tally } from "../tournament/decide.ts";
import { jammers } from "../tournament/jamming.ts";
import { isCyclic, measuresOf } from "../tournament/measures.ts";
import { positionFlipRate } from "../tournament/metrics.ts";
import { gradesOf, type Outcome } from "../tournament/outcome.ts";
import { outcomesIn } from "../tournament/rehearsal.ts";
import { strengthsInOrder, strengthsOf as strengthsOfPairs } from "../tournament/schedule.ts";
import type { Standing } from "../tournament/score.ts";
import { SCORES } from "../tournament/score-table.ts";
import { baseRewards, earnedOf } from "../tournament/scores.ts";
import { unreadOf, withoutUnheard } from "../tournament/thinking.ts";
import { toldOf } from "./contest-told.ts";
import type { About, Judge, PlanResult } from "./signal.ts";
import { valued, without } from "./signal-value.ts";

const weighingOf = ({ vote, prompt, strength, strength_scale }: Judge): Weighing => ({
  ...{ vote, strength, strength_scale, ranks: presetNamed(prompt) !== null },
});

/**
 * What a contest is told of the answers so far; a schedule without a second wave reads nothing of
 * it.
 */
export function seenBy(all: readonly AskedQuestion[], classCount: number, judge: Judge): Seen {
  const known = lazy(() => knownBy(all, classCount, judge));
  return {
    get answered() {
      return known().answered;
    },
    outcomes: Object.assign((i: number, j: number) => known().outcomes(i, j), {
      inOrder: (i: number, j: number) => known().outcomes.inOrder?.(i, j) ?? null,
    }),
    get tokens() {
      return all.reduce((sum, { readings }) => sum + readings.reduce((own, one) => own + one.completion_tokens, 0), 0);
    },
  };
}

function knownBy(all: readonly AskedQuestion[], classCount: number, judge: Judge): Omit<Seen, "tokens"> {
  const whole = all.filter(counts);
  const asked = withoutUnheard(whole);
  const graded = isGraded(judge);
  const outcomes = outcomesOf(asked, weighingOf(judge));
  const questions = asked.map(({ question }) => question);
  const { unparsed } = missingRules(judge);
  const rules = { unparsed, graded, complete: false };
  const grades = questions.map(() => [] as (readonly number[])[]);
  for (const one of outcomes) {
    if (one.state === "parsed") grades[one.question]?.push(gradesOf(one, questions[one.question]?.shown ?? []));
  }
  return {
    answered: questions.map((showing, q) => ({
      showing,
      grades: grades[q] as (readonly number[])[],
      ...(isShort(showing) && { unread: unreadOf(whole[q] as AskedQuestion) }),
    })),
    outcomes: outcomesIn(decide(classCount, judge.mode, questions, outcomes, rules)),
  };
}

/**
 * Whether the reply tells more than that of a spec from before schedules, votes and scores were
 * many.
 */
function tellsMore(judge: Judge, score: string): boolean {
  const { schedule, budget, samples, both_orders, mode } = judge;
  const plain = schedule === (mode === "pairwise" ? "round_robin" : "single_list") && budget === undefined;
  const once = judge.think === undefined && both_orders !== "when_close";
  const asked = !isGraded(judge) && typeof samples === "number" && once;
  return !(plain && asked && ["win_rate", "top1", "wins"].includes(score));
}

/** Different candidates of which wins can go in a circle. */
const CIRCLE_MIN = 3;

/** How a group was judged, and the classes whose doing it is that questions were refused. */
export interface Judged {
  judge: Judge;
  score: string;
  contest: Pick<
    Contest,
    "byWins" | "complete" | "ended" | "judge" | "places" | "repeats" | "schedule" | "unpaid" | "unwanted"
  >;
  blamed: ReadonlySet<number>;
  /** The reference's class, where everyone met that and nobody else. */
  reference?: number;
}

/**
 * Decide, count, score, select: the same for the same readings whatever order they came in (api.md,
 * "Scoring a group", steps 4 to 6).
 */
export function resultOf(
  prepared: PreparedGroup,
  { judge, score, contest, blamed, reference }: Judged,
  { seed, judgeable }: Pick<About, "seed" | "judgeable">,
  all: readonly AskedQuestion[],
): PlanResult {
  const { classes, keys, group } = prepared;
  const asked = withoutUnheard(all.filter(counts));
  const questions = asked.map(({ question }) => question);
  const graded = isGraded(judge);
  const outcomes = outcomesOf(asked, weighingOf(judge));
  const { unparsed, min_decided } = missingRules(judge);
  const { complete } = contest;
  const decision = decide(keys.length, judge.mode, questions, outcomes, { unparsed, graded, complete });
  const jamming = jammers(keys.length, asked);
  const jams = classes.classOf.map((own) => own !== null && jamming.has(own));
  const refused = classes.classOf.map((own) => own !== null && blamed.has(own));
  const isOut = (r: number) => (judgeable && jams[r] === true) || refused[r] === true;
  const remaining: Classes = { ...classes, classOf: classes.classOf.map((own, r) => (isOut(r) ? null : own)) };
  const only =
    reference === undefined ? null : againstReference(remaining, decision, blamed.has(reference) ? null : reference);
  const tallies = only?.tallies ?? tally(remaining, decision);
  const gaps = only?.gaps ?? gapsIn(remaining.classOf, tallies, min_decided, spoilt(remaining, decision, jams));
  const playing = new Set([...remaining.classOf, reference ?? null]);
  const strengths = lazy(() => strengthsOf(contest.repeats, decision, graded, playing));
  const ofRollouts = <T>(values: readonly T[], none: T) =>
    remaining.classOf.map((own) => (own === null ? none : (values[own] as T)));
  const places = contest.places(outcomesIn(decision));
  const standing: Standing = {
    tallies,
    judged: remaining.classOf.map((own, r) => own !== null && gaps[r] === null),
    earned: only?.earned ?? earnedOf(remaining, decision),
    strengths: () => ofRollouts(strengths().theta, Number.NEGATIVE_INFINITY),
    places: places === undefined ? null : ofRollouts(places, -1),
    marks: marksOf(asked, remaining),
    uneven: contest.repeats,
  };
  const base = baseRewards(score, standing, remaining.classOf, gaps);
  const more = tellsMore(judge, score);
  const wins = tallies.map((counts, r) => (base[r] === null ? null : counts.wins));
  const points = more
    ? contest.byWins
      ? wins
      : pointsOf(score, standing, base, only === null ? classes.classOf.length - 1 : 1)
    : null;
  const silent = unparsedByClass(asked, keys.length);
  const size = group.rollouts.length + (only === null ? 0 : 1);
  const faultAt = (r: number) => faultOf(gaps[r] ?? null, classes.classOf[r] ?? null, asked, size);
  const ofClass = <T>(values: readonly T[] | null, none: T) =>
    classes.classOf.map((own) => (own === null || values === null ? none : (values[own] as T)));
  return {
    scores: base.map((value, r) => (value === null ? without(faultAt(r)) : valued(value))),
    summary: {
      tallies,
      wins,
      votes: ofClass<number | null>(decision.votes, null),
      unparsed: ofClass(silent, 0),
      jams,
      refused,
      selection: informedSelection(keys, remaining, decision, points ?? wins, outcomes, seed),
      position_flip_rate: positionFlipRate(questions, outcomes),
      cyclic: keys.length < CIRCLE_MIN ? null : isCyclic(decision.pairs),
      ...(points !== null && {
        points,
        measures: measuresOf(decision, outcomes, strengths()),
        told: toldOf(contest, all, { judge, score, standing, strengths }),
      }),
    },
  };
}

/**
 * No verdict that names anybody among several classes is no information: nothing is selected,
 * rather than a candidate by its hash.
 */
function informedSelection(
  keys: PreparedGroup["keys"],
  classes: Classes,
  decision: Decision,
  wins: readonly (number | null)[],
  outcomes: readonly Outcome[],
  seed: number,
): Selection {
  const rivals = new Set(classes.classOf.filter((own) => own !== null)).size;
  if (rivals > 1 && !outcomes.some(namesAnybody)) return { selected: null, tied: [] };
  return select(wins, classes, decision, keys, seed);
}

const namesAnybody = ({ winner, grades = [] }: Outcome): boolean =>
  winner !== null || grades.some((one) => one !== grades[0]);

/**
 * For each rollout: its undecided pairs with another's jamming candidate, which are not its own
 * doing.
 */
function spoilt({ classOf }: Classes, { pairs }: Decision, jams: readonly boolean[]): number[] {
  return classOf.map((own, r) => {
    const by = (other: number | null, s: number) =>
      jams[s] === true && other !== null && pairs[own as number]?.[other] === "undecided";
    return own === null || jams[r] ? 0 : classOf.filter(by).length;
  });
}

function faultOf(
  gap: Gap | null,
  classIndex: number | null,
  asked: readonly AskedQuestion[],
  groupSize: number,
): ItemErrorCode {
  if (groupSize === 1 || classIndex === null) return "group_too_small";
  return gap === "partial" ? "partial" : (commonFault(asked, classIndex) ?? "verifier_bad_reply");
}

function unparsedByClass(asked: readonly AskedQuestion[], classCount: number): number[] {
  const counts = new Array<number>(classCount).fill(0);
  for (const { question, readings } of asked) {
    const unparsed = readings.filter(isUnparsed).length;
    for (const member of question.shown) counts[member] = (counts[member] as number) + unparsed;
  }
  return counts;
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Of the classes that are judged; others have no games. */
function strengthsOf(inOrder: boolean, decision: Decision, graded: boolean, judged: ReadonlySet<number | null>) {
  const n = decision.pairs.length;
  const all = Array.from({ length: n }, (_, i) => i).filter((i) => judged.has(i));
  const pairs = all.flatMap((i) => all.filter((j) => j > i).map((j) => [i, j]));
  return (inOrder ? strengthsInOrder : strengthsOfPairs)(n, pairs, outcomesIn(decision), graded);
}

/**
 * On the scale of wins against all `rivals`, whatever the number of pairs asked; null without a
 * base.
 */
function pointsOf(
  score: string,
  standing: Standing,
  base: readonly (number | null)[],
  rivals: number,
): (number | null)[] {
  const own = SCORES[score]?.points?.(standing) ?? standing.earned.map((mean) => mean * rivals);
  // Sums of floats in another order differ beyond the twelfth digit; a tie must not hang on that.
  return own.map((points, r) => (base[r] === null ? null : Number(points.toFixed(9))));
}

/** Each rollout's mean of the scores that verdicts gave it, over 10; null where none gave any. */
function marksOf(asked: readonly AskedQuestion[], { classOf }: Classes): number[] | null {
  const given = new Map<number, number[]>();
  for (const { question, readings } of asked) {
    for (const { verdict } of readings) {
      if (verdict?.kind !== "scores") continue;
      question.shown.forEach((i, place) => {
        given.set(i, [...(given.get(i) ?? []), Math.min(1, Math.max(0, (verdict.scores[place] as number) / 10))]);
      });
    }
  }
  if (given.size === 0) return null;
  return classOf.map((own) => mean(given.get(own ?? -1) ?? [0]));
}
