// Owns the pool's counters and their Prometheus text. Must not know how calls are made.
import type { EngineAnswer } from "./port.ts";
import type { Replica } from "./replicas.ts";

/** One metric: its help, its type and its samples by label text. */
function family(
  name: string,
  type: "counter" | "gauge",
  help: string,
  samples: [labels: string, value: number][],
): string {
  const lines = samples.map(([labels, value]) => `${name}${labels} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}

export class EngineMetrics {
  retries = 0;
  readonly #ends = new Map<string, number>();
  #promptTokens = 0;
  #completionTokens = 0;

  count({ error, finish_reason, prompt_tokens, completion_tokens }: EngineAnswer): void {
    // Engines' own words are folded, so that none can swell the label's values.
    const known = finish_reason === "stop" || finish_reason === "length" || finish_reason === "repetition";
    const end = error ?? (known ? finish_reason : "other");
    this.#ends.set(end, (this.#ends.get(end) ?? 0) + 1);
    this.#promptTokens += prompt_tokens;
    this.#completionTokens += completion_tokens;
  }

  /** Text in Prometheus' exposition format, with a line break at its end. */
  render(replicas: readonly Replica[]): string {
    const each = (value: (replica: Replica) => number): [string, number][] =>
      replicas.map((replica) => [`{engine="${replica.engine.label}"}`, value(replica)]);
    const ends = [...this.#ends].map(([end, count]): [string, number] => [`{end="${end}"}`, count]);
    return [
      family(
        "kritai_engine_in_flight",
        "gauge",
        "Generations in flight.",
        each((r) => r.in_flight),
      ),
      family(
        "kritai_engine_cap",
        "gauge",
        "Generations that may be in flight.",
        each((r) => r.cap),
      ),
      family(
        "kritai_engine_healthy",
        "gauge",
        "1 while the replica gets work.",
        each((r) => Number(r.healthy)),
      ),
      family(
        "kritai_engine_requests_total",
        "counter",
        "Requests sent.",
        each((r) => r.requests),
      ),
      family(
        "kritai_engine_ejections_total",
        "counter",
        "Times taken out.",
        each((r) => r.health.ejections),
      ),
      family("kritai_generations_total", "counter", "Generations by how they ended.", ends),
      family("kritai_generation_retries_total", "counter", "Generations asked again.", [["", this.retries]]),
      family("kritai_prompt_tokens_total", "counter", "Prompt tokens, as engines report.", [["", this.#promptTokens]]),
      family("kritai_completion_tokens_total", "counter", "Tokens generated.", [["", this.#completionTokens]]),
    ].join("");
  }
}
