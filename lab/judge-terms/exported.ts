// Fits judge terms from a run's exported verdicts and texts. A cut export is refused: its groups
// are not the whole run.
import * as z from "zod";
import { type Verdict, verdictIn, winnerOf } from "../../src/core/judges/verdicts.ts";
import { decide, outcomesIn } from "../../src/core/tournament/decision.ts";
import { exportedRows } from "../ensembles/exported.ts";
import { type Estimate, type GroupGames, pooled, sharesOf, TERMS, type Term, type TermShare } from "./fit.ts";

const TextSchema = z.object({
  type: z.literal("row"),
  group_id: z.string(),
  rollout_index: z.int().min(0).nullable(),
  text: z.string(),
});
const VerdictSchema = z.object({
  type: z.literal("row"),
  group_id: z.string(),
  signal: z.string(),
  order: z.array(z.int().min(0)),
  status: z.string().nullable(),
  letter: z.string().nullable(),
  scores: z.array(z.number()).nullable(),
  verdict: z.custom<Verdict>().optional(),
});
type VerdictLine = z.output<typeof VerdictSchema>;

export interface JudgeTerms extends Record<Term, Estimate | null> {
  /** Groups with their texts and verdicts on pairs. */
  groups: number;
}

/**
 * @param verdicts lines of `GET /v1/runs/:run_id/export?table=verdicts`
 * @param texts lines of the same with `table=texts`, whose lengths in characters stand for the candidates'
 * @param signal the signal whose verdicts on pairs count; `base` in a spec without signals
 * @throws ExportFault for an export that is cut or of another table
 */
export async function fitExport(
  verdicts: AsyncIterable<string>,
  texts: AsyncIterable<string>,
  signal: string,
): Promise<JudgeTerms> {
  const lengths = new Map<string, number[]>();
  for await (const { group_id, rollout_index, text } of exportedRows(texts, "texts", TextSchema)) {
    if (rollout_index === null) continue;
    const known = lengths.get(group_id) ?? [];
    known[rollout_index] = text.length;
    lengths.set(group_id, known);
  }
  const byGroup = new Map<string, VerdictLine[]>();
  for await (const row of exportedRows(verdicts, "verdicts", VerdictSchema)) {
    if (row.signal !== signal || row.order.length !== 2) continue;
    byGroup.set(row.group_id, byGroup.get(row.group_id) ?? []);
    byGroup.get(row.group_id)?.push(row);
  }
  const shares: Record<Term, TermShare[]> = { length: [], position: [] };
  for (const [group, rows] of byGroup) {
    const games = gamesOf(rows, lengths.get(group) ?? []);
    if (games === null) continue;
    const groupShares = sharesOf(games);
    for (const term of TERMS) shares[term].push(groupShares[term]);
  }
  return { groups: shares.length.length, length: pooled(shares.length), position: pooled(shares.position) };
}

/** The group's readable verdicts as games; null without any, and where a text was not logged. */
function gamesOf(rows: readonly VerdictLine[], lengths: readonly number[]): GroupGames | null {
  const read = rows.flatMap((row) => {
    const verdict = verdictIn({ ...row, verdict: row.verdict ?? null });
    return verdict === null && row.status !== "tie" ? [] : [{ shown: row.order, place: winnerOf(verdict), verdict }];
  });
  const playing = [...new Set(read.flatMap(({ shown }) => shown))].sort((a, b) => a - b);
  if (playing.length === 0 || playing.some((i) => lengths[i] === undefined)) return null;
  const graded = read.some(({ verdict }) => verdict?.kind === "distribution");
  const questions = read.map(({ shown }) => ({ shown, samples: 1 }));
  const outcomes = read.map(({ shown, place, verdict }, question) => ({
    question,
    state: "parsed" as const,
    winner: place === null ? null : (shown[place] as number),
    ...(verdict?.kind === "distribution" && { grades: verdict.shares }),
  }));
  const decision = decide(lengths.length, "pairwise", questions, outcomes, { graded, complete: false });
  const pairs = playing.flatMap((i, k) => playing.slice(k + 1).map((j) => [i, j]));
  return { pairs, outcomes: outcomesIn(decision), graded, playing, lengths };
}
