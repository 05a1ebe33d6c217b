// Converts a scored batch into log rows.

import { isJudgement } from "../core/asking/purpose.ts";
import type { PreparedGroup } from "../core/candidate/prepare.ts";
import type { Evidence } from "../core/candidate/transcript/evidence.ts";
import { canonicalJson } from "../core/contract/canonical-json.ts";
import type { SignalRow } from "../core/contract/export-tables.ts";
import type { Rollout } from "../core/contract/group.ts";
import type { GroupResult } from "../core/contract/group-reply.ts";
import { letterAt } from "../core/judges/verdict.ts";
import { tellable, type Verdict } from "../core/judges/verdicts.ts";
import type { GroupSignals, SignalQuestion } from "../core/reward/group-signals.ts";
import { shownRollouts, turnsIn, turnsNamedOf } from "../core/reward/turns-named.ts";
import { sha256Hex } from "../platform/sha256.ts";
import type { AuditVerdictRow, GroupEntry, RolloutRow, VerdictRow } from "../ports/log-entry.ts";

/**
 * Log rows of one group. Generations shared with an equal group have zero tokens and latency here, since they
 * are counted for the group that asked.
 */
export async function groupEntry(
  signals: GroupSignals,
  result: GroupResult,
  named: boolean,
  withTexts: boolean,
  audit: AuditOfGroup = {},
): Promise<GroupEntry> {
  const { prepared } = signals;
  const { group, language } = prepared;
  const prompt = typeof group.prompt === "string" ? group.prompt : canonicalJson(group.prompt);
  return {
    result,
    prompt_hash: await sha256Hex(canonicalJson(group.prompt)),
    prompt: withTexts ? prompt : null,
    language,
    circles: signals.compared()?.circles ?? null,
    rollouts: await Promise.all(group.rollouts.map((_, r) => rolloutRow(prepared, r, withTexts))),
    verdicts: verdictRows(signals),
    ...(named && { signals: signalRows(signals) }),
    ...(audit.scores !== undefined && { audit: audit.scores }),
    ...(audit.verdicts !== undefined && { audit_verdicts: audit.verdicts }),
  };
}

/** The audit's results for one group; empty if the group was not audited. */
interface AuditOfGroup {
  scores?: readonly (number | null)[] | undefined;
  verdicts?: readonly AuditVerdictRow[] | undefined;
}

/** One row per generation of a group's questions, in the order in which the questions were asked. */
export function verdictRows(signals: GroupSignals): VerdictRow[] {
  const asked = signals.asked().filter(({ question }) => isJudgement(question));
  return asked.flatMap((entry, comparison) => questionRows(signals.prepared, entry, comparison));
}

/** Signal values of the rollouts, for specs with `signals`; otherwise the rollout rows hold the values. */
function signalRows(signals: GroupSignals): SignalRow[] {
  const turnsNamed = turnsNamedOf(signals);
  return Object.entries(signals.columns()).flatMap(([signal, values]) => {
    const members = new Set(signals.membersAsked(signal));
    const refused = signals.refusedIn(signal);
    return values.map(({ value, code }, rollout_index): SignalRow => {
      const skipped = !members.has(rollout_index) && value !== null;
      const [signalDetail, named] = [signals.detailOf(signal, rollout_index), turnsNamed(signal, rollout_index)];
      const stored = named === null ? signalDetail : { ...signalDetail, ...named };
      const detail = refused.has(rollout_index) ? { ...stored, refused: true as const } : stored;
      return { rollout_index, signal, value, code, detail: skipped ? { skipped } : detail };
    });
  });
}

/** A rollout as the client sent it: the plain answer, or messages and files as JSON. */
export const writtenRollout = ({ text, messages, files }: Rollout): string =>
  messages === undefined && files === undefined
    ? text
    : JSON.stringify({ ...(messages === undefined ? { text } : { messages }), ...(files !== undefined && { files }) });

/** Hashes of a rollout's turns, each computed over the normalized turn as JSON. */
const turnHashes = ({ turns }: Evidence): Promise<string[]> =>
  Promise.all(turns.map((turn) => sha256Hex(JSON.stringify(turn))));

async function rolloutRow(
  { group, candidates, evidence }: PreparedGroup,
  r: number,
  withTexts: boolean,
): Promise<RolloutRow> {
  const rollout = group.rollouts[r] as (typeof group.rollouts)[number];
  const { length_tokens, finish_reason, pass_rate } = rollout;
  const text = writtenRollout(rollout);
  const candidate = candidates[r] ?? null;
  return {
    length_tokens: length_tokens ?? null,
    finish_reason: finish_reason ?? null,
    pass_rate: pass_rate ?? null,
    text_hash: await sha256Hex(text),
    candidate_hash: candidate === null ? null : await sha256Hex(candidate),
    text: withTexts ? text : null,
    ...(rollout.messages !== undefined &&
      evidence !== undefined && { turn_hashes: await turnHashes(evidence.items[r] as Evidence) }),
  };
}

function questionRows(prepared: PreparedGroup, entry: SignalQuestion, comparison: number): VerdictRow[] {
  const { signal, charged, readings } = entry;
  const order = shownRollouts(prepared, entry);
  const rows: VerdictRow[] = [];
  for (const reading of readings) {
    if (reading.saved) continue;
    const { letter, scores, verdict } = verdictColumns(reading.verdict);
    const turns = turnsIn(prepared, reading, order);
    rows.push({
      sample: reading.sample,
      finish_reason: reading.finish_reason,
      prompt_tokens: charged ? reading.prompt_tokens : 0,
      completion_tokens: charged ? reading.completion_tokens : 0,
      latency_ms: charged ? reading.latency_ms : 0,
      model: reading.model,
      backend: reading.backend,
      letter,
      scores,
      verdict,
      status: reading.status,
      error: reading.code,
      comparison,
      order,
      signal,
      ...(turns !== null && { turns }),
      ...(charged && reading.text !== undefined && { text: reading.text }),
    });
  }
  return rows;
}

const SAID_NOTHING = { letter: null, scores: null, verdict: null };

/** Maps a verdict to its log columns. */
function verdictColumns(verdict: Verdict | null): Pick<VerdictRow, "letter" | "scores" | "verdict"> {
  if (verdict === null) return SAID_NOTHING;
  if (verdict.kind === "letter") return { letter: letterAt(verdict.place), scores: null, verdict: null };
  if (verdict.kind === "scores") return { letter: null, scores: verdict.scores, verdict: null };
  // A tie is not stored as a verdict, since the status already says so.
  const tie = verdict.kind === "preference" && verdict.strength === 0;
  return tie ? SAID_NOTHING : { letter: null, scores: null, verdict: tellable(verdict) };
}
