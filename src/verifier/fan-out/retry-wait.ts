// Decides whether a failed question is retried, and after what delay. Independent of slots, budgets, breakers
// and how a request is sent.

import type { ItemErrorCode } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { waitMs } from "../../core/wire/chat-retry.ts";
import type { Clock } from "../../ports/ports.ts";
import type { Backend } from "./backend.ts";
import type { Countable, Task } from "./queue.ts";
import type { AttemptResult } from "./refusal.ts";

/** Session state that affects retries. */
interface RetryTerms {
  clock: Clock;
  deadline_at: number | null;
  random: () => number;
  backend: Backend;
  /** See VerifierCall. */
  tenant?: string | undefined;
  /** Whether the session has a deadline and no other backend to fail over to. */
  patient: boolean;
  /** Rounds in which the backend refused everything; they lengthen the delay. */
  rounds: number;
  /** Requests that the session has sent or will send. */
  requests: number;
}

/**
 * Delay before the task is retried, ms. Null if it must not be retried: the question was refused or caused
 * its own failures, the Worker's subrequest limit is reached, or the deadline leaves no time. In a session
 * that is not patient, also null after `retries_max` failures, while the breaker is open, and if an accepted
 * request broke off.
 */
export function retryWait<J extends Countable>(
  task: Task<J>,
  outcome: AttemptResult,
  terms: RetryTerms,
): number | null {
  const { generation, refusal, backend_failed, retry_after_ms } = outcome;
  const { clock, deadline_at, random, backend, tenant, patient, rounds, requests } = terms;
  if (outcome.final === true || (refusal === null && !(patient && backend_failed))) return null;
  task.failures++;
  if (!patient && (task.failures > LIMITS.retries_max || backend.waitMs(clock.now(), tenant) > 0)) return null;
  if (refusal === null && isToBlame(task, generation.error, backend)) return null;
  if (requests >= LIMITS.subrequests_max) return null;
  const pause = waitMs(task.failures + rounds, patient ? null : retry_after_ms, random);
  // A patient session waits at least as long as the backend asked.
  const wait = patient && pause !== null ? Math.max(pause, retry_after_ms ?? 0) : pause;
  return wait === null || (deadline_at !== null && clock.now() + wait >= deadline_at) ? null : wait;
}

/**
 * Whether the question itself is probably the cause of its failures. A 5xx or a broken reply counts only
 * if a request sent after the last failure was answered, because a backend that shuts down still
 * finishes its running requests. An unreadable reply always counts.
 */
function isToBlame<J extends Countable>(task: Task<J>, error: ItemErrorCode | null, backend: Backend): boolean {
  const others = backend.answered_number > (task.failed_number || task.number);
  if (error === "verifier_bad_reply" || others) task.own_failures++;
  task.failed_number = backend.sends;
  return task.own_failures >= LIMITS.question_failures_max;
}
