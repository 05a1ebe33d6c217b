// The work of a request, in an order that suits the engine's prefix cache: groups, comparisons, prompts and
// estimated tokens.
import { anchorFor } from "../../../src/core/judges/anchors.ts";
import type { Escape } from "../../../src/core/judges/escape/escape.ts";
import { imagesNamed } from "../../../src/core/judges/image-parts.ts";
import { createBytesWriter } from "../../../src/core/judges/question-json.ts";
import { isCompletion, type PromptForm } from "../../../src/core/judges/render.ts";
import { createSeeds } from "../../../src/core/judges/seeds.ts";
import { hashText } from "../../../src/core/math/random.ts";
import {
  answerChars,
  type VerifyComparison,
  type VerifyGroup,
  type VerifyRequest,
} from "../../../src/core/wire/verify-protocol.ts";
import type { EngineCall } from "../engines/port.ts";
import { GATEWAY_LIMITS } from "../limits/gateway-limits.ts";
import { Ballot } from "./early-stop.ts";

type Ask = Pick<VerifyRequest, "prompt" | "form" | "model" | "sampling" | "extra" | "soft" | "patient">;

/** A group being judged. Its candidates are escaped and hashed only when its first comparison is sent. */
class GroupWork {
  readonly id: string;
  readonly #group: VerifyGroup;
  readonly #ask: Ask;
  readonly #escape: Escape | undefined;
  #prompts: {
    write: (order: readonly number[]) => Uint8Array[];
    seedOf: (order: readonly number[], sample: number) => number;
    affinity: string;
  } | null = null;

  constructor(ask: Ask, group: VerifyGroup, escapeWith: Escape | undefined) {
    this.id = group.group_id;
    this.#ask = ask;
    this.#group = group;
    this.#escape = escapeWith;
  }

  get prompts() {
    const { prompt, form, sampling } = this.#ask;
    this.#prompts ??= {
      write: createBytesWriter(prompt, form as PromptForm, this.#group, this.#escape),
      seedOf: createSeeds({ seed: sampling.seed, prompt, form: form as PromptForm }, this.#group),
      // Keyed by the question, so that a later request about the same problem reaches the replica that has it
      // cached.
      affinity: hashText(this.#group.question).join("."),
    };
    return this.#prompts;
  }
}

/** A comparison being judged: its ballot, its prompt while samples are unsent, and its saved samples. */
export class ComparisonWork {
  readonly group: GroupWork;
  readonly comparison: VerifyComparison;
  readonly ballot: Ballot;
  /** Estimated prompt tokens per generation. */
  readonly prompt_tokens: number;
  /** Token limit of each generation. */
  readonly max_tokens: number;
  /** Numbers of the samples that are running. */
  readonly running = new Set<number>();
  /** Samples dropped or cut after the comparison was decided; null before. */
  saved: { samples: number[]; completion_tokens: number } | null = null;
  readonly #ask: Ask;
  /** Shared by all running samples, which are always cut together. */
  #abort: AbortController | null = null;
  #question: readonly Uint8Array[] | null = null;
  #next: number;

  constructor(ask: Ask, group: GroupWork, comparison: VerifyComparison, promptTokens: number) {
    this.#ask = ask;
    this.group = group;
    this.comparison = comparison;
    this.prompt_tokens = promptTokens;
    this.max_tokens = comparison.max_tokens ?? ask.sampling.max_tokens;
    this.ballot = new Ballot(comparison.samples, comparison.stop);
    this.#next = comparison.first_sample;
  }

  /** Takes the number of the next unsent sample. */
  draw(): number {
    this.ballot.send();
    this.running.add(this.#next);
    return this.#next++;
  }

  /** Numbers of the samples that were never sent. */
  unsentSamples(): number[] {
    return Array.from({ length: this.ballot.unsent }, (_, k) => this.#next + k);
  }

  /** Aborts the running samples at the engine. */
  cut(reason: string): void {
    this.#abort?.abort(reason);
  }

  /**
   * Builds the engine call for a sample. The prompt is rendered for the first sample and released with the
   * last.
   */
  call(sample: number, priority: number): EngineCall {
    const { order } = this.comparison;
    const { sampling, model, soft, patient, extra } = this.#ask;
    const { write, seedOf, affinity } = this.group.prompts;
    this.#question ??= write(order);
    const question = this.#question;
    this.#abort ??= new AbortController();
    if (this.ballot.unsent === 0) this.#question = null;
    return {
      completion: isCompletion(this.#ask.prompt),
      prompt: this.#ask.prompt,
      question,
      model,
      temperature: sampling.temperature,
      top_p: sampling.top_p,
      max_tokens: this.max_tokens,
      seed: seedOf(order, sample),
      ...(extra !== undefined && { extra }),
      affinity,
      answer_chars: answerChars(this.#ask.prompt),
      anchor: soft ? anchorFor(this.#ask.prompt, order.length) : null,
      priority,
      patient,
      signal: this.#abort.signal,
    };
  }
}

/** Approximate tokens of the template apart from question and candidates, and of an image. */
const TEMPLATE_TOKENS = 200;
const IMAGE_TOKENS = 1_024;

/** Sorts comparisons by the candidates they show, in order. */
const byShown = (a: VerifyComparison, b: VerifyComparison): number => {
  for (let k = 0; k < a.order.length && k < b.order.length; k++) {
    const difference = (a.order[k] as number) - (b.order[k] as number);
    if (difference !== 0) return difference;
  }
  return a.order.length - b.order.length || a.id - b.id;
};

/**
 * The request's comparisons in the order in which they are sent. Groups with the same question come together,
 * and within a group the comparisons that start with the same candidates. With `in_order`, the order within a
 * group is the request's.
 * @param escapeWith escapes model text; default: the escape for engines that do not report their tokens
 */
export function planWork(request: VerifyRequest, escapeWith?: Escape): ComparisonWork[] {
  const byQuestion = new Map<string, VerifyGroup[]>();
  for (const group of request.groups) {
    const alike = byQuestion.get(group.question);
    if (alike === undefined) byQuestion.set(group.question, [group]);
    else alike.push(group);
  }
  return [...byQuestion.values()].flat().flatMap((group) => {
    const work = new GroupWork(request, group, escapeWith);
    const { images } = group;
    const charsOf = (text: string) =>
      text.length + (images === undefined ? 0 : imagesNamed(text) * IMAGE_TOKENS * GATEWAY_LIMITS.chars_per_token);
    const lengths = group.candidates.map(charsOf);
    const before = charsOf(group.question);
    const line = request.in_order ? group.comparisons : [...group.comparisons].sort(byShown);
    return line.map((comparison) => {
      const chars = comparison.order.reduce((sum, index) => sum + (lengths[index] as number), before);
      const tokens = TEMPLATE_TOKENS + Math.ceil(chars / GATEWAY_LIMITS.chars_per_token);
      return new ComparisonWork(request, work, comparison, tokens);
    });
  });
}
