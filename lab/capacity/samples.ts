// Defines what each generation of a group will be: prompt, length and verdict, drawn before it is asked as
// the simulated verifier draws them.

import { type Draw, drawVerdict } from "../../gpu-backend/engines/simulator/noise.ts";
import type { Submission } from "../../gpu-backend/engines/simulator/queue-events.ts";
import { firstSampleOf } from "../../src/core/asking/purpose.ts";
import type { Presentation } from "../../src/core/asking/questions.ts";
import { LETTERS } from "../../src/core/judges/render.ts";
import { createSeeds } from "../../src/core/judges/seeds.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import type { VerifyGroup, VerifyRequest } from "../../src/core/wire/verify-protocol.ts";
import type { SampleOutcome } from "../study/played-run.ts";
import type { Setting } from "./setting.ts";

export interface Sample {
  submission: Submission;
  /** The text behind the thinking; empty where the budget ended before. */
  answer: string;
}

/** Tokens behind the thinking: the label and its marks. */
const LABEL_TOKENS = 10;
const CHARS_PER_TOKEN = 4;

/** All samples of a model by their group's affinity and their seed, as an engine's call names them. */
export class Samples {
  readonly #byGroup = new Map<string, Map<number, Sample>>();

  get(affinity: string, seed: number): Sample {
    const sample = this.#byGroup.get(affinity)?.get(seed);
    if (sample === undefined) throw new Error(`no sample ${seed} of ${affinity} was drawn`);
    return sample;
  }

  add(affinity: string): Map<number, Sample> {
    const samples = new Map<number, Sample>();
    this.#byGroup.set(affinity, samples);
    return samples;
  }

  forget(affinity: string): void {
    this.#byGroup.delete(affinity);
  }
}

/** One group of rollouts with even pass rates, as texts that are as long as its tokens. */
export class DrawnGroup {
  readonly id: string;
  readonly affinity: string;
  readonly texts: Pick<VerifyGroup, "group_id" | "question" | "language" | "candidates">;
  readonly #setting: Setting;
  readonly #rates: readonly number[];
  readonly #all: Samples;
  readonly #samples: Map<number, Sample>;
  readonly #seedOf: (order: readonly number[], sample: number) => number;
  /** Keys of the prompts' blocks, by what stands before their ends. */
  readonly #keys: Map<string, number>;

  constructor(setting: Setting, id: string, all: Samples, keys: Map<string, number>) {
    const { rollouts, tokens, judge, seed } = setting;
    const random = createRandom(hashText("capacity", seed, id));
    const text = (name: string, length: number) => name.padEnd(length * CHARS_PER_TOKEN, " x");
    this.id = id;
    this.#setting = setting;
    this.#rates = Array.from({ length: rollouts }, random);
    this.texts = {
      group_id: id,
      question: text(`question ${id}`, tokens.question),
      language: null,
      candidates: this.#rates.map((_, i) => text(`candidate ${i}`, tokens.candidate)),
    };
    this.affinity = hashText(this.texts.question).join(".");
    this.#all = all;
    this.#samples = all.add(this.affinity);
    this.#seedOf = createSeeds({ seed: 0, prompt: judge.prompt, form: judge.form }, this.texts);
    this.#keys = keys;
  }

  /** Draws all samples of a question. @returns what they mean to the tournament */
  draw(presentation: Presentation): SampleOutcome[] {
    const { shown, samples } = presentation;
    const first_sample = firstSampleOf(presentation);
    const prompt = this.#prompt(shown);
    return Array.from({ length: samples }, (_, k): SampleOutcome => {
      const sample = first_sample + k;
      const draw = this.#drawn(shown, sample);
      const length = this.#length(draw, shown, sample);
      const { max } = this.#setting.tokens;
      const read = draw.ending === "box" && length <= max;
      const answer = read ? `\\boxed{${LETTERS[draw.choice]}}` : "";
      const submission = { ...prompt, output_tokens: Math.min(length, max), priority: 0 };
      this.#samples.set(this.#seedOf(shown, sample), { submission, answer });
      return { state: read ? "parsed" : "unparsed", winner: read ? (shown[draw.choice] as number) : null };
    });
  }

  /** The samples of a question in the order of their numbers. */
  samplesFor(presentation: Presentation): Sample[] {
    const { shown, samples } = presentation;
    const first_sample = firstSampleOf(presentation);
    return Array.from({ length: samples }, (_, k) =>
      this.#all.get(this.affinity, this.#seedOf(shown, first_sample + k)),
    );
  }

  /** The edge's request to the gateway in one wave. */
  request(wave: readonly Presentation[]): VerifyRequest {
    const { judge, tokens } = this.#setting;
    const comparisons = wave.map(({ shown, samples, purpose, stop = "all" }, id) => ({
      ...{ id, order: [...shown], samples, first_sample: firstSampleOf({ purpose }), stop },
    }));
    return {
      ...{
        deadline_ms: Number.MAX_SAFE_INTEGER,
        patient: true,
        in_order: false,
        priority: 0,
        model: null,
        soft: false,
      },
      groups: [{ ...this.texts, comparisons }],
      ...{ prompt: judge.prompt, form: judge.form },
      sampling: { temperature: judge.temperature, top_p: judge.top_p, max_tokens: tokens.max, seed: 0 },
    };
  }

  forget(): void {
    this.#all.forget(this.affinity);
  }

  #drawn(shown: readonly number[], sample: number): Draw {
    const { noise, seed } = this.#setting;
    const asked = { question: this.id, candidates: shown.map((i) => ({ code: String(i) })) };
    return drawVerdict(asked, noise, `${seed} ${sample}`, (code) => this.#rates[Number(code)] as number);
  }

  #length({ thinking_tokens }: Draw, shown: readonly number[], sample: number): number {
    const { tokens, seed } = this.#setting;
    if (tokens.law === "fixed") return tokens.mean;
    if (tokens.law === "lognormal") return thinking_tokens + LABEL_TOKENS;
    const random = createRandom(hashText("length", seed, this.id, sample, ...shown));
    return Math.max(1, Math.round(-tokens.mean * Math.log(1 - random())));
  }

  /** Equal beginnings have equal blocks: the judge's words, the question, the candidates in order. */
  #prompt(shown: readonly number[]): Pick<Submission, "prompt_tokens" | "blocks"> {
    const { tokens, engine } = this.#setting;
    const parts = [
      { name: "", length: tokens.template },
      { name: this.id, length: tokens.question },
      ...shown.map((_, k) => ({
        name: `${this.id}/${shown.slice(0, k + 1).join("/")}`,
        length: tokens.candidate,
      })),
    ];
    const blocks: number[] = [];
    let end = 0;
    for (const { name, length } of parts) {
      end += length;
      const key = this.#keys.get(name) ?? this.#keys.size;
      this.#keys.set(name, key);
      while ((blocks.length + 1) * engine.block_tokens <= end) blocks.push(key * 2 ** 20 + blocks.length);
    }
    return { prompt_tokens: Math.max(1, end), blocks };
  }
}
