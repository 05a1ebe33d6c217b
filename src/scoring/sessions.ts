// The verifier sessions of one request, one for each signal that asks: how a judge's settings become a call,
// and what was refused.

import type { Judge } from "../core/asking/signal.ts";
import { missingRules } from "../core/contract/spec.ts";
import type { CompiledSpec } from "../core/reward/compiled-spec.ts";
import { createHeaderSlots } from "../core/wire/header-slots.ts";
import type { HeaderSlots, SessionStats } from "../core/wire/questions.ts";
import type { Verifier, VerifierCall, VerifierSession } from "../ports/ports.ts";

/** Sentences of refusals that are kept, and that one reply tells: the first ascending. */
const REFUSALS_MAX = 256;
export const REFUSALS_TOLD_MAX = 3;

/** Refusals of one request: their sentences, and the wait that verifiers asked for. */
interface Refusals {
  sentences: Set<string>;
  /** The longest wait that one asked for, ms; null where none did. */
  retry_after_ms: number | null;
}

/** When a session's work ends, and whose goes first. */
export type Until = Pick<VerifierCall, "signal" | "deadline_at" | "priority" | "tenant" | "work" | "hand_on">;

/** As far as a signal asks in it. */
export type AskingSession = Pick<VerifierSession, "judge">;

/** The session in which a signal asks, by its name. */
export type Sessions = Readonly<Record<string, AskingSession>>;

/** A session's counts, without its measures. */
type SessionCount = Exclude<keyof SessionStats, "headers_ms">;

/**
 * One session for each signal that asks; they share the places for requests that wait for headers.
 * @param header_slots those places, where others share them too
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

/** The same session; why questions were refused, and for how long, is taken down. */
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

/** How a judge is asked, as a session takes it. */
function verifierCall(judge: Judge, seed: number) {
  const { prompt, form, model, temperature, top_p, max_tokens, strict_model, vote, extra } = judge;
  const soft = vote === "soft" && { soft: true };
  const in_order = missingRules(judge).min_decided < 1 && { in_order: true };
  const asked = { prompt, form, model, temperature, top_p, max_tokens, seed };
  return { ...asked, strict_model: strict_model === true, ...soft, ...in_order, ...(extra !== undefined && { extra }) };
}
