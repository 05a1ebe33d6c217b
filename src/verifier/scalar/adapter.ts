// The `scalar` backend: servers of scalar reward models and label probabilities, asked in batches.
// Independent of signals and storage.

import * as z from "zod";
import type { Question } from "../../core/asking/questions.ts";
import type { EstimatedJob, TextLengths } from "../../core/asking/request-cost.ts";
import type { ItemErrorCode } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { stepsOfList } from "../../core/judges/step-list.ts";
import { apiRoot, authorization } from "../../core/wire/chat-endpoint.ts";
import type { Generation, VerifierJob } from "../../core/wire/questions.ts";
import {
  SCALAR_API_NAMES,
  SCALAR_APIS,
  type ScalarApi,
  type ScalarApiName,
  type ScalarText,
  type ScalarValue,
} from "../../core/wire/scalar-apis.ts";
import {
  isScalarTemplate,
  isStepTag,
  SCALAR_TEMPLATE_CHARS,
  scalarTexts,
  showsReference,
} from "../../core/wire/scalar-text.ts";
import type { Health, Verifier, VerifierCall, VerifierSession } from "../../ports/ports.ts";
import type { Address, BackendKind, BackendParts } from "../fan-out/backend-kind.ts";
import { runtimeFetch } from "../fan-out/exchange.ts";
import { Governor } from "../fan-out/fan-out.ts";
import { healthOf } from "../fan-out/health-check.ts";
import { callOptions } from "../fan-out/options.ts";
import { askWhole, NO_ANSWER } from "../fan-out/whole.ts";
import { batchCount, batchesOf, type ScalarBatch, type ScalarItem } from "./batch.ts";
import { askScalar, type ScalarEndpoint } from "./exchange.ts";

interface ScalarBackendSettings {
  api: ScalarApiName;
  model?: string | undefined;
  template: string;
  label?: string | undefined;
  yes?: number | undefined;
  no?: number | undefined;
  step_tag: string;
}

/** The step tag of Qwen2.5-Math-PRM. */
const STEP_TAG = "<extra_0>";

const token = z.coerce.number().int().min(0).max(LIMITS.usage_tokens_max).optional();
const SETTINGS = z.object({
  api: z.enum(SCALAR_API_NAMES),
  model: z.string().min(1).max(256).optional(),
  template: z.string().max(SCALAR_TEMPLATE_CHARS).refine(isScalarTemplate).default("plain"),
  label: z.string().min(1).max(256).optional(),
  yes: token,
  no: token,
  step_tag: z.string().max(64).refine(isStepTag).default(STEP_TAG),
});

const IN_FLIGHT_MAX = 16;

/** Two prompts to which any model that reads its input gives different scores. */
const DIFFERENT = [
  ["What is two plus two?", "Two plus two is four."],
  ["Name a colour.", "zzz ) ( zzz 17"],
] as const;

const BAD_REPLY: ItemErrorCode = "verifier_bad_reply";
const REJECTED: ItemErrorCode = "verifier_rejected";
const NO_REFERENCE = "VERIFIER_TEMPLATE shows a reference answer, but the group has none";
const SATURATED: ItemErrorCode = "scalar_backend_saturated";
const SATURATED_DETAIL =
  "two different texts both score 1, which indicates a softmax over one label; serve the model without its activation";
/**
 * Errors of a batch that a single item may have caused. The halves of such a batch are asked separately, so
 * that the other items are not lost.
 */
const ONE_TEXTS: ReadonlySet<ItemErrorCode | null> = new Set([
  ...(["context_exceeded", "content_filtered", "verifier_rejected", "verifier_bad_reply"] as const),
]);

/** Whether all of a server's numbers are 1 and so carry no information. */
const isSaturated = (numbers: readonly ScalarValue[]) =>
  numbers.length > 0 && numbers.flat().every((number) => number === 1);

type Sink = (generation: Generation) => void;

/** A session with the server for one request. */
class ScalarSession implements VerifierSession {
  readonly #verifier: ScalarVerifier;
  readonly #governor: Governor<ScalarBatch>;
  #probe: Promise<ItemErrorCode | null> | null = null;

  constructor(verifier: ScalarVerifier, call: VerifierCall) {
    this.#verifier = verifier;
    const { clock, backend, max_in_flight = IN_FLIGHT_MAX } = verifier.parts;
    this.#governor = new Governor<ScalarBatch>({
      ...callOptions(call, clock),
      max_in_flight: Math.min(max_in_flight, IN_FLIGHT_MAX),
      clock,
      backend,
      send: async ({ running: { job: batch } }, signal, onHeaders, onBytes) => {
        const { outcome, numbers } = await askScalar(verifier.endpoint, batch.items, signal, onHeaders);
        onBytes();
        batch.numbers = numbers;
        return outcome;
      },
    });
  }

  get stats() {
    return this.#governor.stats;
  }

  async judge(job: VerifierJob, sink: Sink): Promise<void> {
    const reference = job.slots?.reference;
    const items = job.questions.flatMap(({ id, shown, samples, first_sample = 0 }) => {
      const text = this.#verifier.textOf(job.question, job.candidates[shown[0] as number] as string, reference);
      return Array.from(
        { length: samples },
        (_, k): ScalarItem => ({ ...text, question: id, sample: first_sample + k }),
      );
    });
    const bare = this.#verifier.needsReference && reference === undefined;
    const fault = bare ? REJECTED : this.#verifier.differs ? null : await this.#probed();
    if (fault !== null) {
      const failure = { error: fault, latency_ms: 0, ...(bare && { reason: NO_REFERENCE }) };
      for (const item of items) sink({ ...NO_ANSWER, ...idsOf(item), ...failure });
      return;
    }
    await Promise.all(batchesOf(items, this.#verifier.endpoint.api.compares).map((batch) => this.#ask(batch, sink)));
  }

  /**
   * Checks once that two different prompts get different numbers. Returns null if they do, otherwise the
   * error.
   */
  #probed(): Promise<ItemErrorCode | null> {
    this.#probe ??= (async () => {
      const numbers: ScalarValue[] = [];
      let fault: ItemErrorCode | null = null;
      for (const batch of this.#verifier.probes()) {
        const { error } = await askWhole(this.#governor, batch);
        fault ??= error;
        numbers.push(...batch.numbers);
      }
      if (fault === null && numbers.includes(null)) return BAD_REPLY;
      if (fault === null && isSaturated(numbers)) return SATURATED;
      this.#verifier.differs = fault === null;
      return fault;
    })();
    return this.#probe;
  }

  async #ask(batch: ScalarBatch, sink: Sink): Promise<void> {
    const { error, prompt_tokens, latency_ms, model, backend, reason } = await askWhole(this.#governor, batch);
    if (ONE_TEXTS.has(error) && batch.items.length > 1) {
      await Promise.all(batch.halves().map((half) => this.#ask(half, sink)));
      return;
    }
    batch.items.forEach((item, at) => {
      const cost = { prompt_tokens: at === 0 ? prompt_tokens : 0, latency_ms, backend: backend ?? null };
      const value = batch.numbers[at] ?? null;
      const fault = error ?? (value === null ? BAD_REPLY : null);
      const outcome =
        fault === null
          ? { answer: JSON.stringify(value), finish_reason: "stop", model: model ?? null }
          : { ...(reason != null && { reason }) };
      sink({ ...NO_ANSWER, ...idsOf(item), ...cost, error: fault, ...outcome });
    });
  }
}

const idsOf = ({ question, sample }: ScalarItem) => ({ question, sample });

class ScalarVerifier implements Verifier {
  readonly protocol = "scalar";
  readonly takes: readonly Question["to"][];
  readonly generations_max = LIMITS.generations_verify_max;
  readonly endpoint: ScalarEndpoint;
  readonly parts: BackendParts;
  readonly textOf: (question: string, candidate: string, reference?: string) => ScalarText;
  readonly needsReference: boolean;
  /** Whether the server has given different numbers to two different prompts. */
  differs = false;

  constructor(
    { url, api_key, api, template, step_tag, ...settings }: ScalarBackendSettings & Address,
    parts: BackendParts,
  ) {
    const base = apiRoot(url).replace(/\/v\d\w*$/, "");
    const headers = { "content-type": "application/json", accept: "application/json", ...authorization(api_key) };
    const { clock, key_variable } = parts;
    const chosen: ScalarApi = SCALAR_APIS[api];
    if (chosen.compares && (settings.yes === undefined || settings.no === undefined)) {
      throw new TypeError(`The API ${api} requires the token ids of yes and no.`);
    }
    this.parts = parts;
    const stepwise = chosen.per_step === true;
    const write = scalarTexts(template, stepwise ? step_tag : null);
    this.takes = [stepwise ? "prm" : "scalar"];
    this.textOf = (question, candidate, reference) =>
      write(question, stepwise ? stepsOfList(candidate) : candidate, reference);
    this.needsReference = showsReference(template);
    const shared = { clock, key_variable, fetch: runtimeFetch, headers, settings };
    this.endpoint = { ...shared, url: base + chosen.path, api: chosen };
  }

  backends = () => [this.parts.backend.status(this.parts.clock.now())];

  session(call: VerifierCall): VerifierSession {
    return new ScalarSession(this, call);
  }

  requestCost({ questions }: EstimatedJob, { prompt_tokens, rollout_tokens }: TextLengths) {
    const texts = questions.reduce((sum, { samples }) => sum + samples, 0);
    return { calls: batchCount(texts, prompt_tokens + rollout_tokens) };
  }

  /** Batches with two different prompts, split as the API requires. */
  probes(): ScalarBatch[] {
    const items = DIFFERENT.map(([question, candidate], at) => ({
      ...{ ...this.textOf(question, candidate), question: at, sample: 0 },
    }));
    return batchesOf(items, this.endpoint.api.compares);
  }

  /** Asks for the numbers of two different prompts, like the first request of a session. */
  check(): Promise<Health> {
    return healthOf(this.parts.clock, async (signal) => {
      const asked = await Promise.all(this.probes().map(({ items }) => askScalar(this.endpoint, items, signal)));
      const answered = asked.map(({ outcome }) => outcome.generation);
      const failed = answered.find(({ error }) => error !== null);
      if (failed !== undefined) return failed.reason ?? (failed.error as string);
      const all = asked.flatMap(({ numbers }) => numbers);
      if (all.includes(null)) return BAD_REPLY;
      return isSaturated(all) ? SATURATED_DETAIL : {};
    });
  }
}

/** The kind of backend for servers of scalar models. */
export const scalar: BackendKind<ScalarBackendSettings> = {
  protocol: "scalar",
  settings: SETTINGS,
  hedging: false,
  priorities: null,
  /**
   * @throws TypeError for a URL that cannot be used, or if an API compares two tokens and their ids are
   * missing
   */
  create: (settings, parts) => new ScalarVerifier(settings, parts),
};
