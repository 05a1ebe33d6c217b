// Owns the step from a scored batch to what is logged of it. Knows no database.

import type { PreparedGroup } from "../core/candidate/prepare.ts";
import type { SignalRow } from "../core/contract/export-tables.ts";
import type { GroupResult } from "../core/contract/replies.ts";
import { canonicalJson } from "../core/contract/spec.ts";
import { isProbe } from "../core/judges/questions.ts";
import { letterAt } from "../core/judges/verdict.ts";
import type { Verdict } from "../core/judges/verdicts.ts";
import type { GroupSignals, SignalQuestion } from "../core/signals/group-signals.ts";
import { sha256Hex } from "./digest.ts";
import type { GroupEntry, RolloutRow, VerdictRow } from "./run-log-port.ts";

/**
 * One group's rows. A sample shared from an equal group carries zero tokens and latency: they count
 * where they were spent.
 */
export async function groupEntry(
  signals: GroupSignals,
  result: GroupResult,
  named: boolean,
  withTexts: boolean,
): Promise<GroupEntry> {
  const { prepared } = signals;
  const { group, language } = prepared;
  const prompt = typeof group.prompt === "string" ? group.prompt : canonicalJson(group.prompt);
  return {
    result,
    prompt_hash: await sha256Hex(canonicalJson(group.prompt)),
    prompt: withTexts ? prompt : null,
    language,
    rollouts: await Promise.all(group.rollouts.map((_, r) => rolloutRow(prepared, r, withTexts))),
    // A probe is no verdict on anybody.
    verdicts: signals
      .asked()
      .filter(({ question }) => !isProbe(question))
      .flatMap((entry, comparison) => verdictRows(prepared, entry, comparison)),
    ...(named && { signals: signalRows(signals) }),
  };
}

/** Of a spec with signals; what a spec without has to tell stands in the rollouts' rows. */
function signalRows(signals: GroupSignals): SignalRow[] {
  return Object.entries(signals.columns()).flatMap(([signal, values]) => {
    const members = new Set(signals.membersAsked(signal));
    return values.map(({ value, code }, rollout_index): SignalRow => {
      const skipped = !members.has(rollout_index) && value !== null;
      const detail = signals.detailOf(signal, rollout_index);
      return { rollout_index, signal, value, code, detail: skipped ? { skipped } : detail };
    });
  });
}

async function rolloutRow({ group, candidates }: PreparedGroup, r: number, withTexts: boolean): Promise<RolloutRow> {
  const { text, length_tokens, finish_reason, pass_rate } = group.rollouts[r] as (typeof group.rollouts)[number];
  const candidate = candidates[r] ?? null;
  return {
    length_tokens: length_tokens ?? null,
    finish_reason: finish_reason ?? null,
    pass_rate: pass_rate ?? null,
    text_hash: await sha256Hex(text),
    candidate_hash: candidate === null ? null : await sha256Hex(candidate),
    text: withTexts ? text : null,
  };
}

function verdictRows(
  { classes }: PreparedGroup,
  { signal, question, own, readings }: SignalQuestion,
  comparison: number,
): VerdictRow[] {
  const order = question.shown.map((member) => classes.members[member]?.[0] as number);
  const run = readings.filter(({ saved }) => !saved);
  return run.map(({ verdict, status, code, saved: _, ...reading }) => ({
    ...reading,
    ...said(verdict),
    status,
    error: code,
    // A reading remembered by an older version has neither.
    model: reading.model ?? null,
    backend: reading.backend ?? null,
    ...(own ? {} : { prompt_tokens: 0, completion_tokens: 0, latency_ms: 0 }),
    comparison,
    order,
    signal,
  }));
}

/** A verdict in the columns that hold it. */
function said(verdict: Verdict | null): Pick<VerdictRow, "letter" | "scores" | "verdict"> {
  const nothing = { letter: null, scores: null, verdict: null };
  if (verdict === null) return nothing;
  if (verdict.kind === "letter") return { ...nothing, letter: letterAt(verdict.place) };
  if (verdict.kind === "scores") return { ...nothing, scores: verdict.scores };
  // That a verifier finds two equal is told by the status.
  return verdict.kind === "preference" && verdict.strength === 0 ? nothing : { ...nothing, verdict };
}
