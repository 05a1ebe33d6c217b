// Parses a message or item into parts: OpenAI's chat and Responses formats, Anthropic's blocks, and others.
// Unknown content becomes a part that contains its JSON; no information about a call or a result is dropped.

import { liftedImage } from "./images.ts";
import { type ForeignFields, isAside, isNothing, isRecord, isTextType } from "./kinds.ts";
import { thoughtsOnce, thoughtText } from "./reasoning.ts";
import { roleKind } from "./roles.ts";
import { isSealed, isThought, isThoughtField } from "./thoughts.ts";

/**
 * `image` is an extracted image, identified by its digest. `other` is unknown content, as JSON under its
 * original name.
 */
type PartKind = "text" | "thought" | "call" | "result" | "image" | "other";

export interface Part {
  kind: PartKind;
  /**
   * The tool of a call, the digest of an image, or the type or field name of `other`. For a result, `error`
   * if it failed, or the name of an additional field.
   */
  name: string;
  /** The id of the call, both on the call and on its result. */
  id: string | null;
  text: string;
  /** Whether the policy wrote the part. Otherwise, the part came from the environment. */
  own: boolean;
}

export interface ReadItem {
  role: string;
  isOwn: boolean;
  /**
   * True for a message, which begins a turn; false for a call or a thought, which belongs to the current
   * turn.
   */
  opens: boolean;
  parts: readonly Part[];
}

/** Converts the name of a type to snake case: `tool-call` and `toolCall` become `tool_call`. */
const snake = (type: string): string =>
  type.replaceAll("-", "_").replace(/[a-z][A-Z]/g, (pair) => `${pair[0]}_${pair[1]?.toLowerCase()}`);
const RESULT = /_(output|result|response)s?$/;
const CALL = /_(call|use)$/;

/** Returns a string unchanged, null and undefined as "", and any other value as JSON. */
const written = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
const idOf = (...ids: unknown[]): string | null =>
  (ids.find((id) => typeof id === "string" && id !== "") as string | undefined) ?? null;
const firstOf = (fields: ForeignFields, names: readonly string[]): [name: string, value: unknown] | null => {
  const name = names.find((held) => fields[held] !== undefined && fields[held] !== null);
  return name === undefined ? null : [name, fields[name]];
};

const part = (kind: PartKind, isOwn: boolean, text: string, name = "", id: string | null = null): Part => ({
  ...{ kind, name, id, text, own: isOwn },
});

/** Fields for vendor extensions, which may contain thoughts and their signatures. */
const EXTENSIONS = new Set([
  ...["provider_specific_fields", "extra_content", "providerMetadata", "providerOptions", "additional_kwargs"],
]);

/** Removes thoughts and signatures from a value at any depth. */
function unsealed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unsealed);
  if (!isRecord(value)) return value;
  const left = Object.entries(value).filter(([name]) => !isThoughtField(name) && name !== "signature");
  return Object.fromEntries(left.map(([name, held]) => [name, unsealed(held)]));
}

/** The thoughts in an extension, with one part per field. */
const thoughtsWithin = (extension: unknown, isOwn: boolean): Part[] =>
  isRecord(extension)
    ? Object.entries(extension).flatMap(([name, held]) => (isThoughtField(name) ? thoughtPart(name, held, isOwn) : []))
    : [];

/** The thought in a field. Empty for an encrypted field, which contains no text. */
const thoughtPart = (name: string, held: unknown, isOwn: boolean): Part[] =>
  isSealed(name) ? [] : [part("thought", isOwn, thoughtText(held))];

/** The parts of a field that is more than metadata. */
function fieldParts(name: string, held: unknown, isOwn: boolean): Part[] {
  if (isThoughtField(name)) return thoughtPart(name, held, isOwn);
  if (!EXTENSIONS.has(name)) return [part("other", isOwn, written(held), name)];
  const rest = unsealed(held);
  return [...thoughtsWithin(held, isOwn), ...(isNothing(rest) ? [] : [part("other", isOwn, written(rest), name)])];
}

/** The parts of a message's remaining fields: thoughts, and other fields with content. */
const besides = (fields: ForeignFields, read: readonly string[], isOwn: boolean): Part[] =>
  Object.entries(fields).flatMap(([name, held]) =>
    read.includes(name) || isNothing(held) || (!isThoughtField(name) && isAside(name, held))
      ? []
      : fieldParts(name, held, isOwn),
  );

/** Values that are nested more deeply than this count as content. */
const BLANK_DEPTH = 8;
/** Whether a value contains no text, number or flag. */
function isBlank(held: unknown, depth = 0): boolean {
  if (held === undefined || held === null || held === "") return true;
  if (typeof held !== "object") return false;
  return depth < BLANK_DEPTH && Object.values(held).every((field) => isBlank(field, depth + 1));
}

/** Fields of calls and results that are only metadata of the API. */
const STORAGE = ["type", "role", "cache_control"];
/** Whether the field is the usual `status` of a completed Responses item, which carries no information. */
const isUsual = (name: string, held: unknown): boolean => name === "status" && held === "completed";

/** The parts of the remaining fields of a call or result. Statuses, exit codes and flags are evidence. */
const facts = (fields: ForeignFields, read: readonly string[], isOwn: boolean): Part[] =>
  Object.entries(fields).flatMap(([name, held]) => {
    if (read.includes(name) || STORAGE.includes(name) || isBlank(held) || isUsual(name, held)) return [];
    return isOwn || isSealed(name) ? fieldParts(name, held, isOwn) : [part("other", isOwn, written(held), name)];
  });

const CALL_NAMES = ["name", "function_name", "tool_name", "toolName"];
const CALL_ARGUMENTS = ["arguments", "input", "args", "action", "code", "parameters"];
const CALL_RESULTS = ["output", "outputs", "result", "results", "error"];
const CALL_IDS = ["call_id", "tool_call_id", "toolCallId", "tool_use_id", "id"];
const WRAPPED_RESULTS = ["functionResponse", "codeExecutionResult"];
const RESULT_TEXTS = ["output", "content", "result", "response", "outputs", "results", "tools"];
const FAILED = ["is_error", "isError"];

/** The parts of a call in any supported format, including the result of a hosted tool. */
function callParts(call: ForeignFields, type: string, isOwn: boolean): Part[] {
  const [wrapper, inner] = firstOf(call, ["function", "custom", "functionCall", "executableCode"]) ?? ["", call];
  const held = isRecord(inner) ? inner : { name: inner };
  const name = written(firstOf(held, CALL_NAMES)?.[1]) || type;
  const id = idOf(...CALL_IDS.map((field) => call[field]), held.id);
  const given = firstOf(held, CALL_ARGUMENTS);
  const outer = wrapper === "" ? {} : call;
  const results = [held, outer].flatMap((fields) =>
    CALL_RESULTS.filter((field) => field !== given?.[0] && !isBlank(fields[field])).map((field) => ({
      field,
      text: resultText(fields[field]),
    })),
  );
  const resultPart = ({ field, text }: { field: string; text: string }, i: number) =>
    part("result", false, text, field === "error" ? "error" : i === 0 ? "" : field, id);
  const named = CALL_NAMES.filter((field) => written(held[field]) === name);
  const read = [...named, ...CALL_IDS, ...CALL_RESULTS];
  const beside = facts(outer, [wrapper, "index", ...CALL_IDS, ...CALL_RESULTS], isOwn);
  if (given !== null) {
    const more = facts(held, [...read, given[0], "index"], isOwn);
    return [part("call", isOwn, written(given[1]), name, id), ...more, ...beside, ...results.map(resultPart)];
  }
  // If a call has no field for its arguments, they are in separate fields.
  const isRead = (field: string) => read.includes(field) || field === "type" || isThoughtField(field);
  const fields = Object.entries(held).filter(([field]) => !isRead(field));
  const thoughts = Object.entries(held).flatMap(([field, thought]) =>
    isThoughtField(field) ? thoughtPart(field, thought, isOwn) : [],
  );
  const does = part("call", isOwn, written(Object.fromEntries(fields)), name, id);
  return [...thoughts, does, ...beside, ...results.map(resultPart)];
}

/** Fields of a text part that carry no information beyond the text. */
const TEXT_LABELS = new Set(["type", "text", "id", "cache_control", "logprobs"]);
const isPlainText = (part: unknown): part is { text: string } =>
  isRecord(part) &&
  isTextType(part.type) &&
  typeof part.text === "string" &&
  Object.entries(part).every(([name, held]) => TEXT_LABELS.has(name) || isBlank(held));

/** The text of a result. In a list, text blocks are kept unchanged and other blocks are written as JSON. */
function resultText(output: unknown): string {
  if (!Array.isArray(output)) return isPlainText(output) ? output.text : written(output);
  return output
    .filter((block) => liftedImage(block) === null)
    .map((block) => (isPlainText(block) ? block.text : written(block)))
    .join("\n");
}

/** The images of a result, which are shown after its text. */
const imagesOf = (output: unknown): Part[] =>
  Array.isArray(output) ? output.flatMap((block) => liftedImage(block) ?? []).map(imageOf) : [];
const imageOf = (digest: string): Part => part("image", false, "", digest);

function resultParts(result: ForeignFields): Part[] {
  const wrapped = firstOf(result, WRAPPED_RESULTS)?.[1];
  const inner = isRecord(wrapped) ? wrapped : result;
  const outer = inner === result ? {} : result;
  const held = firstOf(inner, RESULT_TEXTS);
  const isFailure = (fields: ForeignFields) => FAILED.some((name) => fields[name] === true || fields[name] === "true");
  const failed = isFailure(inner) || isFailure(outer);
  // Gemini's calls without an id are matched by their order.
  const ids = inner === result ? [...CALL_IDS.slice(0, -1).map((field) => result[field]), result.name] : [inner.id];
  const id = idOf(...ids);
  const flags = FAILED.filter((name) => [true, false, "true"].includes(inner[name] as never));
  const read = [held?.[0] ?? "", "name", ...CALL_IDS, ...flags];
  const beside = [...facts(inner, read, false), ...facts(outer, [...WRAPPED_RESULTS, ...CALL_IDS, ...FAILED], false)];
  const rest = beside.map((fact) => ({ ...fact, kind: "result" as const, id }));
  const text = resultText(held?.[1]);
  const words = part("result", false, text, failed ? "error" : "", id);
  return [...(text === "" && !failed && rest.length > 0 ? [] : [words]), ...rest, ...imagesOf(held?.[1])];
}

/** The parts of a single content block. */
function blockParts(block: unknown, isOwn: boolean): Part[] {
  if (!isRecord(block)) return isNothing(block) ? [] : [part("text", isOwn, written(block))];
  const type = typeof block.type === "string" ? snake(block.type) : "";
  if (isThought(block)) return [part("thought", isOwn, thoughtText(block))];
  if (RESULT.test(type) || WRAPPED_RESULTS.some((name) => name in block)) return resultParts(block);
  if (CALL.test(type) || "functionCall" in block || "executableCode" in block)
    return callParts(block, type || "executable_code", isOwn);
  const image = liftedImage(block);
  if (image !== null) return [part("image", isOwn, "", image)];
  if (isTextType(block.type) && (typeof block.text === "string" || isNothing(block.text)))
    return [part("text", isOwn, written(block.text)), ...besides(block, ["text", "signature"], isOwn)];
  return [part("other", isOwn, written(block), type || "part")];
}

/** The parts of a message's content. Adjacent text blocks are joined without a separator. */
function contentParts(content: unknown, isOwn: boolean): Part[] {
  const parts = (Array.isArray(content) ? content : [content]).flatMap((block) => blockParts(block, isOwn));
  const joined: Part[] = [];
  for (const current of parts) {
    const last = joined.at(-1);
    if (last?.kind === "text" && current.kind === "text") last.text += current.text;
    else joined.push({ ...current });
  }
  return joined.filter(({ kind, text }) => kind !== "text" || text !== "");
}

/** The parts of a chat message, including its calls. */
function messageParts(message: ForeignFields, isOwn: boolean): Part[] {
  const { content, tool_calls, function_call } = message;
  const calls = [...(Array.isArray(tool_calls) ? tool_calls : [tool_calls]), function_call].filter(
    (call) => !isNothing(call),
  );
  const beside = besides(message, ["content", "tool_calls", "function_call", "type"], isOwn);
  const thoughts = beside.filter(({ kind }) => kind === "thought");
  return [
    ...thoughtsOnce(thoughts, contentParts(content, isOwn)),
    ...calls.flatMap((call) =>
      isRecord(call) ? callParts(call, "call", isOwn) : [part("call", isOwn, written(call), "call")],
    ),
    ...beside.filter(({ kind }) => kind !== "thought"),
  ];
}

/** Parses a chat message or a Responses item. */
export function partsOfItem(item: unknown): ReadItem {
  const assistant = { role: "assistant", isOwn: true };
  if (!isRecord(item)) return { ...assistant, opens: true, parts: [part("text", true, written(item))] };
  const type = typeof item.type === "string" ? snake(item.type) : "message";
  if (isThought(item)) return { ...assistant, opens: false, parts: [part("thought", true, thoughtText(item))] };
  const kind = roleKind(item.role);
  if (kind === "result") return { role: "tool", isOwn: false, opens: true, parts: resultParts(item) };
  if (type !== "message" && item.role === undefined) {
    if (RESULT.test(type)) return { role: "tool", isOwn: false, opens: true, parts: resultParts(item) };
    if (CALL.test(type)) return { ...assistant, opens: false, parts: callParts(item, type, true) };
    return { ...assistant, opens: false, parts: blockParts(item, true) };
  }
  // Text under an unknown role counts as the policy's, so that it is never treated as evidence.
  const isOwn = kind !== "other";
  const role = isOwn ? "assistant" : (item.role as string).trim().toLowerCase();
  return { role, isOwn, opens: true, parts: messageParts(item, isOwn) };
}
