// HTTP interface of the simulated engine, as a fetch handler for any runtime (itty-router).
import { Router } from "itty-router";
import { simulatedName } from "../../../src/core/wire/simulated-model.ts";
import { Chat } from "./chat.ts";
import { Engine, type Scale, type SimulatorStats } from "./engine.ts";
import { parseFault } from "./faults.ts";
import { metricsText } from "./gauges.ts";
import {
  type EngineParameters,
  engineParameters,
  type GpuName,
  type ModelName,
  type NoiseParameters,
  noiseParameters,
} from "./parameters.ts";
import { type Connection, errorReply, type Flavour, type ThinkingField } from "./shapes.ts";

/** Plain data, so that the options can be passed to another runtime as JSON. */
export interface SimulatorOptions {
  /** Preset and served model name. Default `sim-14b`. */
  model?: ModelName;
  /** Default `h200`. */
  gpu?: GpuName;
  /** Simulated seconds per real second, or `instant`. Default 1. */
  scale?: Scale;
  /** Seed of all draws. Default 0. */
  seed?: number;
  /** Overrides for individual parameters of the preset. */
  engine?: Partial<EngineParameters>;
  noise?: Partial<NoiseParameters>;
  /** The server whose metric names and error formats are used. Default `vllm`. */
  flavour?: Flavour;
  /** Field for the thinking. Default `content`, between think tags. */
  thinking_field?: ThinkingField;
  /** Tokens per event. Default 16. */
  stream_tokens?: number;
  /** Interval of keep-alive comments while nothing else is sent, in real ms. Default 0: none, as in vLLM. */
  keep_alive_ms?: number;
  /**
   * Whether priorities are supported. If false, a priority other than 0 is rejected, as in vLLM. Default
   * false.
   */
  priority_scheduling?: boolean;
  /** Maximum waiting questions; more are rejected with 503. Default: no limit. */
  waiting_max?: number;
  /**
   * Real ms from a disconnect until the generation stops; SGLang takes seconds. Node runner only. Default 0.
   */
  disconnect_notice_ms?: number;
  /** A fault for all questions that do not request one themselves; see faults.ts. */
  fault?: string | null;
  /** Pass rates by trimmed candidate text. Other candidates use the label in their text. */
  rates?: Readonly<Record<string, number>>;
}

export interface Simulator {
  fetch(request: Request, connection: Connection | null): Promise<Response>;
  stats(): SimulatorStats;
  close(): void;
}

/**
 * Creates the handler. `connection` controls the client's socket if the runner supports this.
 * @throws RangeError for options out of range
 */
export function createSimulator(options: SimulatorOptions, pacing: "shared" | "own"): Simulator {
  const { model = "sim-14b", gpu = "h200", flavour = "vllm", scale = 1, stream_tokens = 16 } = options;
  if (!(Number.isInteger(stream_tokens) && stream_tokens >= 1))
    throw new RangeError("stream_tokens must be at least 1");
  if (options.fault != null) parseFault(options.fault);
  const parameters = { ...engineParameters(model, gpu), ...options.engine };
  const engine = new Engine({ parameters, scale, now: () => performance.now(), pacing });
  const chat = new Chat({
    engine,
    model,
    parameters,
    noise: { ...noiseParameters(model), ...options.noise },
    seed: options.seed ?? 0,
    flavour,
    thinking_field: options.thinking_field ?? "content",
    stream_tokens,
    keep_alive_ms: options.keep_alive_ms ?? 0,
    priority_scheduling: options.priority_scheduling ?? false,
    waiting_max: options.waiting_max ?? Number.POSITIVE_INFINITY,
    disconnect_notice_ms: options.disconnect_notice_ms ?? 0,
    fault: options.fault ?? null,
    rates: options.rates ?? {},
  });
  const router = Router<Request, [Connection | null]>({ catch: () => errorReply(flavour, 500, "internal error") });
  router.post("/v1/chat/completions", (request, connection) => chat.reply(request, connection));
  router.post("/v1/completions", (request, connection) => chat.reply(request, connection, "text"));
  router.get("/v1/models", () => Response.json(modelsOf(model, parameters)));
  router.get("/health", () => new Response(null));
  router.get("/stats", () => Response.json(engine.stats()));
  router.get("/metrics", (request) => {
    const asked = new URL(request.url).searchParams.get("names");
    const names = asked === "vllm" || asked === "sglang" ? asked : flavour;
    return new Response(metricsText(names, model, engine.stats()), {
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    });
  });
  router.post("/abort_request", (request) => abortRequest(request, engine, flavour));
  router.all("*", () => errorReply(flavour, 404, "no such route"));
  return {
    fetch: (request, connection) => router.fetch(request, connection),
    stats: () => engine.stats(),
    close: () => engine.close(),
  };
}

function modelsOf(id: string, { context_tokens_max }: EngineParameters): object {
  const modelFields = { object: "model", created: 0, owned_by: "simulator", max_model_len: context_tokens_max };
  return {
    object: "list",
    data: [simulatedName(id), id].map((name) => ({ id: name, ...modelFields })),
  };
}

/** SGLang's route: `{rid}` or `{abort_all: true}`. Returns 200 even if no generation has that id. */
async function abortRequest(request: Request, engine: Engine, flavour: Flavour): Promise<Response> {
  const body: unknown = await request.json().catch(() => null);
  const { rid, abort_all } = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  if (abort_all !== true && typeof rid !== "string") return errorReply(flavour, 400, "rid or abort_all is required");
  engine.abortRequests(abort_all === true ? "all" : (rid as string));
  return new Response(null);
}
