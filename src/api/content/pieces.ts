// Finds the pieces of content in a client's value (message, item, document or row), each with its kind and
// path. How each kind is handled is decided in carriers.ts.
import { LIMITS } from "../../core/faults/limits.ts";
import { itemsOf } from "../../core/transcript/forms.ts";
import { imageAddress } from "../../core/transcript/images.ts";
import {
  type ContentKind,
  columnKind,
  isAside,
  isNothing,
  isRecord,
  isTextType,
  kindNamed,
} from "../../core/transcript/kinds.ts";
import { namesPolicy, namesResult, roleKind } from "../../core/transcript/roles.ts";
import { isThought, isThoughtField } from "../../core/transcript/thoughts.ts";

export type ContentPath = readonly (string | number)[];

export interface ContentPiece {
  path: ContentPath;
  kind: ContentKind;
  /** The client's name for this kind of content, for error messages. */
  what: string;
  /** Set for the pieces of a conversation that precede the judged run. */
  side?: "prompt";
  /** Set for an image that is embedded as a data URL. */
  inline?: true;
}
export type Pieces = Generator<ContentPiece, void>;

/** Elements of a list with their indices. Yields nothing for a list that is too long for validation. */
export function* elements(list: readonly unknown[]): Generator<[number, unknown]> {
  if (list.length <= LIMITS.response_items_max) yield* list.entries();
}

const NAME_CHARS = 48;
const piece = (path: ContentPath, kind: ContentKind, what: string): ContentPiece => ({
  path,
  kind,
  what: what.slice(0, NAME_CHARS),
});
const typeName = (type: unknown): string => (typeof type === "string" ? type : typeof type);

/** Pieces of a message's content, which is a string, a part, or a list of parts. */
export function* contentPieces(content: unknown, path: ContentPath): Pieces {
  if (typeof content === "string") yield piece(path, "text", "text");
  else if (Array.isArray(content)) for (const [i, part] of elements(content)) yield* partPieces(part, [...path, i]);
  else if (isRecord(content)) yield* partPieces(content, path);
}

function* partPieces(part: unknown, path: ContentPath): Pieces {
  if (!isRecord(part)) return;
  const { type } = part;
  if (isThought(part)) yield piece(path, "thought", "thought");
  else if (isTextType(type)) {
    yield piece(path, "text_parts", "a text part");
    yield* asidePieces(part, path, ["text"]);
  } else {
    const kind = kindNamed(typeName(type));
    const inline = imageAddress(part)?.startsWith("data:") === true;
    yield { ...piece(path, kind, typeName(type)), ...(inline && { inline }) };
    if (kind === "result_block" || kind === "unknown") yield* mediaWithin(part, path);
  }
}

const MEDIA_KINDS: ReadonlySet<ContentKind> = new Set(["image", "audio", "video", "file"]);
/** Media types that may occur anywhere inside a tool result. */
const MEDIA_TYPE =
  /^(?:(?:input|output)_)?(?:image|image_url|audio|video|video_url|file|document|media)$|screenshot|^inline_?data$/i;
const MEDIA_FIELD =
  /^(?:source|data|url|image_url|image|audio|input_audio|video_url|file|file_data|file_id|inline_?data)$/i;

/** Whether a field is Gemini's `inline_data` or `file_data`. */
const isInline = (name: string | number, held: unknown): boolean =>
  /^(?:inline|file)_?data$/i.test(`${name}`) && isRecord(held);

/** Media nested in a tool result, which a judge would see only as encoded bytes. */
function* mediaWithin(value: unknown, path: ContentPath, depth = 0): Pieces {
  if (depth > LIMITS.label_depth_max || typeof value !== "object" || value === null) return;
  if (isRecord(value)) {
    const { type } = value;
    const isMedia = typeof type === "string" && MEDIA_TYPE.test(type);
    if (isMedia && Object.keys(value).some((name) => MEDIA_FIELD.test(name)))
      return yield piece(path, kindNamed(type), type);
  }
  const fields: Iterable<[string | number, unknown]> = Array.isArray(value) ? elements(value) : Object.entries(value);
  for (const [name, held] of fields) {
    if (isInline(name, held)) yield piece([...path, name], kindNamed(`${name}`), `${name}`);
    else yield* mediaWithin(held, [...path, name], depth + 1);
  }
}

/** Content in fields of `value` other than metadata and those listed in `read`. */
function* asidePieces(value: Readonly<Record<string, unknown>>, path: ContentPath, read: readonly string[]): Pieces {
  for (const [name, held] of Object.entries(value)) {
    if (read.includes(name) || isNothing(held)) continue;
    if (isThoughtField(name)) yield piece([...path, name], "thought", name);
    else if (!isAside(name, held)) yield piece([...path, name], kindNamed(name), name);
  }
}

/** Pieces of a chat message, or of an item of OpenAI's Responses API. */
function* messagePieces(message: unknown, path: ContentPath): Pieces {
  if (!isRecord(message)) return;
  const { type, role, content } = message;
  if (roleKind(role) === null) yield piece([...path, "role"], "role", JSON.stringify(role));
  if (isThought(message)) return yield piece(path, "thought", "reasoning");
  if (type === "function_call_output") {
    yield piece(path, "tool_result", "function_call_output");
    yield* mediaPieces(message.output, [...path, "output"]);
    return yield* asidePieces(message, path, ["output"]);
  }
  if (type != null && type !== "message") {
    const kind = kindNamed(typeName(type));
    yield piece(path, kind, typeName(type));
    return yield* MEDIA_KINDS.has(kind) ? [] : mediaWithin(message, path);
  }
  if (namesResult(role) && !isNothing(content)) yield piece(path, "tool_result", `a result (role ${role})`);
  yield* contentPieces(content, [...path, "content"]);
  yield* asidePieces(message, path, ["content"]);
}

/** Pieces of a tool result. Of an object, which is shown as JSON, only media count as pieces. */
function* mediaPieces(output: unknown, path: ContentPath): Pieces {
  for (const part of contentPieces(output, path)) if (!isRecord(output)) yield part;
}

/** Pieces of a chat, which is a string or messages. */
export function* chatPieces(chat: unknown, path: ContentPath): Pieces {
  if (typeof chat === "string") yield piece(path, "text", "text");
  else if (Array.isArray(chat)) for (const [i, message] of elements(chat)) yield* messagePieces(message, [...path, i]);
  else yield* messagePieces(chat, path);
}

const speaks = (message: unknown): boolean =>
  isRecord(message) && (message.type == null || message.type === "message") && !isNothing(message.content);

const turnOf = (message: unknown): string =>
  `a turn of ${isRecord(message) && message.role != null ? message.role : "unknown role"}`;

const roleOf = (message: unknown): unknown => (isRecord(message) ? message.role : null);
const isOfRun = (message: unknown): boolean => namesPolicy(roleOf(message)) || namesResult(roleOf(message));

/**
 * Index at which the final run of a conversation begins. The run ends with the policy's last message and
 * consists of consecutive messages of the policy and of tools. Null without a message of the policy.
 */
export function runStart(chat: readonly unknown[]): number | null {
  const last = chat.findLastIndex((message) => namesPolicy(roleOf(message)));
  if (last < 0) return null;
  return 1 + chat.slice(0, last).findLastIndex((message) => !isOfRun(message));
}

/**
 * Pieces of a conversation that ends with a run. Messages before the run are the prompt; user or system turns
 * after the start of the run are refused.
 */
export function* conversationPieces(chat: unknown, path: ContentPath): Pieces {
  if (!Array.isArray(chat)) return;
  const first = runStart(chat) ?? 0;
  for (const found of chatPieces(chat, path)) {
    yield (found.path[path.length] as number) < first ? { ...found, side: "prompt" } : found;
  }
  for (const [i, message] of elements(chat)) {
    if (i > first && !isOfRun(message) && speaks(message)) yield piece([...path, i], "turns", turnOf(message));
  }
}

/** Pieces of a response's output items, of which only the last message is judged. */
export function* outputPieces(items: unknown, path: ContentPath): Pieces {
  if (!Array.isArray(items)) return;
  // If a thought follows a message, another turn has started, so the message is not judged.
  const last = items.findLastIndex((item) => !isRecord(item) || item.type !== "message" || !isNothing(item.content));
  for (const [i, item] of elements(items)) {
    if (isRecord(item) && item.type == null && !isNothing(item))
      yield piece([...path, i], "unknown", "an item without a type");
    else yield* messagePieces(item, [...path, i]);
    const isPolicy = isRecord(item) && roleKind(item.role) === "own";
    if (speaks(item) && (i !== last || !isPolicy)) yield piece([...path, i], "turns", turnOf(item));
  }
}

/** Pieces of a response's input items. */
export function* inputPieces(input: unknown, path: ContentPath): Pieces {
  yield* chatPieces(input, path);
  if (!Array.isArray(input)) return;
  for (const [i, item] of elements(input)) {
    const named = isRecord(item) && (typeof item.role === "string" || (item.type != null && item.type !== "message"));
    if (!named && !isNothing(item)) yield piece([...path, i], "unknown", "an item without a role");
  }
}

/** Pieces of a text field. An object in place of a string is examined as content, so that it is reported. */
export function* textPieces(value: unknown, path: ContentPath): Pieces {
  if (typeof value === "string") yield piece(path, "text", "text");
  else if (Array.isArray(value)) for (const [i, element] of elements(value)) yield* textPieces(element, [...path, i]);
  else if (isRecord(value)) {
    if ("content" in value || "role" in value) yield* messagePieces(value, path);
    else if ("type" in value || "text" in value) yield* partPieces(value, path);
    else yield* rowPieces(value, path);
    if (!isNothing(value)) yield piece(path, "text_parts", "an object in the place of a text");
  }
}

/**
 * Pieces of a document, which is a string or an object.
 * @param fields names of the fields to show; null: `text`, or if that is empty, `content`, which may be a
 *   list of parts
 */
export function* documentPieces(document: unknown, path: ContentPath, fields: readonly string[] | null): Pieces {
  if (typeof document === "string") yield piece(path, "text", "text");
  if (!isRecord(document)) return;
  const read = fields ?? [isNothing(document.text) ? "content" : "text"];
  for (const [name, held] of Object.entries(document)) {
    const at = [...path, name];
    const isObject = typeof held === "object";
    const isRead = read.includes(name);
    if (isNothing(held) || (isRead && !isObject)) continue;
    const kind = columnKind(name);
    if (kind !== null) yield piece(at, kind, name);
    else if (isRead && fields === null && name === "content") yield* contentPieces(held, at);
    else if (isRead) yield piece(at, kindNamed(name), name);
    else if (isObject && PARTS.has(name)) {
      yield* contentPieces(held, at);
      yield piece(at, "unknown", name);
    }
  }
}

/** Names of fields that may contain a list of content parts. */
const PARTS: ReadonlySet<string> = new Set(["content", "contents", "parts", "messages"]);

/** Pieces in the fields of a row or body whose names suggest content, except fields in `read`. */
export function* rowPieces(row: unknown, path: ContentPath, read: readonly string[] = []): Pieces {
  if (!isRecord(row)) return;
  for (const [name, held] of Object.entries(row)) {
    const kind = read.includes(name) ? null : columnKind(name);
    if (kind !== null && !isNothing(held)) yield piece([...path, name], kind, name);
  }
}

/** Pieces of a rollout as in the body of /v1/rewards. */
export function* rolloutPieces(rollout: unknown, path: ContentPath): Pieces {
  if (!isRecord(rollout)) return;
  for (const { item, path: at } of itemsOf(rollout.messages)) yield* messagePieces(item, [...path, "messages", ...at]);
}
