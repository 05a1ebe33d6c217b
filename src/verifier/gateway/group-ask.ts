// The state of one job at the gateway: which samples are not yet reported, their numbers in the request, and
// how events are reported. Independent of HTTP.

import type { JobQuestion } from "../../core/asking/questions.ts";
import type { ItemErrorCode } from "../../core/faults/errors.ts";
import { namedImages, type ShownImages } from "../../core/judges/image-parts.ts";
import type { PromptSlots } from "../../core/judges/prompt-job.ts";
import type { Generation, VerifierJob } from "../../core/wire/questions.ts";
import type { VerifyEvent } from "../../core/wire/verify-protocol.ts";
import { type OpenRun, openRuns } from "../fan-out/open-runs.ts";
import type { Countable } from "../fan-out/queue.ts";
import { isBackendFailure } from "../fan-out/refusal.ts";
import { WHOLE } from "../fan-out/whole.ts";

/** The id of the single group in a request. */
const GROUP_ID = "0";

/** Consecutive samples of one question. The index of a part is the id of a comparison in the protocol. */
interface GroupPart extends OpenRun {
  asked: JobQuestion;
  /** Index of the question's first sample among the job's samples. */
  offset: number;
}

/** One group in the protocol's format, before its strings are serialised. */
export interface GroupBody {
  group_id: string;
  question: string;
  language: string | null;
  candidates: readonly string[];
  /** The comparisons as JSON. */
  comparisons: string;
  /** Name of the preset; `slots` holds the other strings of the prompt. */
  prompt: string;
  slots: PromptSlots | undefined;
  /** Images that the question and the candidates refer to, each once. */
  images: ShownImages | undefined;
}

/** The backend and model that answer. */
interface AnsweringModel {
  backend: string | null;
  model: string | null;
}

/** A failure that another request may resolve, with its reason. */
type HealableFailure = { error: ItemErrorCode } & Pick<Generation, "reason" | "retry_after_ms">;

const FAILED = { answer: null, thinking: "none", finish_reason: null, prompt_tokens: 0, completion_tokens: 0 } as const;

const SAVED = { ...FAILED, error: null, saved: true, latency_ms: 0 } as const;

/** Collects the results of one job. Reports each sample exactly once, whatever events arrive. */
export class GroupAsk implements Countable {
  readonly questions = WHOLE;
  readonly #job: VerifierJob;
  readonly #sink: (generation: Generation) => void;
  readonly #reported: Uint8Array;
  readonly #backend: string | null;
  readonly #model: string | null;
  /** Failures that another request may resolve, by the sample's index in the job. */
  readonly #setAside = new Map<number, HealableFailure>();
  #parts: GroupPart[] = [];
  #open: number;
  #asksLeft: number;
  /** Verdicts and engine failures counted over the last request. */
  #brought = { verdicts: 0, failures: 0 };
  #fault: { thrown: unknown } | null = null;

  /**
   * @param answeredBy backend and model to report; the gateway's own model name takes precedence
   * @param patient whether temporary failures are retried until the deadline instead of once
   */
  constructor(
    job: VerifierJob,
    sink: (generation: Generation) => void,
    answeredBy: AnsweringModel = { backend: null, model: null },
    patient = false,
  ) {
    this.#asksLeft = patient ? Number.POSITIVE_INFINITY : 2;
    this.#job = job;
    this.#sink = sink;
    this.#backend = answeredBy.backend;
    this.#model = answeredBy.model;
    this.#open = job.questions.reduce((sum, { samples }) => sum + samples, 0);
    this.#reported = new Uint8Array(this.#open);
  }

  /** Reason and Retry-After of a refusal of the whole request; null if the gateway did not refuse it. */
  refused: Pick<Generation, "reason" | "retry_after_ms"> | null = null;

  /** Number of samples not yet reported. */
  get open(): number {
    return this.#open;
  }

  /** Whether the sink threw, so that further events are useless. */
  get abandoned(): boolean {
    return this.#fault !== null;
  }

  /** Whether samples that are still open may be asked in another request. */
  get mayAskAgain(): boolean {
    return this.#open > 0 && this.#fault === null && this.#asksLeft > 0;
  }

  /** Samples not yet reported, each with its index among the job's samples. */
  *#left(): Generator<{ asked: JobQuestion; place: number; sample: number }> {
    let from = 0;
    for (const asked of this.#job.questions) {
      const { samples, first_sample = 0 } = asked;
      for (let k = 0; k < samples; k++) {
        if (this.#reported[from + k] === 0) yield { asked, place: from + k, sample: first_sample + k };
      }
      from += samples;
    }
  }

  /** Whether the gateway marked failures as retryable. */
  get hasHealable(): boolean {
    return this.#setAside.size > 0;
  }

  /** The longest Retry-After of the retryable failures, ms; null if there is none. */
  get retry_after_ms(): number | null {
    const waits = [...this.#setAside.values()].flatMap(({ retry_after_ms }) => retry_after_ms ?? []);
    return waits.length === 0 ? null : Math.max(...waits);
  }

  /** Whether the last request produced only engine failures and no verdict. */
  get broughtNothing(): boolean {
    return this.#brought.verdicts === 0 && this.#brought.failures > 0;
  }

  /** The group with all open samples and only the candidates that they need. */
  body(): GroupBody {
    const { question, language, candidates, questions, images = {} } = this.#job;
    this.#parts = [];
    let offset = 0;
    for (const asked of questions) {
      const from = offset;
      const runs = openRuns(asked, (place) => this.#reported[from + place] === 0);
      for (const run of runs) this.#parts.push({ asked, offset, ...run });
      offset += asked.samples;
    }
    const shown = new Set(this.#parts.flatMap(({ asked }) => asked.shown));
    const used = candidates.map((_, index) => index).filter((index) => shown.has(index));
    const places = new Map(used.map((index, place) => [index, place]));
    const sent = used.map((index) => candidates[index] as string);
    return {
      group_id: GROUP_ID,
      prompt: this.#job.preset,
      slots: this.#job.slots,
      question,
      language,
      candidates: sent,
      images: namedImages(images, [question, ...sent]) ?? undefined,
      comparisons: `[${this.#parts.map((part, id) => partJson(part, id, places)).join(",")}]`,
    };
  }

  /** Records that the gateway accepted the group. */
  accepted(): void {
    this.#asksLeft--;
    this.#brought = { verdicts: 0, failures: 0 };
    this.#setAside.clear();
  }

  /**
   * Handles one event.
   * @param elapsed_ms time since the request was sent
   * @returns false if the event concerns a sample that was never asked
   */
  take(event: VerifyEvent, elapsed_ms: number): boolean {
    if (event.type !== "verdict" && event.type !== "error" && event.type !== "saved") return true;
    const part = event.group_id === GROUP_ID ? this.#parts[event.comparison] : undefined;
    if (part === undefined) return false;
    if (event.type === "saved") return this.#saved(part, event.samples, event.completion_tokens);
    const place = placeOf(part, event.sample);
    if (place === null) return false;
    if (event.type === "error") this.#error(part, place, event, elapsed_ms);
    else {
      const { answer, thinking, finish_reason, prompt_tokens, completion_tokens, total_ms } = event;
      const latency_ms = Math.max(0, total_ms);
      const cost = { prompt_tokens, completion_tokens, latency_ms, model: event.model ?? this.#model };
      this.#brought.verdicts++;
      const brought = { answer, thinking, finish_reason, error: null, ...cost, ...softOf(event) };
      this.#report(part.asked, place, event.sample, brought);
    }
    return true;
  }

  /**
   * Reports samples that the gateway skipped.
   * @returns false if a skipped sample could have changed the result
   */
  #saved(part: GroupPart, samples: readonly number[], tokens: number): boolean {
    if (!part.majority) return false;
    for (const [at, sample] of samples.entries()) {
      const place = placeOf(part, sample);
      if (place === null) return false;
      const completion_tokens = at === 0 ? tokens : 0;
      this.#report(part.asked, place, sample, { ...SAVED, completion_tokens });
    }
    return true;
  }

  #error(
    { asked }: GroupPart,
    place: number,
    { sample, code, retryable, reason, retry_after_ms }: Extract<VerifyEvent, { type: "error" }>,
    latency_ms: number,
  ): void {
    if (isBackendFailure(code)) this.#brought.failures++;
    const said = refusalFields({ reason, retry_after_ms });
    if (retryable && this.#asksLeft > 0) this.#setAside.set(place, { error: code, ...said });
    else this.#report(asked, place, sample, { ...FAILED, error: code, latency_ms, ...said });
  }

  #report(asked: JobQuestion, place: number, sample: number, brought: Omit<Generation, "question" | "sample">): void {
    if (this.#reported[place] === 1 || this.#fault !== null) return;
    this.#reported[place] = 1;
    this.#open--;
    try {
      this.#sink({ question: asked.id, sample, model: null, ...brought, backend: this.#backend });
    } catch (thrown) {
      this.#fault = { thrown };
    }
  }

  /**
   * Reports all open samples as failed: with the gateway's own error for a sample if there is one, otherwise
   * with `code`. Rethrows an error that the sink threw.
   */
  finish(code: ItemErrorCode, latency_ms: number): void {
    const whole = { error: code, ...refusalFields(this.refused ?? {}) };
    const aborted = code === "deadline" || code === "cancelled";
    for (const { asked, place, sample } of this.#left()) {
      const ended = (aborted ? null : this.#setAside.get(place)) ?? whole;
      this.#report(asked, place, sample, { ...FAILED, latency_ms, ...ended });
    }
    if (this.#fault !== null) throw this.#fault.thrown;
  }
}

/** The soft-vote fields; empty if the gateway sends none. */
function softOf({ letters, coverage, written = null }: Extract<VerifyEvent, { type: "verdict" }>) {
  if (letters === null) return { soft: null };
  return letters === undefined || coverage == null ? {} : { soft: { letters, coverage, written } };
}

/** Reason and Retry-After of a refusal, if given. */
function refusalFields({
  reason,
  retry_after_ms,
}: {
  [name in "reason" | "retry_after_ms"]?: Generation[name] | undefined;
}): Pick<Generation, "reason" | "retry_after_ms"> {
  return { ...(reason != null && { reason }), ...(retry_after_ms != null && { retry_after_ms }) };
}

/** Index of a sample among the job's samples; null if the part does not ask for the sample. */
function placeOf({ asked, offset, first, samples }: GroupPart, sample: number): number | null {
  const inside = sample >= first && sample < first + samples;
  return inside ? offset + sample - (asked.first_sample ?? 0) : null;
}

/**
 * Serialises a comparison. Omits protocol defaults, because comparisons dominate requests with short
 * programs.
 */
function partJson(part: GroupPart, id: number, places: ReadonlyMap<number, number>): string {
  const order = part.asked.shown.map((index) => places.get(index)).join(",");
  const samples = part.samples === 1 ? "" : `,"samples":${part.samples}`;
  const first = part.first === 0 ? "" : `,"first_sample":${part.first}`;
  const stop = part.majority ? ',"stop":"majority"' : "";
  return `{"id":${id},"order":[${order}]${samples}${first}${stop}}`;
}
