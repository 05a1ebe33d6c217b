// Owns finding candidates in whose presence verdicts fail. Must not know rewards: group-result.ts
// says what follows.

import { isFirst } from "../judges/questions.ts";
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

const noCounts = (): Counts => ({ comparisons: 0, answered: 0, unparsed: 0 });

function add(counts: Counts, { question, readings }: AskedQuestion): void {
  if (isFirst(question)) counts.comparisons++;
  for (const reading of readings) {
    if (reading.status === null) continue;
    counts.answered++;
    if (isUnparsed(reading)) counts.unparsed++;
  }
}

function countsOf(asked: readonly AskedQuestion[]): Counts {
  const counts = noCounts();
  for (const entry of asked) add(counts, entry);
  return counts;
}

/** For each class: what was asked with it. */
function countsByClass(classCount: number, asked: readonly AskedQuestion[]): Counts[] {
  const counts = Array.from({ length: classCount }, noCounts);
  for (const entry of asked) for (const member of entry.question.shown) add(counts[member] as Counts, entry);
  return counts;
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
  const whole = countsByClass(classCount, asked);
  let rest = asked;
  let counts = whole;
  for (;;) {
    const shares = counts.map((own, i) => (found.has(i) ? 0 : share(own)));
    const worst = Math.max(0, ...shares);
    if (worst < SHARE_WITH) break;
    for (const [i, own] of shares.entries()) if (own === worst) found.add(i);
    rest = rest.filter(({ question }) => !question.shown.some((member) => found.has(member)));
    counts = countsByClass(classCount, rest);
  }
  if (found.size === 0) return found;
  const without = countsOf(rest);
  const sure =
    2 * found.size < classCount &&
    without.comparisons >= COMPARISONS_MIN &&
    share(without) <= SHARE_WITHOUT &&
    [...found].every((i) => {
      const own = whole[i] as Counts;
      return own.comparisons >= COMPARISONS_MIN && share(own) >= SHARE_WITH;
    });
  return sure ? found : new Set();
}
