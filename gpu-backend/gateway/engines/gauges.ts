// Parses an engine's load from its Prometheus page. Independent of HTTP.

export type EngineKind = "vllm" | "sglang";

export interface Gauges {
  kind: EngineKind;
  /** Requests accepted but not yet running, summed over all ranks. */
  waiting: number;
  /** KV-cache usage of the fullest rank, 0..1; 0 if the engine does not report it. */
  kv_use: number;
}

/** Metric names by engine. The second KV gauge name is from vLLM before 0.10. */
const NAMES: Record<EngineKind, { waiting: string; kv_use: readonly string[] }> = {
  vllm: { waiting: "vllm:num_requests_waiting", kv_use: ["vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"] },
  sglang: { waiting: "sglang:num_queue_reqs", kv_use: ["sglang:token_usage"] },
};

/**
 * Parses the gauges of a page in Prometheus text format. Waiting requests are summed over label sets (one per
 * rank or model); for the KV cache, the highest value counts. Returns null if the page has no queue gauge of
 * a known engine. Skips unreadable lines and values.
 */
export function parseGauges(page: string): Gauges | null {
  for (const kind of Object.keys(NAMES) as EngineKind[]) {
    const { waiting, kv_use } = NAMES[kind];
    const queued = valuesOf(page, waiting);
    if (queued.length === 0) continue;
    return {
      kind,
      waiting: queued.reduce((sum, value) => sum + value, 0),
      kv_use: Math.max(0, ...kv_use.flatMap((name) => valuesOf(page, name))),
    };
  }
  return null;
}

/** The finite values of a metric, one per label set. */
function valuesOf(page: string, name: string): number[] {
  const values: number[] = [];
  for (let at = page.indexOf(name); at !== -1; at = page.indexOf(name, at + name.length)) {
    if (at > 0 && page[at - 1] !== "\n") continue;
    const lineEnd = page.indexOf("\n", at);
    const rest = page.slice(at + name.length, lineEnd === -1 ? page.length : lineEnd);
    // `name{labels} value timestamp`. A longer metric name with the same beginning has neither a brace nor a
    // space here.
    const sample = rest.startsWith("{") ? rest.slice(rest.lastIndexOf("}") + 1) : rest;
    const value = /^\s+(\S+)/.exec(sample)?.[1];
    if (value !== undefined && Number.isFinite(Number(value))) values.push(Number(value));
  }
  return values;
}
