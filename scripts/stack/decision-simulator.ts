// Simulates a decision model: reads the labelled answers in a state and returns probabilities by their
// strength, in every API of the backend. For `npm start` without a model, and for tests.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { unescapeText } from "../../src/core/judges/escape/escape.ts";

/** Deliberate faults; all off by default. */
export interface DecisionFaults {
  /** Added to the strength of the first of two answers. */
  place_bias?: number;
  /**
   * Added to the first answer's strength in requests with more than one pair: questions influence each other.
   */
  pull?: number;
  /** Share of the state that the model reads, from the beginning; the rest is ignored silently. */
  reads?: number;
  /** Number of tokens that the model reads, at four characters each; the rest is ignored silently. */
  reads_tokens?: number;
  /** Decimals of the probabilities. */
  decimals?: number;
  /** Whether the model refuses a question, by its instructions. */
  refuses?: (question: string) => boolean;
  /** An error reply for a state, or null. */
  status?: (state: string) => { status: number; body: unknown; headers?: Record<string, string> } | null;
  /** Changes a reply before it is sent. */
  spoils?: (reply: Record<string, unknown>, state: string) => unknown;
}

export interface DecisionSimulator {
  url: string;
  /** The states received, in order. */
  states: string[];
  /** The number of questions in each request. */
  questions: number[];
  /** The images of each request, as data URLs. */
  images: string[][];
  faults: DecisionFaults;
  close(): Promise<void>;
}

interface Asked {
  id: string;
  instructions: string;
  options: string[];
  /** Descriptions of a score's levels; null for a choice. */
  levels: string[] | null;
}

// biome-ignore lint/suspicious/noExplicitAny: four APIs' shapes
type Body = any;

const fromMap = (questions: Body): Asked[] =>
  Object.entries(questions).map(([id, question]) => {
    const { type, instructions, criteria } = question as Body;
    return { id, instructions, options: Object.keys(criteria), levels: type === "score" ? criteria : null };
  });

/** The questions of a request. OpenAI's questions have `choices`, SGLang's have `options`; both have `levels`. */
function askedIn({ questions }: Body): Asked[] {
  if (!Array.isArray(questions)) return fromMap(questions);
  return questions.map(({ id, name, instructions, question, choices, options, levels = null }: Body) => {
    const named = choices?.map(({ value }: Body) => value) ?? options?.map(({ name: option }: Body) => option);
    const texts = levels?.map((level: Body) => level.label ?? level) ?? null;
    return {
      ...{ id: id ?? name, instructions: instructions ?? question, levels: texts },
      options: (named ?? Object.keys(levels)) as string[],
    };
  });
}

/** The state of a request: a string, or for OpenAI's API a message with text after images. */
const stateOf = ({ state, input }: Body): string =>
  state ?? (typeof input === "string" ? input : input[0].content.at(-1).text);

/** The images of a request as data URLs. */
const imagesOf = ({ images = [], input }: Body): string[] =>
  Array.isArray(input)
    ? input[0].content.flatMap(({ image_url }: Body) => image_url ?? [])
    : images.map((image: Body) => image.url ?? image);

const BLOCK = /^\[ANSWER_([A-Z])\]\n([\s\S]*?)\n\[\/ANSWER_\1\]$/gm;
const CHECK = /\nCHECK WORD: (\w+)\n?$/;
/** The number of a check word of the daily probe, in a question's instructions. */
const NUMBERED = /CHECK WORD (\d+)/;

function checkWord({ instructions }: Asked, state: string): string | undefined {
  const number = NUMBERED.exec(instructions)?.[1];
  return (number === undefined ? CHECK : new RegExp(`^CHECK WORD ${number}: (\\w+)$`, "m")).exec(state)?.[1];
}

/** Probabilities of 0 to n successes in n trials: the expected share of successes is `p`. */
function binomial(n: number, p: number): number[] {
  let ways = 1;
  return Array.from({ length: n + 1 }, (_, k) => {
    if (k > 0) ways = (ways * (n - k + 1)) / k;
    return ways * p ** k * (1 - p) ** (n - k);
  });
}

/**
 * Probabilities of a question's options, given the strength of each answer.
 * @param first log-odds for the first place
 */
function decide(asked: Asked, state: string, strengths: ReadonlyMap<string, number>, first: number): number[] {
  const { options, levels } = asked;
  if (levels !== null) return binomial(levels.length - 1, 1 / (1 + Math.exp(-(strengths.get(asked.id) ?? 0))));
  const word = checkWord(asked, state);
  if (options.includes(word ?? "") || !options.every((option) => strengths.has(option))) {
    const known = options.map((option) => (option === word ? 0.979 : 0.003));
    return word === undefined ? options.map(() => 1 / options.length) : known;
  }
  const biased = options.map((option, i) => (strengths.get(option) ?? 0) + (i === 0 ? first : 0));
  const top = Math.max(...biased);
  const weights = biased.map((strength) => Math.exp(strength - top));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

interface Answered extends Asked {
  shares: number[];
  refused: boolean;
  best: string;
}

/** The reply in the format of the request's API. */
function replyOf(
  path: string,
  { questions }: Body,
  { model, answers, input_tokens }: { model: string; answers: readonly Answered[]; input_tokens: number },
): unknown {
  if (Array.isArray(questions) && "name" in (questions[0] ?? {})) {
    const list = answers.map(({ id, options, levels, shares, refused, best }) => {
      if (refused) return { type: "refusal", name: id };
      const confidence = Math.max(...shares);
      if (levels !== null) {
        const rated = levels.map((label, value) => ({ value, label, probability: shares[value] }));
        return { type: "score", name: id, score: Number(best), confidence, probabilities: rated };
      }
      const probabilities = options.map((value, i) => ({ value, probability: shares[i] }));
      return { type: "choice", name: id, choice: best, confidence, probabilities };
    });
    return { model, answers: list, usage: { input_tokens, output_tokens: 0, total_tokens: input_tokens } };
  }
  const map = Object.fromEntries(
    answers
      .filter(({ refused }) => !refused)
      .map(({ id, options, levels, shares, best }) => {
        const probabilities = Object.fromEntries(options.map((name, i) => [name, shares[i]]));
        if (levels === null) return [id, { type: "choice", choice: best, probabilities }];
        return [id, { type: "score", score: Number(best), legend: { ...levels }, probabilities }];
      }),
  );
  if (Array.isArray(questions)) {
    const usage = { prompt_tokens: input_tokens * answers.length };
    return { answers: map, prompt_format_version: 1, usage, model };
  }
  const reply = { model, answers: map, usage: { input_tokens, output_tokens: 0 } };
  return path.includes("/run/") ? { result: reply, success: true, errors: [], messages: [] } : reply;
}

/**
 * Listens on a free loopback port.
 * @param strengthOf the strength of an answer's text, on a logistic scale
 */
export async function startDecisionSimulator(
  strengthOf: (text: string) => number,
  model: string,
  faults: DecisionFaults = {},
): Promise<DecisionSimulator> {
  const records: Pick<DecisionSimulator, "states" | "questions" | "images"> = { states: [], questions: [], images: [] };
  const simulator = { ...records, faults };

  function answer(path: string, body: Body): unknown {
    const state = stateOf(body);
    const asked = askedIn(body);
    simulator.states.push(state);
    simulator.questions.push(asked.length);
    simulator.images.push(imagesOf(body));
    const { reads = 1, reads_tokens = Number.POSITIVE_INFINITY } = faults;
    const read = state.slice(0, Math.min(Math.ceil(state.length * reads), reads_tokens * 4));
    const strengths = new Map(
      [...read.matchAll(BLOCK)].map(([, letter = "", text = ""]) => [letter, strengthOf(unescapeText(text))]),
    );
    const shown = (value: number) => (faults.decimals === undefined ? value : Number(value.toFixed(faults.decimals)));
    const input_tokens = Math.ceil(read.length / 4);
    const refused = ({ instructions }: Asked) => faults.refuses?.(instructions) === true;
    // Two questions are one pair and the check.
    const first = (faults.place_bias ?? 0) + (asked.length > 2 ? (faults.pull ?? 0) : 0);
    const answers = asked.flatMap((question): Answered[] => {
      const shares = decide(question, read, strengths, first).map(shown);
      return [
        {
          ...question,
          shares,
          refused: refused(question),
          best: question.options[shares.indexOf(Math.max(...shares))] ?? "",
        },
      ];
    });
    return replyOf(path, body, { model, answers, input_tokens });
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await textOf(request)) as Body;
    const failed = faults.status?.(stateOf(body)) ?? null;
    const send = (status: number, sent: unknown, headers = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(sent));
    if (failed !== null) return void send(failed.status, failed.body, failed.headers);
    const reply = answer(request.url ?? "", body) as Record<string, unknown>;
    send(200, faults.spoils?.(reply, stateOf(body)) ?? reply);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.writeHead(422).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(simulator, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
