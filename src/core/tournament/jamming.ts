// Owns finding candidates in whose presence verdicts fail. Must not know rewards: group-result.ts
// says what follows.
import { isUnparsed } from "../judges/readings.ts";
import type { AskedQuestion } from "./asked-questions.ts";

/** Of a jammer's own verdicts so many are unreadable, and without the jammers so few. */
const SHARE_WITH = 0.5;
const SHARE_WITHOUT = 0.1;
const COMPARISONS_MIN = 3;

interface Counts {
  comparisons: number;
  answered: number;
  unparsed: number;
}

const share = ({ answered, unparsed }: Counts): number => (answered === 0 ? 0 : unparsed / answered);

function countsOf(asked: readonly AskedQuestion[]): Counts {
  const readings = asked.flatMap((entry) => entry.readings.filter(({ status }) => status !== null));
  return {
    comparisons: asked.filter(({ question }) => question.reask !== true).length,
    answered: readings.length,
    unparsed: readings.filter(isUnparsed).length,
  };
}

/**
 * Classes whose presence makes verdicts fail: at least half of the verdicts on each cannot be read,
 * and at most a tenth of those without any of them. Several are found one after the other, worst
 * first (equals together), for beside a second jammer the first would look innocent. None are told
 * where fewer than three comparisons show one, or are left without them, or when they were half of
 * the group: then it may as well be the verifier.
 */
export function jammers(classCount: number, asked: readonly AskedQuestion[]): ReadonlySet<number> {
  const found = new Set<number>();
  const of = (member: number, among: readonly AskedQuestion[]) =>
    countsOf(among.filter(({ question }) => question.shown.includes(member)));
  let rest = asked;
  for (;;) {
    const shares = Array.from({ length: classCount }, (_, i) => (found.has(i) ? 0 : share(of(i, rest))));
    const worst = Math.max(0, ...shares);
    if (worst < SHARE_WITH) break;
    for (const [i, own] of shares.entries()) if (own === worst) found.add(i);
    rest = rest.filter(({ question }) => !question.shown.some((member) => found.has(member)));
  }
  const without = countsOf(rest);
  const sure =
    2 * found.size < classCount &&
    without.comparisons >= COMPARISONS_MIN &&
    share(without) <= SHARE_WITHOUT &&
    [...found].every((i) => of(i, asked).comparisons >= COMPARISONS_MIN && share(of(i, asked)) >= SHARE_WITH);
  return sure ? found : new Set();
}
