// Owns what taking length and the first place out of strengths is worth: groups of stated worth and
// length before a judge of a stated taste, the terms learnt from some groups and taken out of others.
import type { Covariate, Earned } from "../../src/core/contract/covariates.ts";
import { DEFAULT_SPEC } from "../../src/core/contract/spec.ts";
import { sigmoid } from "../../src/core/math/bradley-terry.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { kendallTauB, mean } from "../../src/core/math/stats.ts";
import { NO_SUMS, sharesOf, strengthsWithout, termOf, withShare } from "../../src/core/tournament/covariates.ts";
import { outcomesIn, rehearsed, type SampleOutcome } from "../../src/core/tournament/rehearsal.ts";
import { TournamentRun } from "../../src/core/tournament/tournament-run.ts";

const TERMS: readonly Covariate[] = ["length", "position"];
const VOTES = { soft: "soft", hard: "majority" } as const;
/** Log-odds of a pair one standard deviation of worth apart. */
const DISCRIMINATION = 2;
/** Standard deviations, in doublings and in log-odds: lengths, and what a pair has beside all terms. */
const [LENGTHS, PAIRS] = [0.8, 0.5];
const N = 8;

interface Taste {
  vote: keyof typeof VOTES;
  /** Log-odds a doubling, and of the first place. */
  length: number;
  position: number;
  /** Correlation of worth and length: what the judge's taste is not. */
  related: number;
}

export interface CovariateRow extends Taste {
  /** Groups that the terms were learnt from. */
  learnt: number;
  terms: Earned;
  groups: number;
  /** Mean tau-b with the groups' worth, and what taking the terms out gains, with half of its 95 % interval. */
  before: number;
  gain: number;
  half: number;
}

export interface CovariatePlan {
  learnt: readonly number[];
  groups: number;
}

const TASTES: readonly Taste[] = Object.keys(VOTES).flatMap((vote) => {
  const of = (length: number, position: number, related = 0) => ({ vote, length, position, related }) as Taste;
  return [of(0, 0), of(0.5, 0), of(1, 0), of(2, 0), of(0, 1), of(1, 1), of(0, 0, 0.5), of(1, 0, 0.5)];
});

/** Two draws of the standard normal (Box and Muller). */
function normals(random: () => number): [number, number] {
  const [radius, angle] = [Math.sqrt(-2 * Math.log(1 - random())), 2 * Math.PI * random()];
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}

/** One group, judged: its worth, and what its games are. */
function groupOf({ vote, length, position, related }: Taste, seed: string) {
  const random = createRandom(hashText("covariates", seed));
  const drawn = Array.from({ length: N }, () => normals(random));
  const worth = drawn.map(([q]) => q);
  const doublings = drawn.map(([q, x]) => LENGTHS * (related * q + Math.sqrt(1 - related * related) * x));
  const judge = { ...DEFAULT_SPEC.judge, vote: VOTES[vote] as "majority" };
  const keys = worth.map((_, i) => hashText("candidate", seed, i));
  const run = new TournamentRun({ keys, judge, seed: 0 });
  const answers = ({
    shown: [a = 0, b = 0],
    samples,
  }: {
    shown: readonly number[];
    samples: number;
  }): SampleOutcome[] =>
    Array.from({ length: samples }, () => {
      const gap = (of: readonly number[]) => (of[a] as number) - (of[b] as number);
      const odds = DISCRIMINATION * gap(worth) + length * gap(doublings) + position + PAIRS * normals(random)[0];
      const first = vote === "soft" ? sigmoid(odds) : Number(random() < sigmoid(odds));
      return { state: "parsed", winner: first >= 0.5 ? a : b, grades: [first, 1 - first] };
    });
  const { decision } = rehearsed(run, N, answers);
  const playing = [...keys.keys()];
  const pairs = playing.flatMap((i) => playing.slice(i + 1).map((j) => [i, j]));
  const lengths = doublings.map((doubling) => Math.round(1000 * 2 ** doubling));
  return { worth, games: { n: N, pairs, outcomes: outcomesIn(decision), graded: vote === "soft", playing, lengths } };
}

function learntOf(taste: Taste, groups: number): Earned {
  const sums = { length: NO_SUMS, position: NO_SUMS };
  for (let g = 0; g < groups; g++) {
    const shares = sharesOf(TERMS, groupOf(taste, `learnt ${JSON.stringify(taste)} ${g}`).games);
    for (const term of TERMS) sums[term] = withShare(sums[term], shares[term] ?? { above: 0, below: 0 });
  }
  return Object.fromEntries(TERMS.map((term) => [term, termOf(sums[term])?.taken ?? 0]));
}

/** Each taste, after so many groups. */
export function covariateRows({ learnt, groups }: CovariatePlan, tell: (row: CovariateRow) => void): CovariateRow[] {
  return TASTES.flatMap((taste) =>
    learnt.map((count) => {
      const terms = learntOf(taste, count);
      const taus = Array.from({ length: groups }, (_, g) => {
        const { worth, games } = groupOf(taste, `judged ${JSON.stringify(taste)} ${g}`);
        const tau = (earned: Earned) => kendallTauB(strengthsWithout(earned, games).theta, worth).tau ?? 0;
        return [tau({}), tau(terms)] as const;
      });
      const gains = taus.map(([before, after]) => after - before);
      const gain = mean(gains);
      const spread = Math.sqrt(gains.reduce((sum, own) => sum + (own - gain) ** 2, 0) / (groups - 1));
      const half = (1.96 * spread) / Math.sqrt(groups);
      const row = { ...taste, learnt: count, terms, groups, before: mean(taus.map(([before]) => before)), gain, half };
      tell(row);
      return row;
    }),
  );
}

const signed = (value: number) => `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(3)}`;
const gained = ({ gain, half }: CovariateRow) => `${signed(gain)} [${signed(gain - half)}, ${signed(gain + half)}]`;

/** Most harm that was to be done where the judge has no taste. */
const HARM = 0.002;

/** The page: first what must not be passed over. */
export function covariatesPage(command: string, rows: readonly CovariateRow[]): string {
  const without = rows.filter(({ length, position, related }) => length === 0 && position === 0 && related === 0);
  const harm = Math.max(0, ...without.map(({ gain }) => -gain));
  const related = rows.filter((row) => row.related > 0);
  const [least, most] = [Math.min, Math.max].map((of) => of(...related.map(({ gain }) => gain))) as [number, number];
  const table = rows.map((row) => {
    const { vote, length, position, related, learnt, terms, before } = row;
    const taken = TERMS.map((term) => (terms[term] ?? 0).toFixed(2)).join(" | ");
    return `| ${vote} | ${length} | ${position} | ${related} | ${learnt} | ${taken} | ${before.toFixed(3)} | ${gained(row)} |`;
  });
  return `# Length and the first place, taken out of strengths

**Where worth and length go together, \`covariates: ["length"]\` takes worth away**: at a correlation of ${related[0]?.related} tau-b changes by ${signed(least)} to ${signed(most)}. Nothing in the verdicts tells a judge's taste for length from answers that are better because they say more. Use it where length says nothing of worth within a prompt, or state numbers that were measured at equal worth.

${command} Groups of ${N}, every pair once, worth drawn from the standard normal; lengths spread by ${LENGTHS} doublings; a judge with ${DISCRIMINATION} log-odds for one standard deviation of worth, \`length\` for a doubling, \`position\` for the first place, and ${PAIRS} of noise a pair. The terms are learnt from some groups and taken out of ${rows[0]?.groups} others. Intervals are of 95 %, over groups.

Where the judge has no taste the most that was lost is ${harm.toFixed(4)} (goal: at most ${HARM}): ${harm <= HARM ? "met" : "missed"}.

| votes | length | position | worth and length | learnt from | taken out: length | position | tau-b before | gained |
|---|---|---|---|---|---|---|---|---|
${table.join("\n")}
`;
}
