// Paths, request bodies and replies of the APIs of scalar models, by name.

/** The text to score: a whole conversation, cut where the candidate begins. */
export interface ScalarText {
  /** The text before the candidate. */
  head: string;
  /** The candidate, and the text after it. */
  tail: string;
  /** Number of steps, for a solution in steps. */
  steps?: number;
}

/** A model's number for a text, or one number per step; null if the reply has neither. */
export type ScalarValue = number | readonly number[] | null;

export interface ScalarSettings {
  model?: string | undefined;
  /**
   * The label whose number counts: its index, or its name if the API names labels; default: the last label.
   */
  label?: number | string | undefined;
  /** Token ids of yes and no, for APIs that compare two tokens. */
  yes?: number | undefined;
  no?: number | undefined;
}

export interface ScalarApi {
  /** Path below the server's base URL without `/v1`. */
  path: string;
  /**
   * The API compares the tokens `yes` and `no` after each text; one request holds the texts of one question.
   */
  compares?: true;
  /** The API returns a list per text, with one probability per step. */
  per_step?: true;
  body(texts: readonly ScalarText[], settings: ScalarSettings): unknown;
  /**
   * Returns a number, or a list of numbers, per text in their order; entries without a number may have any
   * value. Throws if the reply has another shape.
   */
  read(reply: unknown, settings: ScalarSettings): readonly unknown[];
}

// biome-ignore lint/suspicious/noExplicitAny: its API's shape; another throws
type ScalarReply = any;

const whole = ({ head, tail }: ScalarText) => head + tail;
const inputs = (texts: readonly ScalarText[]) => texts.map(whole);
/** Sorts the entries of a reply into the order of the request. */
const byIndex = (list: ScalarReply): ScalarReply[] => [...list].sort((a, b) => a.index - b.index);
const labelled = (numbers: ScalarReply, { label = -1 }: ScalarSettings): unknown => numbers.at(Number(label));

/** Returns the innermost list of numbers; among rows, the last one. */
function lastRow(data: ScalarReply): ScalarReply {
  return Array.isArray(data) && Array.isArray(data.at(-1)) ? lastRow(data.at(-1)) : data;
}

/** Returns the label's number from the row of each step; rows may be single numbers. */
const ofSteps = (rows: ScalarReply, settings: ScalarSettings): unknown =>
  Array.isArray(rows) ? rows.map((row) => (Array.isArray(row) ? labelled(row, settings) : row)) : null;

/** Probability of yes relative to yes and no. */
const shareOf = ([yes, no]: ScalarReply): unknown => yes / (yes + no);

const compared = (texts: readonly ScalarText[], { model, yes, no }: ScalarSettings) => ({
  model,
  query: texts[0]?.head ?? "",
  items: texts.map(({ tail }) => tail),
  label_token_ids: [yes, no],
});

export const SCALAR_APIS = {
  /** vLLM's classification models; `use_activation: false` asks the head for logits. */
  "vllm-classify": {
    path: "/classify",
    body: (texts, { model }) => ({ model, input: inputs(texts), use_activation: false }),
    read: ({ data }: ScalarReply, settings) => byIndex(data).map(({ probs }) => labelled(probs, settings)),
  },
  /** vLLM's pooled outputs. */
  "vllm-pooling": {
    path: "/pooling",
    body: (texts, { model }) => ({ model, input: inputs(texts), use_activation: false }),
    read: ({ data }: ScalarReply, settings) => byIndex(data).map(({ data }) => labelled(lastRow(data), settings)),
  },
  /** vLLM's process reward models: outputs at each step's tag, as probabilities. */
  "vllm-prm": {
    path: "/pooling",
    per_step: true,
    body: (texts, { model }) => ({ model, input: inputs(texts), task: "token_classify", use_activation: true }),
    read: ({ data }: ScalarReply, settings) => byIndex(data).map(({ data }) => ofSteps(data, settings)),
  },
  /** SGLang's reward models (`--is-embedding`). */
  "sglang-classify": {
    path: "/classify",
    body: (texts, { model }) => ({ model, text: inputs(texts) }),
    read: (reply: ScalarReply, settings) =>
      (Array.isArray(reply) ? reply : [reply]).map(({ embedding }) => labelled(lastRow(embedding), settings)),
  },
  /** text-embeddings-inference's sequence classification: a list of labels per text, best first. */
  "tei-predict": {
    path: "/predict",
    body: (texts) => ({ inputs: inputs(texts).map((text) => [text]), raw_scores: true, truncate: false }),
    read: (reply: ScalarReply, { label }) =>
      reply.map((labels: ScalarReply) =>
        label === undefined && labels.length === 1
          ? labels[0].score
          : labels.find((candidate: ScalarReply) => candidate.label === label)?.score,
      ),
  },
  /** vLLM's generative scoring: compares two tokens after each text, without generating. */
  "vllm-generative": {
    path: "/generative_scoring",
    compares: true,
    body: compared,
    read: ({ data }: ScalarReply) => byIndex(data).map(({ score }) => score),
  },
  /** SGLang's scoring: compares two tokens after each text, without generating. */
  "sglang-score": {
    path: "/v1/score",
    compares: true,
    body: (texts, settings) => ({ ...compared(texts, settings), apply_softmax: true }),
    read: ({ scores }: ScalarReply) => scores.map(shareOf),
  },
} as const satisfies Record<string, ScalarApi>;

export type ScalarApiName = keyof typeof SCALAR_APIS;
export const SCALAR_API_NAMES = Object.keys(SCALAR_APIS) as [ScalarApiName, ...ScalarApiName[]];

/** Reads the numbers of a reply to `count` texts; null if the reply has another shape. */
export function scalarsIn(api: ScalarApi, text: string, count: number, settings: ScalarSettings): number[] | null {
  try {
    const numbers = api.read(JSON.parse(text), settings);
    return numbers.length === count && numbers.every(Number.isFinite) ? (numbers as number[]) : null;
  } catch {
    return null;
  }
}

const isProbability = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= 1;

/**
 * Reads one probability per step of each text, given the number of steps per text. Returns null for a text
 * whose steps do not match, and null instead of the list for a reply with another number of texts.
 */
export function stepScoresIn(
  api: ScalarApi,
  text: string,
  counts: readonly number[],
  settings: ScalarSettings,
): (number[] | null)[] | null {
  try {
    const lists = api.read(JSON.parse(text), settings);
    if (lists.length !== counts.length) return null;
    return lists.map((list, i) =>
      Array.isArray(list) && list.length === counts[i] && list.every(isProbability) ? list : null,
    );
  } catch {
    return null;
  }
}
