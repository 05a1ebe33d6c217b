// Converts a judge's answers about one candidate to the rubric items met, the score and the details.

import { type AskedQuestion, commonFault } from "../asking/asked-questions.ts";
import type { Detail, RolloutValue } from "../asking/plan.ts";
import { type Valued, valued, without } from "../asking/signal-value.ts";
import { unescapeText } from "../judges/escape/escape.ts";
import type { Verdict } from "../judges/verdicts.ts";
import { mean } from "../math/stats.ts";
import type { RubricItem, RubricScore } from "./rubric-items.ts";
import { choiceMet, type Decided, majority, rubricScore } from "./rubric-score.ts";

/** Items that are asked about in one question, and the string that shows these items to the judge. */
export interface RubricPart {
  items: readonly RubricItem[];
  text: string;
  /** Keys for the items in the judge's answer. */
  keys: readonly string[];
}

/** An item with the decision about it and the judge's quotes from the candidate. */
interface DecidedItem extends RubricItem {
  met: Decided;
  quotes: readonly string[];
}

const LOWEST_RATING = 1;
const RATINGS = 9;

/** Maximum number of quotes per candidate whose position is reported. */
const EVIDENCE_MAX = 16;

/**
 * The score of one candidate. An unreadable answer gives no value; the denominator leaves out only items that
 * the judge explicitly calls undecidable. Otherwise a candidate could hide a mistake by making the answer
 * unreadable.
 */
export function rubricResult(
  { classIndex, text }: { classIndex: number; text: string },
  parts: readonly RubricPart[],
  { score, min_coverage = 0 }: { score: RubricScore; min_coverage?: number },
  seen: readonly AskedQuestion[],
): RolloutValue {
  const ofCandidate = seen.filter(({ question }) => question.shown[0] === classIndex);
  const verdicts = parts.map((part) =>
    ofCandidate
      .filter(({ question }) => question.slots?.rubric === part.text)
      .flatMap(({ readings }) => readings.flatMap(({ verdict }) => verdict ?? [])),
  );
  if (verdicts.some(({ length }) => length === 0)) {
    return { value: without(commonFault(ofCandidate, classIndex) ?? "verifier_bad_reply"), detail: null };
  }
  if (score === "implicit_1_10") return { value: ratingOf(verdicts.flat()), detail: null };
  const items = parts.flatMap((part, p) => decidedOf(part, verdicts[p] as Verdict[]));
  const {
    value: share,
    raw,
    coverage,
  } = rubricScore(
    items,
    items.map(({ met }) => met),
    score,
  );
  const detail = detailOf(items, text, { raw, coverage });
  if (items.some(isFailed)) return { value: valued(0), detail };
  if (share === null) return { value: without("rubric_undecided"), detail };
  const open = items.some(({ critical, met }) => critical === true && met === null);
  return { value: open || (coverage ?? 0) < min_coverage ? without("partial") : valued(share), detail };
}

/** Mean rating, mapped by (x - 1) / 9 (Rubrics as Rewards, the implicit form). */
function ratingOf(verdicts: readonly Verdict[]): Valued {
  const ratings = verdicts.flatMap((verdict) =>
    verdict.kind === "grade" && Number.isInteger(verdict.grade) ? verdict.grade : [],
  );
  if (ratings.length === 0) return without("unparsed");
  return valued((mean(ratings.sort((a, b) => a - b)) - LOWEST_RATING) / RATINGS);
}

/** Whether a critical item fails: it is unmet or, if its points are negative, met. */
const isFailed = ({ critical, points, met }: DecidedItem): boolean =>
  critical === true && met !== null && (points < 0 ? met > 0 : met === 0);

function decidedOf({ items, keys }: RubricPart, verdicts: readonly Verdict[]): DecidedItem[] {
  const criteria = verdicts.flatMap((verdict) => (verdict.kind === "criteria" ? [verdict] : []));
  return items.map((item, i) => {
    const key = keys[i] as string;
    const votes = criteria.map(({ met }) => decisionOf(met[key] ?? null, item));
    return { ...item, met: majority(votes), quotes: criteria.flatMap(({ evidence }) => evidence?.[key] ?? []) };
  });
}

function decisionOf(met: boolean | number | null, { choices }: RubricItem): Decided {
  if (typeof met === "number") return choices === undefined ? null : choiceMet(met, choices.length);
  if (met === null) return null;
  return met ? 1 : 0;
}

/**
 * The items met, and where the judge's quotes occur in the candidate: only positions, so that details contain
 * no text.
 */
function detailOf(
  items: readonly DecidedItem[],
  text: string,
  { raw, coverage }: { raw: number | null; coverage: number | null },
): Detail {
  const ids = (matches: (met: Decided) => boolean) => items.flatMap(({ id, met }) => (matches(met) ? [id] : []));
  const graded = items.flatMap(({ id, met }) => (met !== null && met > 0 && met < 1 ? [[id, met] as const] : []));
  const places = items.flatMap(({ id, quotes }) => {
    const at = quotes
      .map(unescapeText)
      .map((quote) => [text.indexOf(quote), quote.length] as const)
      .find(([from]) => from >= 0);
    return at === undefined ? [] : [[id, [at[0], at[0] + at[1]]] as const];
  });
  return {
    coverage,
    ...(raw !== null && { raw }),
    met: ids((met) => met === 1),
    unmet: ids((met) => met === 0),
    undecided: ids((met) => met === null),
    ...(graded.length > 0 && { graded: Object.fromEntries(graded) }),
    ...(places.length > 0 && { evidence: Object.fromEntries(places.slice(0, EVIDENCE_MAX)) }),
  };
}
