// One request to a checker: sends a group's candidates, whole or split into steps, and receives scores.
// Independent of slots, retries and rewards.

import { LIMITS } from "../../core/faults/limits.ts";
import { stepsOfList } from "../../core/judges/step-list.ts";
import type { VerifierJob } from "../../core/wire/questions.ts";
import { sha256Hex } from "../../platform/sha256.ts";
import { signedHeaders } from "../../platform/signature.ts";
import { withTimeout } from "../../platform/waiting.ts";
import { type Endpoint, exchangeDocument } from "../fan-out/exchange.ts";
import { type AttemptResult, outcome, replied } from "../fan-out/refusal.ts";

export interface CheckerEndpoint extends Pick<Endpoint, "url" | "fetch" | "clock"> {
  secret: Uint8Array;
}

/** A score, or null if the checker gave none. A candidate that was sent in steps has one entry per step. */
export type CheckedScore = number | null | readonly (number | null)[];

/** The result of one request: one score per candidate, or none if the request failed. */
export interface Checked {
  outcome: AttemptResult;
  scores: readonly CheckedScore[];
}

/**
 * Asks about all questions of a job in one request. Never rejects for a failure of the checker or the
 * network. The request is signed according to Standard Webhooks; its message id is derived from the body, so
 * that a checker recognises a repeated request.
 */
export async function askChecker(
  { url, secret, fetch: fetcher, clock }: CheckerEndpoint,
  { to, question, language, candidates, slots, questions }: VerifierJob,
  session: AbortSignal,
  onHeaders: (accepted: boolean) => void = () => {},
): Promise<Checked> {
  const shown = questions.map(({ shown: [at] }) => candidates[at as number] as string);
  const steps = to === "check_steps" ? shown.map(stepsOfList) : null;
  const body = JSON.stringify({
    ...{ question, language, reference: slots?.reference ?? null },
    ...(steps === null ? { candidates: shown } : { steps }),
  });
  const id = `check_${await sha256Hex(`${url}\n${body}`)}`;
  const signed = await signedHeaders(secret, { id, body }, clock.date().getTime());
  const headers = { "content-type": "application/json", accept: "application/json", ...signed };
  const endpoint = { url, headers, fetch: fetcher, clock, key_variable: null };
  const { reply, failed } = await withTimeout(clock, LIMITS.checker_timeout_ms, (late) => {
    const signal = AbortSignal.any([session, late]);
    return exchangeDocument(endpoint, { body, signal, onHeaders, explains: null });
  });
  const isScore = (score: unknown, at: number) => isNumber(score) || (steps !== null && isList(score, steps[at] ?? []));
  const scores = reply === null ? null : scoresIn(reply, shown.length, isScore);
  return scores === null
    ? { outcome: failed ?? outcome("verifier_bad_reply"), scores: [] }
    : { outcome: replied(""), scores };
}

const isNumber = (score: unknown): boolean => score === null || Number.isFinite(score);
const isList = (score: unknown, { length }: readonly string[]): boolean =>
  Array.isArray(score) && score.length === length && score.every(isNumber);

/** Reads `{"scores": [0.5, null]}` with one entry per candidate; null for anything else. */
function scoresIn(
  document: string,
  count: number,
  isScore: (score: unknown, at: number) => boolean,
): CheckedScore[] | null {
  try {
    const { scores } = JSON.parse(document) as { scores?: unknown };
    return Array.isArray(scores) && scores.length === count && scores.every(isScore) ? scores : null;
  } catch {
    return null;
  }
}
