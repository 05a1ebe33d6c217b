// The simulated engine's HTTP face as one fetch handler for any runtime (itty-router). Knows neither sockets
// nor how time passes.
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

/** Plain data, so that it can be handed to another runtime as JSON. */
export interface SimulatorOptions {
  /** Preset, and the name it is served under. Default `sim-14b`. */
  model?: ModelName;
  /** Default `h200`. */
  gpu?: GpuName;
  /** Simulated seconds a real second, or `instant`. Default 1. */
  scale?: Scale;
  /** Enters every draw. Default 0. */
  seed?: number;
  /** Single parameters in place of the preset's. */
  engine?: Partial<EngineParameters>;
  noise?: Partial<NoiseParameters>;
  /** The server whose metric names and error shapes it uses. Default `vllm`. */
  flavour?: Flavour;
  /** Default `content`, between think tags. */
  thinking_field?: ThinkingField;
  /** Tokens an event. Default 16. */
  stream_tokens?: number;
  /** Comment frames while nothing else is to send, in real ms. Default 0: none, as vLLM's. */
  keep_alive_ms?: number;
  /** Off: a priority other than 0 is refused, as vLLM does. Default false. */
  priority_scheduling?: boolean;
  /** Over it questions get 503. Default: no limit. */
  waiting_max?: number;
  /**
   * Real ms from a disconnect until the generation stops; SGLang takes seconds. Node runner only.
   * Default 0.
   */
  disconnect_notice_ms?: number;
  /** A fault for all questions that ask for none themselves; see faults.ts. */
  fault?: string | null;
  /** Pass rates by a candidate's text, blanks at its ends aside. The others have their label. */
  rates?: Readonly<Record<string, number>>;
}

export interface Simulator {
  fetch(request: Request, connection: Connection | null): Promise<Response>;
  stats(): SimulatorStats;
  close(): void;
}

/**
 * The handler. `connection` is what the runner can do to the client's socket.
 * @throws RangeError for options out of range
 */
export function createSimulator(options: SimulatorOptions, pacing: "shared" | "own"): Simulator {
  const { model = "sim-14b", gpu = "h200", flavour = "vllm", scale = 1, stream_tokens = 16 } = options;
  if (!(Number.isInteger(stream_tokens) && stream_tokens >= 1)) throw new RangeError("stream_tokens must be 1 or more");
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

/**
 * SGLang's route: `{rid}` or `{abort_all: true}`; 200 whether or not anything ran under that id.
 */
async function abortRequest(request: Request, engine: Engine, flavour: Flavour): Promise<Response> {
  const body: unknown = await request.json().catch(() => null);
  const { rid, abort_all } = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  if (abort_all !== true && typeof rid !== "string") return errorReply(flavour, 400, "rid or abort_all is needed");
  engine.abortRequests(abort_all === true ? "all" : (rid as string));
  return new Response(null);
}
