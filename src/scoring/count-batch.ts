// Updates the metrics after a batch has been scored.
import type { Metrics } from "../platform/counters.ts";
import type { ScoredBatch } from "./score-batch.ts";

/** Adds rewards, nulls by code, generations, tokens, durations and session statistics to the metrics. */
export function countBatch(metrics: Metrics, { reply, session, audit }: ScoredBatch): void {
  for (const group of reply.groups) {
    for (const { error } of group.rollouts) {
      if (error === null) metrics.add("kritai_rewards_total", 1, { kind: "rewards" });
      else metrics.add("kritai_rewards_null_total", 1, { code: error });
    }
    const { parsed, unparsed, failed, saved, prompt_tokens, completion_tokens } = group.verifier;
    for (const [outcome, n] of Object.entries({ parsed, unparsed, failed, saved })) {
      metrics.add("kritai_generations_total", n, { outcome });
    }
    metrics.add("kritai_verifier_tokens_total", prompt_tokens, { kind: "prompt" });
    metrics.add("kritai_verifier_tokens_total", completion_tokens, { kind: "completion" });
  }
  if (audit !== null) {
    const { parsed, unparsed, failed, saved, prompt_tokens, completion_tokens } = audit;
    for (const [outcome, n] of Object.entries({ parsed, unparsed, failed, saved })) {
      metrics.add("kritai_audit_generations_total", n, { outcome });
    }
    metrics.add("kritai_audit_tokens_total", prompt_tokens, { kind: "prompt" });
    metrics.add("kritai_audit_tokens_total", completion_tokens, { kind: "completion" });
  }
  metrics.observe("kritai_verifier_seconds", reply.timing_ms.verifier / 1000);
  metrics.observe("kritai_overhead_seconds", reply.timing_ms.overhead / 1000);
  metrics.add("kritai_verifier_requests_total", session.requests);
  metrics.add("kritai_verifier_retries_total", session.retries);
  metrics.peak("kritai_headers_waiting_max", session.headers_waiting_max);
  metrics.peak("kritai_in_flight_max", session.in_flight_max);
}
