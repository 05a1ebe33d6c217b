// One request to a service that runs programs: a program on one test out, the test's status back.
// Must not know slots, retries or rewards.
import { LIMITS } from "../../core/faults/limits.ts";
import { isRetriedStatus } from "../../core/wire/chat-retry.ts";
import { LineTooLong, Remainder } from "../../core/wire/chat-stream.ts";
import type { VerifierJob } from "../../core/wire/questions.ts";
import type { Ran, SandboxApi } from "../../core/wire/sandbox-apis.ts";
import { runOf, statusOf } from "../../core/wire/test-run.ts";
import type { Clock, Health } from "../../scoring/ports.ts";
import { readBody } from "../fan-out/read-body.ts";
import { type Outcome, outcome, refusedQuestion } from "../fan-out/refusal.ts";

export interface SandboxEndpoint {
  /** Without a path. */
  root: string;
  api: SandboxApi;
  headers: Record<string, string>;
  fetch: typeof fetch;
  clock: Clock;
  /** Where the deployment says the key. */
  key_variable: string;
}

/** What a run may take beyond its own time: the queue before it, and the way. */
const WAIT_MS = 60_000;

/**
 * The test's status as an answer. Never rejects for what the service, the network or the program
 * does; what the service failed at is an error and never a status.
 */
export async function runTest(
  { root, api, headers, fetch: fetcher, clock, key_variable }: SandboxEndpoint,
  { program, sample, job }: { program: string; sample: number; job: Pick<VerifierJob, "runs"> },
  session: AbortSignal,
  onHeaders: (accepted: boolean) => void = () => {},
): Promise<Outcome> {
  const { runs } = job;
  const one = runs?.cases[sample];
  if (runs === undefined || one === undefined) throw new TypeError("a question to a sandbox without its case");
  const marker = crypto.randomUUID();
  const sent = JSON.stringify(api.body(runOf(program, one, runs, marker)));
  // Compiled and run, each in its time.
  const signal = AbortSignal.any([session, AbortSignal.timeout(2 * runs.timeout_ms + WAIT_MS)]);
  let response: Response;
  try {
    response = await fetcher(root + api.path, { method: "POST", headers, body: sent, signal, redirect: "manual" });
  } catch {
    onHeaders(false);
    return outcome("verifier_unavailable", "verifier_unavailable");
  }
  onHeaders(!isRetriedStatus(response.status));
  if (!response.ok) return refusedQuestion(response, clock, { sent, key_variable });
  const document = new Remainder();
  try {
    const keep = (bytes: Uint8Array) => {
      document.keep(bytes);
      return true;
    };
    if (response.body !== null) await readBody(response.body, keep);
  } catch (fault) {
    return outcome(fault instanceof LineTooLong ? "verifier_bad_reply" : "verifier_unavailable");
  }
  const ran = ranIn(api, document.take());
  if (ran === null) return outcome("verifier_bad_reply");
  const status = statusOf(ran, one, marker);
  if (status === null) return outcome("sandbox_failed");
  const nothing = { prompt_tokens: 0, completion_tokens: 0, model: null };
  const answered = { answer: status, thinking: "none", finish_reason: "stop", error: null, ...nothing } as const;
  return { answered, refusal: null, retry_after_ms: null, backend_failed: false };
}

/** Null for what is no reply of this API. */
function ranIn(api: SandboxApi, document: string): Ran | null {
  try {
    return api.read(JSON.parse(document));
  } catch {
    return null;
  }
}

/** See Verifier.check: whether the service answers at all; it is not made to run anything. */
export async function checkSandbox({ root, api, headers, fetch: fetcher, clock }: SandboxEndpoint): Promise<Health> {
  const start = clock.now();
  const signal = AbortSignal.timeout(LIMITS.readiness_timeout_ms);
  let detail: string | null = null;
  try {
    const response = await fetcher(root + api.health, { headers, signal, redirect: "manual" });
    void response.body?.cancel().catch(() => {});
    if (!response.ok) detail = `status ${response.status}`;
  } catch {
    detail = signal.aborted ? `no answer within ${LIMITS.readiness_timeout_ms} ms` : "not reachable";
  }
  const latency_ms = Math.max(0, clock.now() - start);
  return detail === null ? { ok: true, latency_ms } : { ok: false, latency_ms, detail };
}
