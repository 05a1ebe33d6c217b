// The metrics of an isolate and of a deployment. Each label has a closed set of values.
import { type MetricFamily, MetricRegistry } from "../core/load/metric-registry.ts";
import type { BackendStatus } from "../core/wire/questions.ts";

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

const FAMILIES = {
  kritai_requests_total: ["counter", "Requests answered, by route and status."],
  kritai_request_seconds: ["histogram", "Time from a request's arrival to its reply (for a stream, to its headers)."],
  kritai_verifier_seconds: ["histogram", "Time a batch spent waiting for the verifier."],
  kritai_overhead_seconds: ["histogram", "Time a batch spent on everything but the verifier."],
  kritai_rewards_total: ["counter", "Rewards returned as numbers, by kind."],
  kritai_rewards_null_total: ["counter", "Rewards returned as null, by code."],
  kritai_generations_total: ["counter", "Verifier generations, by outcome."],
  kritai_audit_generations_total: ["counter", "Generations of audits, by outcome."],
  kritai_audit_tokens_total: ["counter", "Tokens of audits, by kind."],
  kritai_verifier_tokens_total: ["counter", "Verifier tokens, by kind."],
  kritai_verifier_requests_total: ["counter", "Requests sent to the verifier, including retries."],
  kritai_verifier_retries_total: ["counter", "Retried requests to the verifier."],
  kritai_headers_waiting_max: [
    "gauge",
    "Maximum verifier requests of one batch that waited for headers at the same time, since counting began.",
  ],
  kritai_in_flight_max: ["gauge", "Maximum generations of one batch in flight at the same time, since counting began."],
  kritai_requests_shed_total: [
    "counter",
    "Requests refused before their body was read because their isolate was at a limit.",
  ],
  kritai_key_limit_refusals_total: ["counter", "Requests refused by their key's limits, by limit."],
  kritai_key_limits_unreachable_total: [
    "counter",
    "Failed calls to a key's counters; the affected requests were admitted.",
  ],
  kritai_gathered_samples_total: [
    "counter",
    "One-sample requests answered, by contract and by how their group was judged; `cut_short` and `late`: rewards of a partial group.",
  ],
  kritai_gathered_let_go_total: [
    "counter",
    "One-sample requests answered with `gathering` because their group was incomplete, by contract.",
  ],
  kritai_log_failures_total: ["counter", "Run-log entries that could not be stored."],
  kritai_log_queued_total: ["counter", "Run-log entries accepted by the queue."],
  kritai_log_expired_requests_total: [
    "counter",
    "Requests removed from the run log because of their age or because their run was deleted.",
  ],
  kritai_log_queue_refusals_total: ["counter", "Run-log entries refused by the queue and written directly."],
  kritai_log_messages_total: ["counter", "Messages consumed from the run-log queue, by outcome and reason."],
  kritai_metrics_unreachable_total: [
    "counter",
    "Times that an isolate could not report its counts; the next report includes them.",
  ],
  kritai_backend_requests_total: ["counter", "Questions sent to a backend for the first time."],
  kritai_backend_retries_total: ["counter", "Retries allowed by the retry budget."],
  kritai_backend_retries_denied_total: [
    "counter",
    "Retries that had to wait for the retry budget or were left to the next backend.",
  ],
  kritai_backend_hedges_total: ["counter", "Hedged requests: second copies of slow requests."],
  kritai_backend_hedges_won_total: ["counter", "Hedged requests whose second copy began to answer first."],
  kritai_read_probes_total: [
    "counter",
    "Daily probes of what a decision model reads, by outcome; `less`: the model did not read all of its input.",
  ],
  kritai_alarm_looks_total: ["counter", "Alarm checks of runs with newly logged steps, by outcome."],
  kritai_alarm_events_total: ["counter", "Attempts to report that an alarm began, rose or ended, by alarm."],
  kritai_log_message_age_seconds: ["histogram", "Age of a message in the run-log queue when it was consumed."],
} as const satisfies Record<string, MetricFamily>;
type MetricName = keyof typeof FAMILIES;

const OF_BACKENDS = ["requests", "retries", "retries_denied", "hedges", "hedges_won"] as const;

/** A source with counters per backend, such as a verifier. */
interface CountingBackends {
  backends?(): readonly BackendStatus[];
}

/** Counters since this isolate started, or since the last call of `take`. */
export class Metrics extends MetricRegistry<MetricName> {
  /** Each verifier's backend counters as of the last bookBackends call. */
  readonly #booked = new WeakMap<CountingBackends, Map<string, BackendStatus>>();

  constructor() {
    super(FAMILIES, SECONDS);
  }

  /** Adds the increase of a verifier's backend counters since the last call. */
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
