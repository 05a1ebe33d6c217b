// Paths, request bodies and replies of the APIs of scalar models, by name.

/** The text that is scored: a whole conversation, split where the candidate begins. */
export interface ScalarText {
  /** The part before the candidate. */
  head: string;
  /** The candidate and everything after it. */
  tail: string;
  /** Number of steps, if the candidate is a solution in steps. */
  steps?: number;
}

/** A model's score for a text, or one score per step; null if the reply has neither. */
export type ScalarValue = number | readonly number[] | null;

export interface ScalarSettings {
  model?: string | undefined;
  /**
   * The label whose score is used: its index, or its name if the API names labels. Default: the last label.
   */
  label?: number | string | undefined;
  /** Token ids of yes and no, for APIs that compare two tokens. */
  yes?: number | undefined;
  no?: number | undefined;
}

export interface ScalarApi {
  /** Path below the server's base URL, without `/v1`. */
  path: string;
  /**
   * If set, the API compares the tokens `yes` and `no` after each text, and all texts of a request must
   * belong to the same question.
   */
  compares?: true;
  /** If set, the API returns a list for each text, with one probability per step. */
  per_step?: true;
  body(texts: readonly ScalarText[], settings: ScalarSettings): unknown;
  /**
   * Returns a number or a list of numbers for each text, in order. Entries without a number may have any
   * value. Throws if the reply has a different shape.
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

/** Returns the innermost list of numbers, and the last one if there are several rows. */
function lastRow(data: ScalarReply): ScalarReply {
  return Array.isArray(data) && Array.isArray(data.at(-1)) ? lastRow(data.at(-1)) : data;
}

/** Returns the label's number for each step. A row may be a single number. */
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
  /** vLLM's classification models. `use_activation: false` asks for logits. */
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
  /** vLLM's process reward models: outputs at the tag of each step, as probabilities. */
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
  /** Sequence classification with text-embeddings-inference: a list of labels for each text, best first. */
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

/**
 * Reads the scores from the reply to a request with `count` texts; returns null if the reply has a different
 * shape.
 */
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
 * Reads one probability per step of each text. `counts` is the number of steps of each text. An entry is null
 * if the number of probabilities does not match the number of steps. Returns null if the reply has a
 * different number of texts.
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
