// The `decision` backend: a model that answers typed questions about one state with probabilities. All pairs
// of a group are asked in one call. Independent of signals and storage.
import * as z from "zod";
import type { EstimatedJob, TextLengths } from "../../core/asking/request-cost.ts";
import type { ItemErrorCode } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { lettersOf } from "../../core/judges/parsers/labels.ts";
import { presetNamed } from "../../core/judges/presets/table.ts";
import { hashText } from "../../core/math/random.ts";
import { withoutTrailing } from "../../core/text/trailing.ts";
import { apiRoot, authorization } from "../../core/wire/chat-endpoint.ts";
import {
  DECISION_API_NAMES,
  DECISION_APIS,
  type DecisionApi,
  type DecisionApiName,
} from "../../core/wire/decision-apis.ts";
import type { Generation, VerifierJob } from "../../core/wire/questions.ts";
import { isSimulated } from "../../core/wire/simulated-model.ts";
import type { Health, Verifier, VerifierCall, VerifierSession } from "../../ports/ports.ts";
import type { ProbedBackend } from "../../ports/read-probes.ts";
import type { Address, BackendKind, BackendParts } from "../fan-out/backend-kind.ts";
import { runtimeFetch } from "../fan-out/exchange.ts";
import { Governor } from "../fan-out/fan-out.ts";
import { healthOf } from "../fan-out/health-check.ts";
import { callOptions } from "../fan-out/options.ts";
import { askWhole, NO_ANSWER } from "../fan-out/whole.ts";
import { BINDING_URL, bindingFetch } from "./binding.ts";
import { callsOf, type DecisionAnswer, DecisionCall } from "./calls.ts";
import { askDecision, type DecisionEndpoint } from "./exchange.ts";
import { decisionRequestCost, fittedCalls } from "./fitting.ts";
import { probeReading } from "./probe.ts";
import { createStates, type DecisionState } from "./state.ts";

interface DecisionSettings {
  api: DecisionApiName;
  model: string;
}

const SETTINGS = z.object({ api: z.enum(DECISION_API_NAMES), model: z.string().min(1).max(256) });

/**
 * A Worker's request may have six connections that wait for headers. Replies are not streamed, so each waits
 * long.
 */
const IN_FLIGHT_MAX = 6;
/** The first call of a hosted model after a pause may take 20 s or more. */
const SILENCE_MS_MIN = 45_000;

/** Failures that a single candidate may cause; smaller calls isolate the candidate. */
const OF_ONE: ReadonlySet<ItemErrorCode | null> = new Set([
  ...(["context_exceeded", "content_filtered", "verifier_rejected", "verifier_bad_reply", "judge_read_less"] as const),
]);

type GenerationSink = (generation: Generation) => void;

class DecisionSession implements VerifierSession {
  readonly #verifier: DecisionVerifier;
  readonly #seed: number;
  readonly #governor: Governor<DecisionCall>;
  readonly #states = new WeakMap<DecisionCall, DecisionState>();

  constructor(verifier: DecisionVerifier, call: VerifierCall) {
    this.#verifier = verifier;
    this.#seed = call.seed;
    const { clock, backend, max_in_flight = IN_FLIGHT_MAX } = verifier.parts;
    const options = callOptions(call, clock);
    this.#governor = new Governor<DecisionCall>({
      ...options,
      ...(options.silence_ms !== undefined && { silence_ms: Math.max(SILENCE_MS_MIN, options.silence_ms) }),
      max_in_flight: Math.min(max_in_flight, IN_FLIGHT_MAX),
      clock,
      backend,
      send: async ({ running: { job: asked } }, signal, onHeaders, onBytes) => {
        const state = this.#states.get(asked) as DecisionState;
        const { outcome, answers } = await askDecision(verifier.endpoint, state, signal, onHeaders);
        onBytes();
        asked.answers = answers;
        return outcome;
      },
    });
  }

  get stats() {
    return this.#governor.stats;
  }

  async judge(job: VerifierJob, sink: GenerationSink): Promise<void> {
    const asking = {
      stateOf: createStates(job, this.#verifier.secret),
      labels: labelsOf(job),
      sink,
      parts_left: LIMITS.decision_parts_max,
    };
    await Promise.all(callsOf(job, this.#seed).map((call) => this.#ask(call, asking)));
  }

  /** @param spent input tokens of failed calls that contained these questions */
  async #ask(whole: DecisionCall, asking: Asking, spent = 0): Promise<void> {
    const { api } = this.#verifier.endpoint;
    const calls = fittedCalls(whole, asking.stateOf, api);
    const ask = async ({ call, state, fits }: (typeof calls)[number], tokens: number): Promise<void> => {
      if (!fits) return report(call, tooLarge(state, api, tokens), asking);
      this.#states.set(call, state);
      const outcome = await askWhole(this.#governor, call);
      const prompt_tokens = tokens + outcome.prompt_tokens;
      const parts = OF_ONE.has(outcome.error) ? call.parts() : [];
      if (parts.length === 0 || parts.length > asking.parts_left)
        return report(call, { ...outcome, prompt_tokens }, asking);
      asking.parts_left -= parts.length;
      await Promise.all(parts.map((part, at) => this.#ask(part, asking, at === 0 ? prompt_tokens : 0)));
    };
    await Promise.all(calls.map((call, at) => ask(call, at === 0 ? spent : 0)));
  }
}

/** The result of a call that cannot be made smaller. */
function tooLarge({ images }: DecisionState, { images_max = 0 }: DecisionApi, prompt_tokens: number) {
  const reason = images.length > images_max ? `${images.length} images in one call; the limit is ${images_max}` : null;
  return { ...NO_ANSWER, error: "context_exceeded", latency_ms: 0, prompt_tokens, reason } as const;
}

/** State shared by the calls of one job. */
interface Asking {
  stateOf: (call: DecisionCall) => DecisionState;
  labels: (count: number) => readonly string[];
  sink: GenerationSink;
  /** Remaining number of smaller calls that may replace failed ones. */
  parts_left: number;
}

/** Reports every question of a finished call; the call's tokens are counted for the first question. */
function report(call: DecisionCall, outcome: Omit<Generation, "question" | "sample">, { labels, sink }: Asking): void {
  const { latency_ms, backend = null, model = null, reason } = outcome;
  call.asks.forEach(({ question, sample, shown }, at) => {
    const cost = { prompt_tokens: at === 0 ? outcome.prompt_tokens : 0, latency_ms, backend };
    const base = { ...NO_ANSWER, question, sample, ...cost };
    const { error, soft } =
      outcome.error === null ? softOf(call.answers[at], labels(shown.length)) : { error: outcome.error, soft: null };
    if (error === null && soft !== null)
      sink({ ...base, answer: soft.written, finish_reason: "stop", error: null, model, soft });
    else sink({ ...base, error, ...(reason != null && { reason }) });
  });
}

/** The labels of a preset's answers, or letters if the preset defines none. */
function labelsOf(job: VerifierJob): (count: number) => readonly string[] {
  const parser = presetNamed(job.preset)?.parser;
  return (count) => (parser !== undefined && "labels" in parser ? parser.labels : undefined) ?? lettersOf(count);
}

/** A question's probabilities by label, or the error. */
function softOf(answer: DecisionAnswer | undefined, labels: readonly string[]) {
  if (answer?.refused === true) return { error: "content_filtered" as const, soft: null };
  const shares = answer?.shares ?? null;
  if (answer === undefined || shares === null) return { error: "verifier_bad_reply" as const, soft: null };
  const letters = Object.fromEntries(labels.map((label, i) => [label, shares[i] as number]));
  const written = labels[shares.indexOf(Math.max(...shares))] as string;
  return { error: null, soft: { letters, coverage: answer.coverage, written } };
}

/** The job of the health check: two answers that any model can distinguish. */
const KNOWN: VerifierJob = {
  to: "decide",
  preset: "decide-pair",
  question: "What is two plus two?",
  language: null,
  candidates: ["Two plus two is four.", "Two plus two is nine hundred."],
  questions: [{ id: 0, shown: [0, 1], samples: 1 }],
};

class DecisionVerifier implements Verifier {
  readonly protocol = "decision";
  readonly takes = ["decide"] as const;
  readonly imageless: NonNullable<Verifier["imageless"]>;
  readonly generations_max = LIMITS.generations_verify_max;
  readonly model: string;
  readonly simulated: boolean;
  readonly endpoint: DecisionEndpoint;
  readonly parts: BackendParts;
  /** Seeds the choice of the check word, so that candidates cannot predict it. */
  get secret(): string {
    // Set lazily: a Worker has no randomness before its first request.
    this.#secret ??= crypto.randomUUID();
    return this.#secret;
  }
  #secret: string | null;

  constructor({ url, api_key, api, model }: DecisionSettings & Address, parts: BackendParts) {
    const chosen = DECISION_APIS[api];
    const bound = url === BINDING_URL ? parts.ai : undefined;
    const root = bound === undefined ? apiRoot(url) : url;
    const base = "bare" in chosen ? withoutTrailing(url, "/") : root;
    const headers = { "content-type": "application/json", accept: "application/json", ...authorization(api_key) };
    const { clock } = parts;
    const key_variable = bound === undefined ? parts.key_variable : "the binding AI";
    this.parts = parts;
    this.imageless = "images_max" in chosen ? [] : this.takes;
    this.model = model;
    this.simulated = isSimulated(model);
    this.#secret = api_key;
    this.endpoint = {
      url: base + chosen.path(model),
      headers,
      fetch: bound === undefined ? runtimeFetch : bindingFetch(bound),
      clock,
      key_variable,
      day: { over: null, ends: 0 },
      api: chosen,
      model,
    };
  }

  backends = () => [this.parts.backend.status(this.parts.clock.now())];

  probed(): readonly ProbedBackend[] {
    const { endpoint, model } = this;
    const { name } = this.parts.backend;
    const subject = hashText(endpoint.url, model).join(".");
    return [{ name, model, subject, probe: () => probeReading(endpoint, this.secret) }];
  }

  session(call: VerifierCall): VerifierSession {
    return new DecisionSession(this, call);
  }

  requestCost = (job: EstimatedJob, lengths: TextLengths) => decisionRequestCost(job, lengths, this.endpoint.api);

  /** Asks about two answers, one of which is correct. */
  check(): Promise<Health> {
    return healthOf(this.parts.clock, async (signal) => {
      const state = createStates(
        KNOWN,
        this.secret,
      )(new DecisionCall([0, 1], [{ question: 0, sample: 0, shown: [0, 1] }]));
      const { outcome, answers } = await askDecision(this.endpoint, state, signal);
      const { error, reason } = outcome.generation;
      if (error !== null) return reason ?? error;
      return answers[0]?.shares == null ? "verifier_bad_reply" : {};
    });
  }
}

/** The kind of backend for decision models. */
export const decision: BackendKind<DecisionSettings> = {
  protocol: "decision",
  settings: SETTINGS,
  binding: BINDING_URL,
  hedging: false,
  priorities: null,
  create: (settings, parts) => new DecisionVerifier(settings, parts),
};
