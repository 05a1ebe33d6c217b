// Decides whether a question that failed is asked again, and after which pause. Must not know slots, budgets,
// breakers or how a request is sent.

import type { ItemErrorCode } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { waitMs } from "../../core/wire/chat-retry.ts";
import type { Clock } from "../../ports/ports.ts";
import type { Backend } from "./backend.ts";
import type { Countable, Task } from "./queue.ts";
import type { AttemptResult } from "./refusal.ts";

/** A session's knowledge besides the failure. */
interface RetryTerms {
  clock: Clock;
  deadline_at: number | null;
  random: () => number;
  backend: Backend;
  /** See VerifierCall. */
  tenant?: string | undefined;
  /** Whether there is a deadline to wait for, and no other backend that would take over. */
  patient: boolean;
  /** Rounds in which the backend refused everything; they lengthen the pause. */
  rounds: number;
  /** Requests that the session has sent or will send. */
  requests: number;
}

/**
 * How long to wait before the task is sent again, ms; null when it must not be: its question was
 * refused or is to blame, a Worker may send no more, or the deadline leaves no time. Without
 * patience also after `retries_max`, while the breaker is open, and for what broke off after it had
 * been accepted.
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
  // A patient caller stays away for as long as the backend asked.
  const wait = patient && pause !== null ? Math.max(pause, retry_after_ms ?? 0) : pause;
  return wait === null || (deadline_at !== null && clock.now() + wait >= deadline_at) ? null : wait;
}

/**
 * Whether a question failed often enough to be the cause itself. A 5xx or a broken reply
 * counts when a request sent after the last one was answered: a backend that shuts down goes on with what it
 * has begun. An unreadable reply counts always.
 */
function isToBlame<J extends Countable>(task: Task<J>, error: ItemErrorCode | null, backend: Backend): boolean {
  const others = backend.answered_number > (task.failed_number || task.number);
  if (error === "verifier_bad_reply" || others) task.own_failures++;
  task.failed_number = backend.sends;
  return task.own_failures >= LIMITS.question_failures_max;
}
