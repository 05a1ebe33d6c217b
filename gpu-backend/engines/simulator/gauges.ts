// The simulated engine's metrics in Prometheus text format, with the names of vLLM or SGLang.
import type { SimulatorStats } from "./engine.ts";
import type { Flavour } from "./shapes.ts";

type Row = [name: string, type: "gauge" | "counter", value: number];

function rows(flavour: Flavour, stats: SimulatorStats): Row[] {
  if (flavour === "vllm") {
    return [
      ["vllm:num_requests_running", "gauge", stats.running],
      ["vllm:num_requests_waiting", "gauge", stats.waiting],
      ["vllm:kv_cache_usage_perc", "gauge", stats.kv_usage],
      ["vllm:num_preemptions_total", "counter", stats.preemptions],
      ["vllm:prompt_tokens_total", "counter", stats.prompt_tokens],
      ["vllm:generation_tokens_total", "counter", stats.tokens_generated],
      ["vllm:prefix_cache_queries_total", "counter", stats.prompt_tokens],
      ["vllm:prefix_cache_hits_total", "counter", stats.warm_tokens],
    ];
  }
  const hits = stats.prompt_tokens === 0 ? 0 : stats.warm_tokens / stats.prompt_tokens;
  return [
    ["sglang:num_running_reqs", "gauge", stats.running],
    ["sglang:num_queue_reqs", "gauge", stats.waiting],
    ["sglang:token_usage", "gauge", stats.kv_usage],
    ["sglang:cache_hit_rate", "gauge", hits],
    ["sglang:prompt_tokens_total", "counter", stats.prompt_tokens],
    ["sglang:generation_tokens_total", "counter", stats.tokens_generated],
  ];
}

/** The metrics page. Token counters grow while answers are generated, not only when they end. */
export function metricsText(flavour: Flavour, model: string, stats: SimulatorStats): string {
  const labels = flavour === "vllm" ? `{engine="0",model_name="${model}"}` : `{model_name="${model}"}`;
  return rows(flavour, stats)
    .map(([name, type, value]) => `# TYPE ${name} ${type}\n${name}${labels} ${value}\n`)
    .join("");
}
