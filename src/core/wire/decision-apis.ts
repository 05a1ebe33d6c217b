// Request and reply formats of the APIs of decision models, by name. Only the probabilities of a reply are
// used, never the option that it names.
import * as z from "zod";

/** A choice between options, or a score on levels, about the state in the request. */
export interface DecisionQuestion {
  /** May contain letters, digits, `_`, `.` and `-`. */
  id: string;
  instructions: string;
  options: readonly string[];
  /** Descriptions of a score's levels, lowest first; `options` are then the numbers from 0. */
  levels?: readonly string[];
}

/** A reply's answer to one question: a probability for each option, not yet validated. */
interface RawDecision {
  probabilities: Readonly<Record<string, unknown>>;
  /** Total probability of the options; 1 if the reply does not contain it. */
  coverage: number;
}

export interface DecisionReply {
  /**
   * Answers by question id. The value is null if the model refused the question; the id is missing if the
   * reply has no answer.
   */
  answers: ReadonlyMap<string, RawDecision | null>;
  /** Number of input tokens of the whole request; null if the reply does not contain it. */
  input_tokens: number | null;
  model: string | null;
}

export interface DecisionApi {
  /** Path below the configured URL if `bare` is set, otherwise below `/v1`. */
  path(model: string): string;
  /** If set, `/v1` is not appended to the configured URL. */
  bare?: true;
  questions_max: number;
  /** Maximum number of tokens of state and questions that the model reads without truncation. */
  state_tokens: number;
  /**
   * Maximum number of images in a request. Omitted if servers of the API expect images in different fields and
   * ignore unknown ones.
   */
  images_max?: number;
  /** @param images data URLs, which the model is shown before the state */
  body(state: string, questions: readonly DecisionQuestion[], model: string, images?: readonly string[]): unknown;
  /** @throws if the reply has a different shape */
  read(reply: unknown): DecisionReply;
}

const tokens = z.number().int().min(0).nullish();
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** Checked in place: a schema that copies each of a reply's numbers would cost more CPU than the request. */
const numbers = z.custom<Record<string, unknown>>(isRecord);
const answersOf = z.custom<Record<string, { probabilities?: Record<string, unknown> }>>(
  (answers) =>
    isRecord(answers) &&
    Object.values(answers).every(
      (answer) => isRecord(answer) && (answer.probabilities === undefined || isRecord(answer.probabilities)),
    ),
);
const mass = z.number().min(0).max(1.001);

const SystemOneReply = z.object({
  model: z.string().max(256).nullish(),
  answers: answersOf,
  usage: z.object({ input_tokens: tokens }).nullish(),
  /** vLLM sends this field. */
  diagnostics: z.record(z.string(), z.object({ label_mass: mass.optional() })).nullish(),
});

function readSystemOne(reply: unknown): DecisionReply {
  const { model = null, answers, usage, diagnostics } = SystemOneReply.parse(reply);
  const entries = Object.entries(answers).flatMap(([id, { probabilities }]) =>
    probabilities === undefined ? [] : [[id, { probabilities, coverage: diagnostics?.[id]?.label_mass ?? 1 }] as const],
  );
  return { answers: new Map(entries), input_tokens: usage?.input_tokens ?? null, model };
}

const systemOneBody = (state: string, questions: readonly DecisionQuestion[], model: string) => ({
  model,
  state,
  questions: Object.fromEntries(
    questions.map(({ id, instructions, options, levels }) => [
      id,
      levels === undefined
        ? { type: "choice", instructions, criteria: Object.fromEntries(options.map((name) => [name, null])) }
        : { type: "score", instructions, criteria: levels },
    ]),
  ),
});

/** A message with images. vLLM refuses it, because its decisions take only text. */
const openAiMessage = (state: string, images: readonly string[]) => ({
  role: "user",
  content: [...images.map((image_url) => ({ type: "input_image", image_url })), { type: "input_text", text: state }],
});

const OpenAiReply = z.object({
  model: z.string().max(256).nullish(),
  answers: z.array(
    z.union([
      z.object({ type: z.literal("refusal"), name: z.string() }),
      z.object({
        name: z.string(),
        probabilities: z.array(
          z.object({ value: z.union([z.string(), z.boolean(), z.int()]), probability: z.unknown() }),
        ),
      }),
      z.unknown(),
    ]),
  ),
  usage: z.object({ input_tokens: tokens }).nullish(),
});

const SglangReply = z.object({
  model: z.string().max(256).nullish(),
  answers: z.record(z.string(), z.object({ probabilities: numbers.optional(), label_mass: mass.optional() })),
  usage: z.object({ prompt_tokens: tokens }).nullish(),
});

const WorkersReply = z.object({ result: z.unknown() });

/** The name of a model without the path of the model catalogue. */
const nameOf = (model: string): string => model.slice(model.lastIndexOf("/") + 1);

export const DECISION_APIS = {
  /**
   * System One: TypeSafe's Jev, and Clef on vLLM and SGLang. Clef reads 16,384 tokens and truncates the rest.
   * Without images: Jev expects them in `assets`, the engines in `images`, and each ignores the other field.
   */
  systemone: {
    path: () => "/systemone",
    questions_max: 64,
    state_tokens: 16_000,
    body: systemOneBody,
    read: readSystemOne,
  },
  /** OpenAI's API, and vLLM's API of the same shape, which accepts 64 questions. */
  openai: {
    path: () => "/decisions",
    questions_max: 64,
    state_tokens: 60_000,
    images_max: 128,
    body: (state, questions, model, images = []) => ({
      model,
      input: images.length === 0 ? state : [openAiMessage(state, images)],
      questions: questions.map(({ id, instructions, options, levels }) => ({
        ...{ name: id, instructions },
        ...(levels === undefined
          ? { type: "choice", choices: options.map((value) => ({ value })) }
          : { type: "score", levels: levels.map((label) => ({ label })) }),
      })),
    }),
    read(reply) {
      const { model = null, answers, usage } = OpenAiReply.parse(reply);
      const read = new Map<string, RawDecision | null>();
      for (const answer of answers) {
        if (answer === null || typeof answer !== "object" || !("name" in answer)) continue;
        const name = String(answer.name);
        if ("type" in answer && answer.type === "refusal") read.set(name, null);
        else if ("probabilities" in answer && Array.isArray(answer.probabilities)) {
          const given = answer.probabilities as { value: unknown; probability: unknown }[];
          // A list that contains the same value twice is malformed.
          const twice = new Set(given.map(({ value }) => String(value))).size < given.length;
          const all = given.map(({ value, probability }) => [String(value), probability] as const);
          if (!twice) read.set(name, { probabilities: Object.fromEntries(all), coverage: 1 });
        }
      }
      return { answers: read, input_tokens: usage?.input_tokens ?? null, model };
    },
  },
  /** SGLang's format for chat models: the server builds a prompt from each question. */
  sglang: {
    path: () => "/decisions",
    questions_max: 64,
    state_tokens: 30_000,
    images_max: 128,
    body: (state, questions, model, images = []) => ({
      model,
      input: state,
      ...(images.length > 0 && { images: images.map((url) => ({ url })) }),
      questions: questions.map(({ id, instructions, options, levels }) => ({
        ...{ id, question: instructions },
        ...(levels === undefined
          ? { type: "choice", options: options.map((name) => ({ name })) }
          : { type: "score", levels }),
      })),
    }),
    read(reply) {
      const { model = null, answers, usage } = SglangReply.parse(reply);
      const entries = Object.entries(answers).flatMap(([id, { probabilities, label_mass = 1 }]) =>
        probabilities === undefined ? [] : [[id, { probabilities, coverage: label_mass }] as const],
      );
      // SGLang counts the state once per question.
      const all = usage?.prompt_tokens ?? null;
      const input_tokens = all === null ? null : Math.ceil(all / Math.max(1, entries.length));
      return { answers: new Map(entries), input_tokens, model };
    },
  },
  /** Cloudflare Workers AI through its REST API. The URL ends with `/accounts/ID/ai`. */
  "workers-ai": {
    path: (model) => `/run/${model}`,
    bare: true,
    questions_max: 64,
    state_tokens: 60_000,
    images_max: 4,
    body: (state, questions, model, images = []) => ({
      ...systemOneBody(state, questions, nameOf(model)),
      ...(images.length > 0 && { images }),
    }),
    read: (reply) => readSystemOne(WorkersReply.parse(reply).result),
  },
} as const satisfies Record<string, DecisionApi>;

export type DecisionApiName = keyof typeof DECISION_APIS;
export const DECISION_API_NAMES = Object.keys(DECISION_APIS) as [DecisionApiName, ...DecisionApiName[]];

/** Number of digits after the decimal point. */
function decimalsOf(value: number): number {
  const text = String(value);
  const point = text.indexOf(".");
  if (text.includes("e")) return 17;
  return point === -1 ? 0 : text.length - point - 1;
}

/** Tolerance for rounding errors of the summation. */
const SUM_SLACK = 1e-9;
/** Lower and upper bound of the rounding error that is allowed in the sum of the probabilities. */
const SLACK = [0.001, 0.15] as const;

/**
 * Returns a share for each option; the shares sum to 1. Returns null if options are missing or unknown, if a
 * value is outside 0 to 1, or if the sum is off by more than rounding allows. Values of 0 and 1 are taken to
 * be rounded, so they are moved by half a unit of the last decimal.
 */
export function sharesOf({ probabilities }: RawDecision, options: readonly string[]): number[] | null {
  if (Object.keys(probabilities).length !== options.length) return null;
  const values = options.map((name) => (Object.hasOwn(probabilities, name) ? probabilities[name] : undefined));
  if (!values.every((value): value is number => typeof value === "number" && value >= 0 && value <= 1)) return null;
  const half = 0.5 * 10 ** -Math.min(17, Math.max(...values.map(decimalsOf)));
  const sum = values.reduce((total, value) => total + value, 0);
  const slack = Math.min(SLACK[1], Math.max(SLACK[0], options.length * half));
  if (!(sum > 0) || Math.abs(sum - 1) > slack + SUM_SLACK) return null;
  const bound = Math.min(half, 0.5 / options.length);
  const within = values.map((value) => Math.min(1 - bound, Math.max(bound, value)));
  const total = within.reduce((all, value) => all + value, 0);
  return within.map((value) => value / total);
}
