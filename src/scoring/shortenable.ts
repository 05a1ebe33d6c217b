// Finds the agent runs to shorten after the verifier has refused a question as too long.
import type { AskedQuestion } from "../core/asking/asked-questions.ts";
import { isJudgement } from "../core/asking/purpose.ts";
import type { PreparedGroup } from "../core/candidate/prepare.ts";

/** Maximum number of rounds; each round halves how much of a run's results is shown. */
const SHRINKS_MAX = 3;
/** Minimum length of a shortened run, as a share of the longest run of the refused question. */
const LONG_SHARE = 1 / 2;

/**
 * Finds the rollouts to shorten before the next questions: for each question that was refused as too long and
 * never answered, the longest runs that can still be shortened. Empty if shortening would not help.
 */
export function shortenable(group: PreparedGroup, asked: readonly AskedQuestion[]): ReadonlySet<number> {
  const { evidence, texts, classes } = group;
  const found = new Set<number>();
  if (evidence === undefined) return found;
  for (const { question, readings } of asked) {
    const isRefused = readings.some(({ code }) => code === "context_exceeded");
    if (!isJudgement(question) || !isRefused || readings.some(({ code }) => code === null)) continue;
    const length = (member: number) => (texts[member] ?? "").length;
    const longest = Math.max(...question.shown.map(length));
    for (const member of question.shown.filter((shown) => length(shown) >= LONG_SHARE * longest)) {
      const mayShrink = (r: number) => evidence.cuttable[r] === true && (evidence.shrinks[r] as number) < SHRINKS_MAX;
      for (const r of (classes.members[member] ?? []).filter(mayShrink)) found.add(r);
    }
  }
  return found;
}
