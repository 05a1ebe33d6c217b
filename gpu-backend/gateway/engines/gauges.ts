// Reads an engine's load out of its Prometheus page. Must not know HTTP or what follows from the figures.

export type EngineKind = "vllm" | "sglang";

export interface Gauges {
  kind: EngineKind;
  /** Requests that the engine has taken but does not run yet, over all its ranks. */
  waiting: number;
  /** The fullest rank's KV cache, 0..1; 0 where the engine does not say. */
  kv_use: number;
}

/** Metric names by engine; the second name of a KV gauge is that of vLLM before 0.10. */
const NAMES: Record<EngineKind, { waiting: string; kv_use: readonly string[] }> = {
  vllm: { waiting: "vllm:num_requests_waiting", kv_use: ["vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"] },
  sglang: { waiting: "sglang:num_queue_reqs", kv_use: ["sglang:token_usage"] },
};

/**
 * The gauges on a page in Prometheus' text format: waiting requests are summed over label sets (one
 * a rank or model), of the cache's use the highest counts. null when no known engine's queue gauge
 * is on it. Unreadable lines and values are passed over.
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

/** The finite values of a metric, one a label set. */
function valuesOf(page: string, name: string): number[] {
  const values: number[] = [];
  for (let at = page.indexOf(name); at !== -1; at = page.indexOf(name, at + name.length)) {
    if (at > 0 && page[at - 1] !== "\n") continue;
    const lineEnd = page.indexOf("\n", at);
    const rest = page.slice(at + name.length, lineEnd === -1 ? page.length : lineEnd);
    // `name{labels} value timestamp`; another metric whose name begins the same has neither brace
    // nor blank here.
    const sample = rest.startsWith("{") ? rest.slice(rest.lastIndexOf("}") + 1) : rest;
    const value = /^\s+(\S+)/.exec(sample)?.[1];
    if (value !== undefined && Number.isFinite(Number(value))) values.push(Number(value));
  }
  return values;
}
