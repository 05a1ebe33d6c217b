// An engine in virtual time: the simulator's queueing and noise models behind the gateway's own pool
// interface, without sockets or waiting.

import { type Answer, writeAnswer } from "../../gpu-backend/engines/simulator/answer.ts";
import { drawVerdict } from "../../gpu-backend/engines/simulator/noise.ts";
import {
  type EngineParameters,
  engineParameters,
  type ModelName,
  type NoiseParameters,
  noiseParameters,
} from "../../gpu-backend/engines/simulator/parameters.ts";
import { blockKeys } from "../../gpu-backend/engines/simulator/prefix-cache.ts";
import { QueueModel } from "../../gpu-backend/engines/simulator/queueing.ts";
import { promptOf } from "../../gpu-backend/engines/simulator/shapes.ts";
import { templateTail } from "../../gpu-backend/engines/simulator/tail.ts";
import { Aimd } from "../../gpu-backend/gateway/engines/aimd.ts";
import type { EngineAnswer, EngineCall, EnginePool } from "../../gpu-backend/gateway/engines/port.ts";
import { RepetitionDetector } from "../../gpu-backend/gateway/engines/repetition.ts";
import { parsePrompt, type ReadPrompt } from "../../src/core/judges/render.ts";

/** As the gateway's own probe asks for the gauges. */
const GAUGES_EVERY_S = 1;
const STREAM_TOKENS = 16;

/** Prompts that are remembered: the samples of a comparison come one after the other. */
const PROMPTS_MAX = 1_024;

interface Prompt {
  tokens: number;
  blocks: readonly number[];
  read: ReadPrompt;
}

const NOTHING: EngineAnswer = {
  answer: "",
  thinking: "none",
  finish_reason: null,
  prompt_tokens: 0,
  completion_tokens: 0,
  first_token_ms: null,
  total_ms: 0,
  soft: null,
  model: null,
  error: null,
  retryable: false,
};

/** Time stands still until `advance`; what is asked, cut and answered meanwhile takes none. */
export class VirtualEngine implements Pick<EnginePool, "generate" | "capacity" | "in_flight" | "onRoom"> {
  readonly #parameters: EngineParameters;
  readonly #noise: NoiseParameters;
  readonly #seed: string;
  readonly #model: QueueModel;
  readonly #aimd: Aimd;
  readonly #running = new Map<number, () => void>();
  /** By the messages' identity, which all samples of a comparison share. */
  readonly #prompts = new Map<string, Prompt>();
  #onRoom: () => void = () => {};
  #calls = 0;
  #now = 0;
  #gaugesAt = 0;
  #tokens = 0;

  /** @param in_flight generations at most; fewer while the engine's gauges show pressure */
  constructor(model: ModelName, seed: number, in_flight: number) {
    this.#parameters = engineParameters(model, "h200");
    this.#noise = noiseParameters(model);
    this.#seed = `${seed} ${model}`;
    this.#model = new QueueModel(this.#parameters);
    this.#aimd = new Aimd(in_flight);
  }

  /** Seconds. */
  get now(): number {
    return this.#now;
  }

  get capacity(): number {
    return this.#aimd.cap;
  }

  get in_flight(): number {
    return this.#running.size;
  }

  /** Tokens of all generations that have ended, cut ones included. */
  get tokens_generated(): number {
    return this.#tokens;
  }

  get totals(): Readonly<QueueModel["totals"]> {
    return this.#model.totals;
  }

  onRoom(listener: () => void): void {
    this.#onRoom = listener;
  }

  /** When something happens next by itself, s; Infinity when nothing runs. */
  nextAt(): number {
    if (this.in_flight === 0) return Number.POSITIVE_INFINITY;
    return Math.min(this.#model.nextAt() ?? Number.POSITIVE_INFINITY, Math.max(this.#gaugesAt, this.#now));
  }

  /**
   * Moves to `now` and answers what has ended by then. Promises settle once the caller lets the
   * event loop turn.
   */
  advance(now: number): void {
    this.#now = now;
    for (const { type, id } of this.#model.advance(now)) if (type === "finished") this.#running.get(id)?.();
    if (now < this.#gaugesAt) return;
    this.#gaugesAt = now + GAUGES_EVERY_S;
    const { waiting, kv_usage } = this.#model;
    this.#aimd.sample({ kind: "vllm", waiting, kv_use: kv_usage }, this.in_flight);
    this.#onRoom();
  }

  generate(call: EngineCall): Promise<EngineAnswer> {
    const { tokens, blocks, read } = this.#promptOf(Buffer.concat(call.question).toString());
    const draw = drawVerdict(read, this.#noise, `${this.#seed} ${call.seed}`);
    const answer = writeAnswer({
      draw,
      tail: templateTail(draw, read.form),
      seed: call.seed,
      tokensMax: call.max_tokens,
      tags: true,
    });
    const output_tokens = draw.loops ? tokensUntilCut(answer) : answer.tokens;
    const id = ++this.#calls;
    const { promise, resolve } = Promise.withResolvers<EngineAnswer>();
    const asked_at = this.#now;
    const end = (said: Partial<EngineAnswer> & { completion_tokens: number }) => {
      this.#running.delete(id);
      this.#tokens += said.completion_tokens;
      resolve({ ...NOTHING, total_ms: (this.#now - asked_at) * 1_000, ...said });
      this.#onRoom();
    };
    this.#running.set(id, () => end(answered(answer, tokens, output_tokens)));
    this.#model.submit(id, { prompt_tokens: tokens, blocks, output_tokens, priority: 0 });
    const cut = () => {
      if (this.#running.has(id)) end({ error: "cancelled", completion_tokens: this.#model.abort(id) });
    };
    call.signal.addEventListener("abort", cut, { once: true });
    return promise;
  }

  #promptOf(question: string): Prompt {
    let prompt = this.#prompts.get(question);
    if (prompt === undefined) {
      const { messages } = JSON.parse(`{${question}}`) as { messages: { role: string; content: string }[] };
      const { text, tokens } = promptOf({ messages });
      const content = messages.at(-1)?.content ?? "";
      const read = parsePrompt(content.slice(content.indexOf("[QUESTION]\n")));
      if (read === null) throw new Error("the prompt contains no comparison");
      prompt = { tokens, blocks: blockKeys(text, this.#parameters.block_tokens), read };
      if (this.#prompts.size === PROMPTS_MAX) this.#prompts.clear();
      this.#prompts.set(question, prompt);
    }
    return prompt;
  }
}

/** The gateway's result for an answer that came whole, or was cut as a loop. */
function answered(answer: Answer, prompt_tokens: number, completion_tokens: number): EngineAnswer {
  const closed = !answer.draw.loops && answer.tokens > answer.thinking_end;
  return {
    ...NOTHING,
    answer: closed ? answer.text(answer.thinking_end, answer.tokens).content : "",
    thinking: closed ? "closed" : "unclosed",
    finish_reason: answer.draw.loops ? "repetition" : answer.finish_reason,
    prompt_tokens,
    completion_tokens,
  };
}

/** Tokens of an answer that loops until the gateway notices. */
function tokensUntilCut(answer: Answer): number {
  const detector = new RepetitionDetector();
  let to = 0;
  do {
    const { thinking, content } = answer.text(to, to + STREAM_TOKENS);
    detector.push(thinking + content);
    to += STREAM_TOKENS;
  } while (!detector.looping && to < answer.tokens);
  return Math.min(to, answer.tokens);
}
