// Handles a completion request to the simulator, from the request to the response or the requested fault.

import { parsePrompt } from "../../../src/core/judges/render.ts";
import { hashText } from "../../../src/core/math/random.ts";
import { simulatedName, withoutSign } from "../../../src/core/wire/simulated-model.ts";
import { userText } from "../cpu/completion.ts";
import { type Answer, writeAnswer } from "./answer.ts";
import type { Engine, Ticket } from "./engine.ts";
import { type Fault, FaultBook, labelledFault, parseFault, splitModel } from "./faults.ts";
import { readJudgePrompt } from "./judge-prompt.ts";
import { type Draw, drawVerdict, passRateOf } from "./noise.ts";
import type { EngineParameters, NoiseParameters } from "./parameters.ts";
import { blockKeys } from "./prefix-cache.ts";
import {
  type Connection,
  errorReply,
  type Flavour,
  fromText,
  messagesOf,
  promptOf,
  RequestSchema,
  type SimulatedRequest,
  type ThinkingField,
  Wire,
  type WireForm,
} from "./shapes.ts";
import { brokenText, type StreamJob, streamAnswer } from "./stream.ts";
import { presetTail, type Tail, templateTail } from "./tail.ts";

export interface ChatOptions {
  engine: Engine;
  model: string;
  parameters: EngineParameters;
  noise: NoiseParameters;
  seed: number;
  flavour: Flavour;
  thinking_field: ThinkingField;
  stream_tokens: number;
  keep_alive_ms: number;
  priority_scheduling: boolean;
  waiting_max: number;
  disconnect_notice_ms: number;
  /** The fault for all questions that do not request one themselves. */
  fault: string | null;
  /** Pass rates by trimmed candidate text. Other candidates use the label in their text. */
  rates: Readonly<Record<string, number>>;
}

/** A request's body, the wire format of its route, and the request's number. */
interface Posted {
  body: string;
  form: WireForm;
  number: number;
}

interface Writing extends Omit<Posted, "body"> {
  /** The complete prompt. */
  text: string;
  tokensMax: number;
}

const BODY_CHARS_MAX = 16 * 1_048_576;
const HANG_TICK_MS = 250;
const FAULT_HEADER = "x-simulator-fault";

/** Answers `POST /v1/chat/completions` and `/v1/completions`. */
export class Chat {
  readonly #o: ChatOptions;
  readonly #faults = new FaultBook();
  readonly #rates: ReadonlyMap<string, number>;
  #questions = 0;

  constructor(options: ChatOptions) {
    this.#o = options;
    this.#rates = new Map(Object.entries(options.rates));
  }

  async reply(request: Request, connection: Connection | null, form: WireForm = "chat"): Promise<Response> {
    const { engine } = this.#o;
    engine.counts.requests++;
    const number = ++this.#questions;
    const outcome = await this.#decide({ body: await request.text(), form, number }, request, connection);
    if (!outcome.ok) engine.counts.refused++;
    return outcome;
  }

  #refuse(status: number, message: string, headers?: Record<string, string>): Response {
    return errorReply(this.#o.flavour, status, message, headers);
  }

  async #decide(posted: Posted, request: Request, connection: Connection | null): Promise<Response> {
    const { body, form } = posted;
    const question = this.#read(body, form);
    if (question instanceof Response) return question;
    const { model, fault: suffix } = splitModel(withoutSign(question.model));
    if (model !== this.#o.model) return this.#refuse(404, `unknown model; the only model is ${this.#o.model}`);
    let fault: Fault | null;
    try {
      const text =
        suffix ?? request.headers.get(FAULT_HEADER) ?? labelledFault(promptOf(question).text) ?? this.#o.fault;
      fault = text === null ? null : parseFault(text);
    } catch (error) {
      return this.#refuse(400, (error as RangeError).message);
    }
    const struck = fault !== null && this.#faults.strikes(fault, body) ? fault : null;
    const refusal = struck === null ? null : await this.#strike(struck, request.signal, connection);
    return refusal ?? this.#answer(question, posted, struck, request.signal, connection);
  }

  #read(body: string, form: WireForm): SimulatedRequest | Response {
    if (body.length > BODY_CHARS_MAX) return this.#refuse(413, `the body is longer than ${BODY_CHARS_MAX} characters`);
    let json: unknown;
    try {
      json = JSON.parse(body);
    } catch {
      return this.#refuse(400, "the body is not JSON");
    }
    const parsed = RequestSchema.safeParse(form === "text" ? fromText(json) : json);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    return this.#refuse(400, `${issue?.path.join(".")}: ${issue?.message}`);
  }

  /** Applies the faults that occur before any answer; returns null for other faults. */
  async #strike(fault: Fault, signal: AbortSignal, connection: Connection | null): Promise<Response | null> {
    switch (fault.name) {
      case "429":
        return this.#refuse(429, "simulated fault: rate limit");
      case "429-retry-after":
        return this.#refuse(429, "simulated fault: rate limit", { "retry-after": String(fault.seconds) });
      case "500":
        return this.#refuse(500, "simulated fault: internal error");
      case "503":
      case "flapping":
        return this.#refuse(503, "simulated fault: unavailable");
      case "context-too-long":
        return this.#tooLong(this.#o.parameters.context_tokens_max + 1);
      case "reset":
        if (connection === null)
          return this.#refuse(501, "this runtime cannot reset a connection; use the Node runner");
        connection.reset();
        return new Response(null, { status: 500 });
      case "no-answer":
        while (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, HANG_TICK_MS));
        return new Response(null, { status: 500 });
      default:
        return null;
    }
  }

  #tooLong(tokens: number): Response {
    const contextTokensMax = this.#o.parameters.context_tokens_max;
    return this.#refuse(
      400,
      `the model's maximum context length is ${contextTokensMax} tokens, and this question needs ${tokens}`,
    );
  }

  /** Submits the question to the engine and returns the response. */
  #answer(
    question: SimulatedRequest,
    { form, number }: Posted,
    fault: Fault | null,
    signal: AbortSignal,
    connection: Connection | null,
  ): Response | Promise<Response> {
    const { engine, parameters } = this.#o;
    const prompt = promptOf(question);
    const room = parameters.context_tokens_max - prompt.tokens;
    const tokensMax = question.max_completion_tokens ?? question.max_tokens ?? room;
    if (tokensMax > room || room < 1) return this.#tooLong(prompt.tokens + tokensMax);
    const priority = question.priority ?? 0;
    if (priority !== 0 && !this.#o.priority_scheduling) return this.#refuse(400, "priority scheduling is off");
    if (engine.waiting >= this.#o.waiting_max) return this.#refuse(503, "the queue is full");
    const answer = this.#write(question, { text: prompt.text, tokensMax, number, form });
    const blocks = engine.instant ? [] : blockKeys(prompt.text, parameters.block_tokens);
    const submission = { prompt_tokens: prompt.tokens, blocks, output_tokens: answer.tokens, priority };
    const ticket = engine.submit(submission, question.rid ?? null);
    const wire = new Wire({
      answer,
      id: `${form === "text" ? "cmpl" : "chatcmpl"}-${number}`,
      created: Math.floor(Date.now() / 1000),
      model: simulatedName(question.model),
      form,
      field: this.#o.thinking_field,
      top_logprobs: question.logprobs ? (question.top_logprobs ?? 0) : null,
      prompt_tokens: prompt.tokens,
    });
    const { stream_tokens, keep_alive_ms } = this.#o;
    const withUsage = question.stream_options?.include_usage ?? false;
    const asked = { engine, ticket, answer, wire, fault, connection, signal };
    const job: StreamJob = { ...asked, stream_tokens, keep_alive_ms, withUsage };
    const gone = () => this.#gone(ticket);
    if (signal.aborted) gone();
    else signal.addEventListener("abort", gone, { once: true });
    return question.stream ? streamAnswer(job, gone) : this.#whole(job);
  }

  #write(question: SimulatedRequest, { text, tokensMax, number, form }: Writing): Answer {
    const sample = question.temperature === 0 ? "greedy" : (question.seed ?? `unseeded ${number}`);
    const seed = `${this.#o.seed} ${this.#o.model} ${sample}`;
    const { draw, tail } = this.#judge(question, text, seed);
    const offset = hashText("thought", seed, text.length)[0];
    const tags = form === "text" || this.#o.thinking_field === "content";
    return writeAnswer({ draw, tail, seed: offset, tokensMax, tags });
  }

  /**
   * Draws the verdict and writes it in the form of the preset or template. Other prompts get an answer
   * without a verdict.
   */
  #judge(question: SimulatedRequest, text: string, seed: string): { draw: Draw; tail: Tail } {
    const { noise } = this.#o;
    const rateOf = (code: string) => this.#rates.get(code.trim()) ?? passRateOf(code);
    const asked = readJudgePrompt(messagesOf(question), question.judge_template);
    if (asked !== null) {
      const shown = { question: asked.question, candidates: asked.candidates.map((code) => ({ code })) };
      const draw = drawVerdict(shown, noise, seed, rateOf);
      return { draw, tail: presetTail(asked, draw) };
    }
    const userMessage = userText(question);
    const start = userMessage.indexOf("[QUESTION]\n");
    const prompt = start < 0 ? null : parsePrompt(userMessage.slice(start));
    const draw = prompt === null ? unread(text, noise, seed) : drawVerdict(prompt, noise, seed, rateOf);
    return { draw, tail: templateTail(draw, prompt?.form ?? "exact_match") };
  }

  async #whole({ engine, ticket, wire, answer, fault, connection }: StreamJob): Promise<Response> {
    if (fault?.name === "slow-first-token") await new Promise((resolve) => setTimeout(resolve, fault.delay_ms));
    await engine.until(ticket, Number.POSITIVE_INFINITY);
    const filtered = fault?.name === "content-filter";
    const reason = ticket.state === "aborted" ? "abort" : filtered ? "content_filter" : answer.finish_reason;
    const text = wire.whole(reason, filtered ? Math.min(fault.after, ticket.generated) : ticket.generated);
    return new Response(fault === null ? text : brokenText(text, fault, connection), {
      headers: { "content-type": "application/json" },
    });
  }

  /** Called when the client has closed the connection. */
  #gone(ticket: Ticket): void {
    const { engine, disconnect_notice_ms } = this.#o;
    if (disconnect_notice_ms === 0) engine.abort(ticket);
    else setTimeout(() => engine.abort(ticket), disconnect_notice_ms);
  }
}

/** The draw for a prompt without a comparison: normal thinking and no box. */
function unread(text: string, noise: NoiseParameters, seed: string): Draw {
  const candidates = ["", "-"].map((code) => ({ code }));
  const draw = drawVerdict({ question: text, candidates }, noise, seed);
  return { ...draw, ending: "no_box" };
}
