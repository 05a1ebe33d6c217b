// The `openai` adapter of the Verifier port: sends questions to any OpenAI-compatible server (vLLM, SGLang,
// hosted). Independent of scoring and storage.

import * as z from "zod";
import type { JobQuestion } from "../../core/asking/questions.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { anchorFor } from "../../core/judges/anchors.ts";
import { createPartsWriter } from "../../core/judges/question-json.ts";
import { type createRenderer, isCompletion } from "../../core/judges/render.ts";
import { createSeeds } from "../../core/judges/seeds.ts";
import { SoftReader } from "../../core/judges/soft-reader.ts";
import { apiRoot, authorization, partyHeader } from "../../core/wire/chat-endpoint.ts";
import { judgeTemplate } from "../../core/wire/judge-template.ts";
import type { VerifierJob } from "../../core/wire/questions.ts";
import { logprobsAsked } from "../../core/wire/soft-answer.ts";
import type { Clock, Verifier, VerifierCall, VerifierSession } from "../../ports/ports.ts";
import { Backend } from "../fan-out/backend.ts";
import { type BackendKind, keyVariable } from "../fan-out/backend-kind.ts";
import { type Endpoint, runtimeFetch } from "../fan-out/exchange.ts";
import { Governor } from "../fan-out/fan-out.ts";
import { callOptions } from "../fan-out/options.ts";
import type { RunningJob } from "../fan-out/queue.ts";
import type { StartTimer } from "../fan-out/stall-watchdog.ts";
import { complete } from "./completion.ts";
import { checkEndpoint, type OpenAiConfig } from "./health.ts";
import { ImageBody, type ImageBytes } from "./image-body.ts";

export interface OpenAiVerifierConfig extends OpenAiConfig {
  /** Upper bound of generations between send and last byte, 1..generations_in_flight_max. */
  maxInFlight?: number;
  /**
   * Whether the server is the engine simulator, which receives a deployment's stored template. Default
   * false.
   */
  simulated?: boolean;
  /** The backend's state within the isolate; default: a new one, named `verifier`. */
  backend?: Backend;
  fetch?: typeof fetch;
  /** For tests: the renderer of a job's messages, and randomness and timer of the back-off. */
  createRenderer?: typeof createRenderer;
  random?: () => number;
  schedule?: StartTimer;
}

/**
 * A verifier behind `POST {root}/chat/completions`: one streaming request per generation. Each session
 * has at most `headers_waiting_max` requests waiting for headers and `maxInFlight` in flight. For the
 * accepted URLs see OpenAiConfig.
 * @throws TypeError for a URL that cannot be used
 */
export function createOpenAiVerifier(config: OpenAiVerifierConfig, clock: Clock): Verifier {
  const fetcher = config.fetch ?? runtimeFetch;
  const endpoint: Endpoint = {
    url: `${apiRoot(config.url)}/chat/completions`,
    headers: { "content-type": "application/json", accept: "text/event-stream", ...authorization(config.apiKey) },
    fetch: fetcher,
    clock,
    key_variable: config.key_variable ?? keyVariable(0),
  };
  const textUrl = `${apiRoot(config.url)}/completions`;
  const wanted = config.maxInFlight ?? LIMITS.generations_in_flight_default;
  const max_in_flight = Math.min(Math.max(1, wanted), LIMITS.generations_in_flight_max);

  const backend = config.backend ?? new Backend({ name: "verifier", hedging: true });

  return {
    protocol: "openai",
    model: config.model,
    generations_max: LIMITS.generations_openai_max,
    backends: () => [backend.status(clock.now())],
    check: () => checkEndpoint(config, fetcher, clock),
    session(call): VerifierSession {
      const bodies = new WeakMap<RunningJob, BodyOf>();
      const headers = { ...endpoint.headers, ...partyHeader(call.tenant) };
      return new Governor({
        ...callOptions(call, clock),
        max_in_flight,
        clock,
        backend,
        ...(config.random && { random: config.random }),
        ...(config.schedule && { schedule: config.schedule }),
        // Async, so that a throwing renderer rejects. Prompts are rendered only after a slot is granted.
        send: async ({ running, question, sample }, signal, onHeaders, onBytes) => {
          let bodyOf = bodies.get(running);
          if (bodyOf === undefined) {
            bodyOf = bodyWriter(config, call, running.job);
            bodies.set(running, bodyOf);
          }
          const anchor = call.soft === true ? anchorFor(running.job.preset, question.shown.length) : null;
          const outcome = await complete(
            { ...endpoint, headers, ...(isCompletion(running.job.preset) && { url: textUrl }) },
            bodyOf(question, sample),
            signal,
            onHeaders,
            onBytes,
            call.silence_ms !== undefined ? "watched" : call.max_tokens <= BRIEF_TOKENS ? "brief" : "thinking",
            anchor && new SoftReader(anchor),
          );
          if (outcome.generation.error === null) outcome.generation.model ??= call.model ?? config.model;
          return outcome;
        },
      });
    },
  };
}

/** Answers up to this length take an engine less than two seconds. */
const BRIEF_TOKENS = 32;

/** Writes the request body for one sample of a question. */
type BodyOf = (question: JobQuestion, sample: number) => string | ImageBody;

function bodyWriter(config: OpenAiVerifierConfig, call: VerifierCall, job: VerifierJob): BodyOf {
  const { temperature, top_p, max_tokens, extra } = call;
  const model = call.model ?? config.model;
  const write = createPartsWriter(job.preset, call.form, job, { renderer: config.createRenderer });
  const seedOf = createSeeds({ seed: call.seed, prompt: job.preset, form: call.form }, job);
  const head = JSON.stringify({ ...extra, model, temperature, top_p, max_tokens }).slice(0, -1);
  const rest = JSON.stringify({
    stream: true,
    stream_options: { include_usage: true },
    ...(call.soft === true && logprobsAsked(isCompletion(job.preset))),
    ...(config.simulated === true && judgeTemplate(job.preset)),
  }).slice(1, -1);
  const images: ImageBytes = new Map();
  return ({ shown }, sample) => {
    const parts = write(shown);
    const begin = `${head},"seed":${seedOf(shown, sample)},${rest},`;
    return parts.length === 1 ? `${begin}${parts[0]}}` : new ImageBody([begin, ...parts, "}"], images);
  };
}

/** The kind of backend for OpenAI-compatible servers. */
export const openAi: BackendKind<{ model: string; simulated?: "on" | "off"; programs_only?: "on" | "off" }> = {
  protocol: "openai",
  settings: z.object({
    model: z.string().min(1).max(256),
    simulated: z.enum(["on", "off"]).optional(),
    programs_only: z.enum(["on", "off"]).optional(),
  }),
  hedging: true,
  priorities: false,
  create({ url, model, simulated, programs_only, api_key: apiKey }, { backend, key_variable, max_in_flight, clock }) {
    const bound = max_in_flight === undefined ? {} : { maxInFlight: max_in_flight };
    const connection = { url, model, apiKey, key_variable, simulated: simulated === "on" };
    const verifier = createOpenAiVerifier({ ...connection, backend, ...bound }, clock);
    return { ...verifier, simulated: simulated === "on", programs_only: programs_only === "on" };
  },
};
