// Decides which metrics an isolate keeps, and a deployment. Labels come from closed sets only.
import { type MetricFamily, MetricRegistry } from "../core/load/metric-registry.ts";
import type { BackendStatus } from "../core/wire/questions.ts";

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

const FAMILIES = {
  kritai_requests_total: ["counter", "Requests answered, by route and status."],
  kritai_request_seconds: ["histogram", "Time from a request's arrival to its reply (a stream: to its headers)."],
  kritai_verifier_seconds: ["histogram", "Time a batch spent waiting for the verifier."],
  kritai_overhead_seconds: ["histogram", "Time a batch spent on everything but the verifier."],
  kritai_rewards_total: ["counter", "Rewards returned as numbers, by kind."],
  kritai_rewards_null_total: ["counter", "Rewards returned as null, by code."],
  kritai_generations_total: ["counter", "Verifier generations, by outcome."],
  kritai_audit_generations_total: ["counter", "Generations of audits, by outcome."],
  kritai_audit_tokens_total: ["counter", "Tokens of audits, by kind."],
  kritai_verifier_tokens_total: ["counter", "Verifier tokens, by kind."],
  kritai_verifier_requests_total: ["counter", "Requests sent to the verifier, retries included."],
  kritai_verifier_retries_total: ["counter", "Requests to the verifier that were sent again."],
  kritai_headers_waiting_max: [
    "gauge",
    "Most verifier requests that waited for headers at one time in one batch, since counting began.",
  ],
  kritai_in_flight_max: [
    "gauge",
    "Most generations that were in flight at one time in one batch, since counting began.",
  ],
  kritai_requests_shed_total: [
    "counter",
    "Requests refused before their body was read because their isolate was at a limit.",
  ],
  kritai_key_limit_refusals_total: ["counter", "Requests refused by their key's limits, by limit."],
  kritai_key_limits_unreachable_total: [
    "counter",
    "Calls to a key's counters that failed; those requests went through.",
  ],
  kritai_gathered_samples_total: [
    "counter",
    "One-sample requests answered, by contract and by how their group was judged; cut_short and late are rewards of a part of it.",
  ],
  kritai_gathered_let_go_total: [
    "counter",
    "One-sample requests answered gathering because their group was incomplete, by contract.",
  ],
  kritai_log_failures_total: ["counter", "Run-log entries that could not be stored."],
  kritai_log_queued_total: ["counter", "Run-log entries that the queue took."],
  kritai_log_expired_requests_total: ["counter", "Requests that left the run log by age, or after their run."],
  kritai_log_queue_refusals_total: [
    "counter",
    "Run-log entries that the queue did not take; they were written at once.",
  ],
  kritai_log_messages_total: ["counter", "Messages of the run-log queue that were consumed, by end and reason."],
  kritai_metrics_unreachable_total: [
    "counter",
    "Times that an isolate could not hand on what it had counted; it goes with the next.",
  ],
  kritai_backend_requests_total: ["counter", "Questions sent to a backend for the first time."],
  kritai_backend_retries_total: ["counter", "Retries that the budget allowed."],
  kritai_backend_retries_denied_total: [
    "counter",
    "How often a retry had to wait for the budget, or was left to the next backend.",
  ],
  kritai_backend_hedges_total: ["counter", "Second copies of stragglers."],
  kritai_backend_hedges_won_total: ["counter", "Second copies that began to answer first."],
  kritai_alarm_looks_total: ["counter", "Looks at runs whose steps were logged, for alarms, by end."],
  kritai_alarm_events_total: ["counter", "Alarms of runs that began, rose or ended, each try to tell it, by alarm."],
  kritai_log_message_age_seconds: [
    "histogram",
    "How long a message had lain in the run-log queue when it was consumed.",
  ],
} as const satisfies Record<string, MetricFamily>;
type MetricName = keyof typeof FAMILIES;

const OF_BACKENDS = ["requests", "retries", "retries_denied", "hedges", "hedges_won"] as const;

/** Who counts for itself by backend, as a verifier does. */
interface CountingBackends {
  backends?(): readonly BackendStatus[];
}

/** Counters since this isolate started, or since they were last taken. */
export class Metrics extends MetricRegistry<MetricName> {
  /** Each verifier's backend counts when they were last read. */
  readonly #booked = new WeakMap<CountingBackends, Map<string, BackendStatus>>();

  constructor() {
    super(FAMILIES, SECONDS);
  }

  /** Adds what a verifier's backends have counted since this was last called. */
  bookBackends(verifier: CountingBackends): void {
    const before = this.#booked.get(verifier);
    const now = verifier.backends?.() ?? [];
    for (const status of now) {
      const known = before?.get(status.name);
      for (const field of OF_BACKENDS) {
        this.add(`kritai_backend_${field}_total`, status[field] - (known?.[field] ?? 0), { backend: status.name });
      }
    }
    this.#booked.set(verifier, new Map(now.map((status) => [status.name, status])));
  }
}
