// One job's way through the gateway: which samples are open, under which numbers they are asked, what each
// event reports. Must not know HTTP.

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

/** The id under which a request's one group travels. */
const GROUP_ID = "0";

/**
 * Samples first..first+samples-1 of a question, asked under the part's own index as the wire's
 * comparison id.
 */
interface GroupPart extends OpenRun {
  asked: JobQuestion;
  /** Where the question's samples begin among the job's. */
  offset: number;
}

/** One group as the protocol has it, before its texts are written. */
export interface GroupBody {
  group_id: string;
  question: string;
  language: string | null;
  candidates: readonly string[];
  /** JSON of the comparisons. */
  comparisons: string;
  /** The preset's name, and the texts that it needs besides. */
  prompt: string;
  slots: PromptSlots | undefined;
  /** Each once, where the texts name it. */
  images: ShownImages | undefined;
}

/** Who answers. */
interface AnsweringModel {
  backend: string | null;
  model: string | null;
}

/** A failure that another request may heal, with what was said of it. */
type HealableFailure = { error: ItemErrorCode } & Pick<Generation, "reason" | "retry_after_ms">;

const FAILED = { answer: null, thinking: "none", finish_reason: null, prompt_tokens: 0, completion_tokens: 0 } as const;

const SAVED = { ...FAILED, error: null, saved: true, latency_ms: 0 } as const;

/** Reports each sample of a job exactly once, whatever comes in. */
export class GroupAsk implements Countable {
  readonly questions = WHOLE;
  readonly #job: VerifierJob;
  readonly #sink: (generation: Generation) => void;
  readonly #reported: Uint8Array;
  readonly #backend: string | null;
  readonly #model: string | null;
  /** Failures that a second request may heal, by the sample's place. */
  readonly #setAside = new Map<number, HealableFailure>();
  #parts: GroupPart[] = [];
  #open: number;
  #asksLeft: number;
  /** Events of the last request: verdicts, and failures of the engines. */
  #brought = { verdicts: 0, failures: 0 };
  #fault: { thrown: unknown } | null = null;

  /**
   * @param answeredBy names on every report: the backend's, and the model's where the gateway does not   say
   * it
   * @param patient whether failures that may pass are asked again until the deadline, and not once only
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

  /** Why the gateway refused all of it, and how long it asked to be left alone; null where it did not. */
  refused: Pick<Generation, "reason" | "retry_after_ms"> | null = null;

  /** Samples not yet reported. */
  get open(): number {
    return this.#open;
  }

  /** Whether the sink threw, so that nothing that comes can matter any more. */
  get abandoned(): boolean {
    return this.#fault !== null;
  }

  /** Whether what is open may be asked in one more request after one that was answered. */
  get mayAskAgain(): boolean {
    return this.#open > 0 && this.#fault === null && this.#asksLeft > 0;
  }

  /** The samples not yet reported, each with its place among the job's. */
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

  /** Whether the gateway itself says that asking again may help. */
  get hasHealable(): boolean {
    return this.#setAside.size > 0;
  }

  /** The longest wait that engines asked for, of what may be healed, ms; null where none did. */
  get retry_after_ms(): number | null {
    const waits = [...this.#setAside.values()].flatMap(({ retry_after_ms }) => retry_after_ms ?? []);
    return waits.length === 0 ? null : Math.max(...waits);
  }

  /** Whether the last request came to failures of the engines and no verdict. */
  get broughtNothing(): boolean {
    return this.#brought.verdicts === 0 && this.#brought.failures > 0;
  }

  /** The group with all that is open, and only the candidates that this needs. */
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

  /** The gateway has taken the group. */
  accepted(): void {
    this.#asksLeft--;
    this.#brought = { verdicts: 0, failures: 0 };
    this.#setAside.clear();
  }

  /**
   * Takes one event.
   * @param elapsed_ms since the request was sent
   * @returns false when it speaks of what was never asked
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

  /** @returns false where a saved sample could have changed the result */
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
   * Reports what is open as failed: with the gateway's own word on a sample where it gave one, else
   * `code`. Rethrows what the sink threw.
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

/** The fields of a soft vote, left out where the gateway sends none. */
function softOf({ letters, coverage, written = null }: Extract<VerifyEvent, { type: "verdict" }>) {
  if (letters === null) return { soft: null };
  return letters === undefined || coverage == null ? {} : { soft: { letters, coverage, written } };
}

/** Reason and wait of a refusal, where they were given. */
function refusalFields({
  reason,
  retry_after_ms,
}: {
  [name in "reason" | "retry_after_ms"]?: Generation[name] | undefined;
}): Pick<Generation, "reason" | "retry_after_ms"> {
  return { ...(reason != null && { reason }), ...(retry_after_ms != null && { retry_after_ms }) };
}

/** Where a sample stands among the job's; null when the part does not ask it. */
function placeOf({ asked, offset, first, samples }: GroupPart, sample: number): number | null {
  const inside = sample >= first && sample < first + samples;
  return inside ? offset + sample - (asked.first_sample ?? 0) : null;
}

/** Defaults of the protocol are left out: comparisons are the bulk of a request whose programs are short. */
function partJson(part: GroupPart, id: number, places: ReadonlyMap<number, number>): string {
  const order = part.asked.shown.map((index) => places.get(index)).join(",");
  const samples = part.samples === 1 ? "" : `,"samples":${part.samples}`;
  const first = part.first === 0 ? "" : `,"first_sample":${part.first}`;
  const stop = part.majority ? ',"stop":"majority"' : "";
  return `{"id":${id},"order":[${order}]${samples}${first}${stop}}`;
}
