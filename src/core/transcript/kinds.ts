// Classifies content in requests from other tools by the names that they use for types and fields.

// Classifies content in requests from other tools by the names that they use for types and fields.

/**
 * Kinds of content other than plain text that a request may contain. Used in the docs and in error messages.
 */
export const KINDS = {
  text: "a text",
  text_parts: "parts of type `text`, `input_text`, `output_text`",
  thought: "thoughts: `reasoning_content`, `reasoning`, `thinking` blocks, `reasoning` items",
  turns: "turns in addition to the judged one",
  tool_result: "tool results as text: roles `tool` and `function`, `function_call_output` items",
  result_block:
    "tool results as blocks: `tool_result`, `functionResponse`, `codeExecutionResult`, outputs of hosted tools",
  tool_call:
    "tool calls: `tool_calls`, `function_call`, `tool_use`, `functionCall`, `executableCode`, items of hosted tools",
  image: "images",
  audio: "audio",
  video: "video",
  file: "files and documents",
  refusal: "`refusal`",
  unknown: "unknown parts, items and fields",
  role: "messages with an unknown role, in a rollout",
  tools: "tool definitions (`tools`, `functions`)",
} as const;

export type ContentKind = keyof typeof KINDS;

const TEXT_TYPES = new Set(["text", "input_text", "output_text"]);

/**
 * Metadata fields of a message, such as its origin, time and training weight, which are irrelevant to a
 * judge.
 */
const ABOUT_FIELDS = new Set([
  ...["type", "role", "id", "name", "index", "status", "phase", "object", "model", "tool_call_id", "call_id"],
  ...["weight", "loss", "loss_scale", "train", "mask", "created", "created_at", "timestamp", "date"],
  ...["finish_reason", "stop_reason", "language", "lang", "turn", "turn_id", "turn_identifier"],
  ...["state", "country", "hashed_ip", "source", "model_name", "reasoning_effort", "signature"],
]);

const ABOUT_OBJECTS = new Set([
  "metadata",
  "usage",
  "metrics",
  "logprobs",
  "cache_control",
  "routed_experts",
  "header",
]);

/** Patterns that map the name of a type or field to a kind. The first match wins. */
const NAMES: readonly (readonly [ContentKind, RegExp])[] = [
  [
    "result_block",
    /tool_?(result|response|output)|(call|function|execution|custom_tool_call)_?(output|result|response)/i,
  ],
  ["tool_call", /tool|call|function|computer|code_interpreter|executable|shell|mcp/i],
  ["image", /image|pixel|picture|photo|screenshot|media|multi_?modal|inline_?data/i],
  ["audio", /audio|speech|voice/i],
  ["video", /video/i],
  ["file", /file|document|attachment|pdf/i],
  ["refusal", /refus/i],
];

const MEDIA: ReadonlySet<ContentKind> = new Set(["image", "audio", "video", "file"]);

export type ForeignFields = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is ForeignFields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isTextType = (type: unknown): boolean =>
  type == null || (typeof type === "string" && TEXT_TYPES.has(type));

/** The kind that fits the name of a type or field. */
export const kindNamed = (name: string): ContentKind => NAMES.find(([, words]) => words.test(name))?.[0] ?? "unknown";

/** Values that are nested more deeply than this count as content. */
const DEPTH_MAX = 8;

/** Whether a value has no content: null, "", false, or arrays and objects that contain only such values. */
export function isNothing(value: unknown, depth = 0): boolean {
  if (value === undefined || value === null || value === "" || value === false) return true;
  if (typeof value !== "object") return false;
  return depth < DEPTH_MAX && Object.values(value).every((field) => isNothing(field, depth + 1));
}

/**
 * Whether a field next to the content may be dropped silently because it is empty, a number, a flag, an array
 * of numbers such as token ids, or metadata of the message.
 */
export function isAside(name: string, value: unknown): boolean {
  if (isNothing(value) || typeof value === "number" || typeof value === "boolean") return true;
  if (ABOUT_OBJECTS.has(name) || (ABOUT_FIELDS.has(name) && typeof value === "string")) return true;
  return Array.isArray(value) && !MEDIA.has(kindNamed(name)) && value.every((element) => typeof element === "number");
}

/** Columns and fields of a row that contain content other than text. */
const ROW_CONTENT =
  /^(images?|image_urls?|videos?|video_urls?|audios?|audio_urls?|pixel_values|pdf|multi_?modal_(data|inputs?)|attachments|(input|output)_(images?|files?|audio)|tool_calls|tool_results|function_call|previous_response_id)$/i;

/** The kind of content in a field of a row; null for an ordinary column. */
export const columnKind = (name: string): ContentKind | null =>
  name === "tools" || name === "functions" ? "tools" : ROW_CONTENT.test(name) ? kindNamed(name) : null;
