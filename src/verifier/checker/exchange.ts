// One request to a checker: a group's candidates out, a number each back. Must not know slots,
// retries or rewards.
import { LIMITS } from "../../core/faults/limits.ts";
import { isRetriedStatus } from "../../core/wire/chat-retry.ts";
import { LineTooLong, Remainder } from "../../core/wire/chat-stream.ts";
import type { VerifierJob } from "../../core/wire/questions.ts";
import { sha256Hex } from "../../scoring/digest.ts";
import type { Clock } from "../../scoring/ports.ts";
import { signedHeaders } from "../../scoring/signature.ts";
import { readBody } from "../fan-out/read-body.ts";
import { type Outcome, outcome, refused } from "../fan-out/refusal.ts";

export interface CheckerEndpoint {
  url: string;
  secret: Uint8Array;
  fetch: typeof fetch;
  clock: Clock;
}

/** What one request brought: as many numbers as candidates, or none. */
export interface Checked {
  outcome: Outcome;
  numbers: readonly (number | null)[];
}

const without = (outcome: Outcome): Checked => ({ outcome, numbers: [] });

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
  let response: Response;
  try {
    response = await fetcher(url, { method: "POST", headers, body, signal, redirect: "manual" });
  } catch {
    onHeaders(false);
    return without(outcome("verifier_unavailable", "verifier_unavailable"));
  }
  onHeaders(!isRetriedStatus(response.status));
  if (!response.ok) return without(refused(response, clock));
  const document = new Remainder();
  try {
    const keep = (bytes: Uint8Array) => {
      document.keep(bytes);
      return true;
    };
    if (response.body !== null) await readBody(response.body, keep);
  } catch (fault) {
    return without(outcome(fault instanceof LineTooLong ? "verifier_bad_reply" : "verifier_unavailable"));
  }
  const numbers = scoresIn(document.take(), shown.length);
  if (numbers === null) return without(outcome("verifier_bad_reply"));
  const nothing = { prompt_tokens: 0, completion_tokens: 0, model: null };
  const answered = { answer: "", thinking: "none", finish_reason: "stop", error: null, ...nothing } as const;
  return { outcome: { answered, refusal: null, retry_after_ms: null, backend_failed: false }, numbers };
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
