// One request to a checker: a group's candidates out, a number each back. Must not know slots,
// retries or rewards.

import { LIMITS } from "../../core/faults/limits.ts";
import type { VerifierJob } from "../../core/wire/questions.ts";
import { sha256Hex } from "../../platform/sha256.ts";
import { signedHeaders } from "../../platform/signature.ts";
import { type Endpoint, exchangeDocument } from "../fan-out/exchange.ts";
import { type AttemptResult, outcome, replied } from "../fan-out/refusal.ts";

export interface CheckerEndpoint extends Pick<Endpoint, "url" | "fetch" | "clock"> {
  secret: Uint8Array;
}

/** What one request brought: as many numbers as candidates, or none. */
export interface Checked {
  outcome: AttemptResult;
  numbers: readonly (number | null)[];
}

/**
 * Asks about all of a job's questions at once. Never rejects for what the checker or the network
 * does. Signed as Standard Webhooks has it; the id is of the body, so that a checker knows again
 * what it was asked before.
 */
export async function askChecker(
  { url, secret, fetch: fetcher, clock }: CheckerEndpoint,
  { question, language, candidates, slots, questions }: VerifierJob,
  session: AbortSignal,
  onHeaders: (accepted: boolean) => void = () => {},
): Promise<Checked> {
  const shown = questions.map(({ shown: [at] }) => candidates[at as number] as string);
  const body = JSON.stringify({ question, language, reference: slots?.reference ?? null, candidates: shown });
  const id = `check_${await sha256Hex(`${url}\n${body}`)}`;
  const signed = await signedHeaders(secret, { id, body }, clock.date().getTime());
  const headers = { "content-type": "application/json", accept: "application/json", ...signed };
  const signal = AbortSignal.any([session, AbortSignal.timeout(LIMITS.checker_timeout_ms)]);
  const endpoint = { url, headers, fetch: fetcher, clock, key_variable: null };
  const { reply, failed } = await exchangeDocument(endpoint, { body, signal, onHeaders, explains: false });
  const numbers = reply === null ? null : scoresIn(reply, shown.length);
  return numbers === null
    ? { outcome: failed ?? outcome("verifier_bad_reply"), numbers: [] }
    : { outcome: replied(""), numbers };
}

/** `{"scores": [0.5, null]}`, one a candidate; null for anything else. */
function scoresIn(document: string, count: number): (number | null)[] | null {
  try {
    const { scores } = JSON.parse(document) as { scores?: unknown };
    if (!Array.isArray(scores) || scores.length !== count) return null;
    const known = scores.every((score) => score === null || (typeof score === "number" && Number.isFinite(score)));
    return known ? scores : null;
  } catch {
    return null;
  }
}
