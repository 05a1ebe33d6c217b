// Decides which metrics the pool keeps of its engines. Must not know how calls are made.
import { type MetricFamily, MetricRegistry } from "../../../src/core/load/metric-registry.ts";
import type { EngineAnswer } from "./port.ts";
import type { Replica } from "./replicas.ts";

const FAMILIES = {
  kritai_engine_in_flight: ["gauge", "Generations in flight."],
  kritai_engine_cap: ["gauge", "Generations that may be in flight."],
  kritai_engine_healthy: ["gauge", "1 while the replica gets work."],
  kritai_engine_requests_total: ["counter", "Requests sent."],
  kritai_engine_ejections_total: ["counter", "Times taken out."],
  kritai_generations_total: ["counter", "Generations by how they ended."],
  kritai_generation_retries_total: ["counter", "Generations asked again.", "single"],
  kritai_prompt_tokens_total: ["counter", "Prompt tokens, as engines report.", "single"],
  kritai_completion_tokens_total: ["counter", "Tokens generated.", "single"],
} as const satisfies Record<string, MetricFamily>;

export class EngineMetrics {
  readonly #metrics = new MetricRegistry(FAMILIES);

  retried(): void {
    this.#metrics.add("kritai_generation_retries_total", 1);
  }

  count({ error, finish_reason, prompt_tokens, completion_tokens }: EngineAnswer): void {
    // Engines' own words are folded, so that none can swell the label's values.
    const known = finish_reason === "stop" || finish_reason === "length" || finish_reason === "repetition";
    this.#metrics.add("kritai_generations_total", 1, { end: error ?? (known ? finish_reason : "other") });
    this.#metrics.add("kritai_prompt_tokens_total", prompt_tokens);
    this.#metrics.add("kritai_completion_tokens_total", completion_tokens);
  }

  /** Text in Prometheus' exposition format, with a line break at its end. */
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
