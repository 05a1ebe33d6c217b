// The pool's metrics about its engines.
import { type MetricFamily, MetricRegistry } from "../../../src/core/load/metric-registry.ts";
import type { EngineAnswer } from "./port.ts";
import type { Replica } from "./replicas.ts";

const FAMILIES = {
  kritai_engine_in_flight: ["gauge", "Generations in flight."],
  kritai_engine_cap: ["gauge", "Limit on generations in flight."],
  kritai_engine_healthy: ["gauge", "1 while the replica receives work."],
  kritai_engine_requests_total: ["counter", "Requests sent."],
  kritai_engine_ejections_total: ["counter", "Times that the replica was taken out of service."],
  kritai_generations_total: ["counter", "Generations, by outcome."],
  kritai_generation_retries_total: ["counter", "Generations that were retried.", "single"],
  kritai_prompt_tokens_total: ["counter", "Prompt tokens, as reported by engines.", "single"],
  kritai_completion_tokens_total: ["counter", "Tokens generated.", "single"],
} as const satisfies Record<string, MetricFamily>;

export class EngineMetrics {
  readonly #metrics = new MetricRegistry(FAMILIES);

  retried(): void {
    this.#metrics.add("kritai_generation_retries_total", 1);
  }

  count({ error, finish_reason, prompt_tokens, completion_tokens }: EngineAnswer): void {
    // Unknown finish reasons are counted as `other`, so that engines cannot add label values.
    const known = finish_reason === "stop" || finish_reason === "length" || finish_reason === "repetition";
    this.#metrics.add("kritai_generations_total", 1, { end: error ?? (known ? finish_reason : "other") });
    this.#metrics.add("kritai_prompt_tokens_total", prompt_tokens);
    this.#metrics.add("kritai_completion_tokens_total", completion_tokens);
  }

  /** Metrics in Prometheus exposition format, ending with a line break. */
  render(replicas: readonly Replica[]): string {
    for (const { engine, in_flight, cap, healthy, requests, health } of replicas) {
      const labels = { engine: engine.label };
      this.#metrics.set("kritai_engine_in_flight", in_flight, labels);
      this.#metrics.set("kritai_engine_cap", cap, labels);
      this.#metrics.set("kritai_engine_healthy", Number(healthy), labels);
      this.#metrics.set("kritai_engine_requests_total", requests, labels);
      this.#metrics.set("kritai_engine_ejections_total", health.ejections, labels);
    }
    return this.#metrics.render();
  }
}
