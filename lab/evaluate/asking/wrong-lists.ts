// Why a list went wrong: what the verifier wrote on it, read back from the log and shown in the report. Knows
// the API's log and no metric.
import * as z from "zod";
import { listAccuracy } from "../../../src/core/tournament/metrics.ts";
import type { Table } from "../../report/page.ts";
import type { SetCandidate } from "../../testbed/format/set-format.ts";
import type { Answer, AnswerStore } from "./answers.ts";
import type { Cell } from "./cells.ts";

/** Verdicts kept of a wrong list, and wrong lists reported of a cell. */
const SAID_MOST = 3;
export const WRONG_TOLD = 10;

/** A reply is sent before what it says is queued can be read. */
const STORED_TRIES = 30;
const STORED_PAUSE_MS = 200;
/** A log that does not answer must not hold an evaluation up. */
const READ_MS = 5_000;

const VerdictsSchema = z.object({
  verdicts: z.array(
    z.object({
      order: z.array(z.int().min(0)),
      letter: z.string().nullable(),
      scores: z.array(z.number()).nullable().optional(),
      status: z.string().nullable(),
      text: z.string().optional(),
    }),
  ),
});

interface Listed {
  list_id: string;
  candidates: readonly SetCandidate[];
}

const bestOf = (pass_rates: readonly number[]) => pass_rates.indexOf(Math.max(...pass_rates));

/** Whether ListAcc counts the full answer as wrong: it selects none of the best, or none. */
export function isWrong({ error, selected }: Answer, { candidates }: Pick<Listed, "candidates">): boolean {
  const rates = candidates.map(({ pass_rate }) => pass_rate);
  return error === null && listAccuracy(selected, rates) === false;
}

/** The best and the one selected: verdicts on both tell most. */
export function confused({ selected }: Answer, { candidates }: Pick<Listed, "candidates">): number[] {
  const best = bestOf(candidates.map(({ pass_rate }) => pass_rate));
  return selected === null ? [best] : [best, selected];
}

interface LogReader {
  target: string;
  api_key: string | null;
  signal: AbortSignal;
}

/**
 * The texts written on the group at `index` of a request, on those `about` whom it is first; empty where the
 * log has none, the key may not read it, or the signal says to stop: the answer itself is not lost with its
 * texts.
 */
export async function saidOf(
  { request_id, index, candidates }: { request_id: string; index: number; candidates: readonly number[] },
  from: LogReader,
): Promise<NonNullable<Answer["said"]>> {
  const url = `${from.target}/v1/groups/${request_id}.${index}/verdicts`;
  const headers = from.api_key === null ? {} : { authorization: `Bearer ${from.api_key}` };
  for (let time = 0; time < STORED_TRIES && !from.signal.aborted; time++) {
    const signal = AbortSignal.any([from.signal, AbortSignal.timeout(READ_MS)]);
    const response = await fetch(url, { headers, signal }).catch(() => null);
    if (response?.ok === true) {
      const read = VerdictsSchema.safeParse(await response.json().catch(() => null));
      const missing = ({ order }: { order: number[] }) =>
        candidates.filter((candidate) => !order.includes(candidate)).length;
      const verdicts = [...(read.data?.verdicts ?? [])].sort((a, b) => missing(a) - missing(b));
      return verdicts.slice(0, SAID_MOST).flatMap(({ order, letter, scores, status, text }) => {
        const verdict = letter ?? scores?.join(", ") ?? status ?? "";
        return text === undefined ? [] : [{ shown: order, verdict, text }];
      });
    }
    if (response?.status !== 404) return [];
    await new Promise((resolve) => setTimeout(resolve, STORED_PAUSE_MS));
  }
  return [];
}

export const WrongListSchema = z.object({
  cell: z.string(),
  list_id: z.string(),
  selected: z.int().min(0).nullable(),
  pass_rates: z.array(z.number()),
  said: z.array(z.object({ shown: z.array(z.int().min(0)), verdict: z.string(), text: z.string() })),
});
export type WrongList = z.output<typeof WrongListSchema>;

/** Wrong lists of each cell, those first whose texts were read, else in the set's order. */
export function wrongLists(cells: readonly Cell[], lists: readonly Listed[], store: AnswerStore): WrongList[] {
  return cells.flatMap(({ name }) =>
    lists
      .flatMap((list): WrongList[] => {
        const answer = store.get(list.list_id, name);
        if (answer === undefined || !isWrong(answer, list)) return [];
        const { selected, said = [] } = answer;
        const pass_rates = list.candidates.map(({ pass_rate }) => pass_rate);
        return [{ cell: name, list_id: list.list_id, selected, pass_rates, said }];
      })
      .sort((a, b) => Number(b.said.length > 0) - Number(a.said.length > 0))
      .slice(0, WRONG_TOLD),
  );
}

/** A verdict's text as one line: of a long one its end, where the verdict stands. */
function oneLine(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim();
  return line.length <= TEXT_SHOWN ? line : `… ${line.slice(-TEXT_SHOWN)}`;
}

const TEXT_SHOWN = 600;

const rateOf = (pass_rates: readonly number[], i: number | null) =>
  i === null ? "none" : `#${i}\u00a0(${(100 * (pass_rates[i] ?? 0)).toFixed(0)}\u00a0%)`;

/** A row a verdict of each wrong list, and one of those without any text. */
export function wrongTable(cell: string, wrong: readonly WrongList[]): Table | null {
  const rows = wrong
    .filter((list) => list.cell === cell)
    .flatMap(({ list_id, selected, pass_rates, said }) => {
      const best = bestOf(pass_rates);
      const head = [list_id, rateOf(pass_rates, selected), rateOf(pass_rates, best)];
      if (said.length === 0) return [[...head, "", "", "not logged"]];
      const shown = (order: readonly number[]) =>
        order.map((r, k) => `${String.fromCharCode(65 + k)} #${r}`).join(", ");
      return said.map((entry) => [...head, shown(entry.shown), entry.verdict, oneLine(entry.text)]);
    });
  if (rows.length === 0) return null;
  const lists = new Set(rows.map(([id]) => id)).size;
  return {
    caption: `${cell}: ${lists === 1 ? "one wrong list" : `${lists} wrong lists`} with the verifier's answers`,
    columns: ["list", "selected", "best", "shown", "verdict", "text"],
    rows,
  };
}
