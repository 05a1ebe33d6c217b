// Opens the verifier sessions of one request, one per signal that asks questions, and collects the reasons
// for which verifiers refused questions.

import type { Judge } from "../core/asking/signal.ts";
import { missingRules } from "../core/contract/judge-settings.ts";
import type { CompiledSpec } from "../core/reward/compiled-spec.ts";
import { createHeaderSlots } from "../core/wire/header-slots.ts";
import type { HeaderSlots, SessionStats } from "../core/wire/questions.ts";
import type { Verifier, VerifierCall, VerifierSession } from "../ports/ports.ts";

/** Maximum number of refusal sentences that a request collects. */
const REFUSALS_MAX = 256;
/** Maximum number of refusal sentences that a reply reports, in sorted order. */
export const REFUSALS_TOLD_MAX = 3;

/** Refusals by verifiers during one request: their reasons, and the wait that they requested. */
interface Refusals {
  sentences: Set<string>;
  /** The longest requested wait, ms; null if no verifier requested one. */
  retry_after_ms: number | null;
}

/** Deadline, priority and attribution of a session. */
export type Until = Pick<VerifierCall, "signal" | "deadline_at" | "priority" | "tenant" | "work" | "hand_on">;

/** The tenant and the request on whose behalf a verifier is called, as far as they are known. */
export function attributionOf({
  tenant,
  work,
}: Partial<Pick<Until, "tenant" | "work">>): Pick<Until, "tenant" | "work"> {
  const attribution: { tenant?: string; work?: string } = {};
  if (tenant !== undefined) attribution.tenant = tenant;
  if (work !== undefined) attribution.work = work;
  return attribution;
}

/** The part of a verifier session that a signal uses. */
export type AskingSession = Pick<VerifierSession, "judge">;

/** Sessions by signal name. */
export type Sessions = Readonly<Record<string, AskingSession>>;

/** Names of the session statistics that are counts; `headers_ms` is a duration. */
type SessionCount = Exclude<keyof SessionStats, "headers_ms">;

/**
 * Opens one session per signal that asks questions. All sessions share the slots that limit how many requests
 * may wait for response headers.
 * @param header_slots the slots, if sessions opened elsewhere share them too; omitted: creates new ones
 */
export function openSessions(
  verifier: Verifier,
  { signals, spec }: CompiledSpec,
  until: Until,
  header_slots?: HeaderSlots,
): { sessions: Sessions; stats: () => SessionStats; refusals: Refusals } {
  const asking = signals.flatMap(({ name, judge }) => (judge === null ? [] : [{ name, judge }]));
  const slots = header_slots ?? (asking.length > 1 ? createHeaderSlots() : undefined);
  const shared = slots !== undefined && { header_slots: slots };
  const refusals: Refusals = { sentences: new Set(), retry_after_ms: null };
  const opened: VerifierSession[] = [];
  const open = (judge: Judge) => {
    const session = verifier.session({ ...verifierCall(judge, spec.seed), ...until, ...shared });
    opened.push(session);
    return overheard(session, refusals);
  };
  const sessions = asking.map(({ name, judge }) => [name, open(judge)] as const);
  const stats = () => {
    const all = opened.map((session) => session.stats);
    const sum = (field: SessionCount) => all.reduce((total, session) => total + session[field], 0);
    const max = (field: SessionCount) => all.reduce((top, session) => Math.max(top, session[field]), 0);
    const headers_ms = all.flatMap((session) => session.headers_ms ?? []);
    return {
      headers_waiting_max: max("headers_waiting_max"),
      in_flight_max: sum("in_flight_max"),
      requests: sum("requests"),
      retries: sum("retries"),
      ...(headers_ms.length > 0 && { headers_ms: Math.max(...headers_ms) }),
    };
  };
  return { sessions: Object.fromEntries(sessions), stats, refusals };
}

/** Wraps a session so that refusal reasons and requested waits are recorded. */
function overheard(session: VerifierSession, refusals: Refusals): AskingSession {
  return {
    judge: (job, sink) =>
      session.judge(job, (generation) => {
        const { reason, retry_after_ms } = generation;
        const { sentences } = refusals;
        if (reason != null && sentences.size < REFUSALS_MAX) sentences.add(reason);
        if (retry_after_ms != null) refusals.retry_after_ms = Math.max(refusals.retry_after_ms ?? 0, retry_after_ms);
        sink(generation);
      }),
  };
}

/** Converts a judge's settings into session options. */
function verifierCall(judge: Judge, seed: number) {
  const { prompt, form, model, temperature, top_p, max_tokens, strict_model, vote, extra } = judge;
  const soft = vote === "soft" && { soft: true };
  const in_order = missingRules(judge).min_decided < 1 && { in_order: true };
  const asked = { prompt, form, model, temperature, top_p, max_tokens, seed };
  return { ...asked, strict_model: strict_model === true, ...soft, ...in_order, ...(extra !== undefined && { extra }) };
}
