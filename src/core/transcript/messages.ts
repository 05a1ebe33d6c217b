// Reads one message or item into parts, in the forms of OpenAI's chat and Responses, Anthropic's and
// others' blocks. Unknown content is a part with its JSON, and no fact of a call or a result is dropped.
import {
  type ForeignFields,
  isAside,
  isNothing,
  isRecord,
  isSealed,
  isTextType,
  isThought,
  isThoughtField,
  liftedImage,
} from "./kinds.ts";
import { thoughtsOnce, thoughtText } from "./reasoning.ts";
import { roleKind } from "./roles.ts";

/** `image`: one that was lifted, by its digest. `other`: what no reader knows, as JSON under its own name. */
type PartKind = "text" | "thought" | "call" | "result" | "image" | "other";

export interface Part {
  kind: PartKind;
  /**
   * The tool of a call, the digest of an image, the type or field of `other`; `error` for a failed
   * result, or the name of a field next to the result's words.
   */
  name: string;
  /** For a call and its result. */
  id: string | null;
  text: string;
  /** The policy wrote it; else it came from where the policy acts. */
  isOwn: boolean;
}

export interface ReadItem {
  role: string;
  isOwn: boolean;
  /** A message, which begins a turn; else a call or a thought of one. */
  opens: boolean;
  parts: readonly Part[];
}

/** Names of types, `tool-call` and `toolCall` as `tool_call`. */
const snake = (type: string): string =>
  type.replaceAll("-", "_").replace(/[a-z][A-Z]/g, (pair) => `${pair[0]}_${pair[1]?.toLowerCase()}`);
const RESULT = /_(output|result|response)s?$/;
const CALL = /_(call|use)$/;

/** Words as they are, anything else as JSON. */
const written = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
const idOf = (...ids: unknown[]): string | null =>
  (ids.find((id) => typeof id === "string" && id !== "") as string | undefined) ?? null;
const firstOf = (fields: ForeignFields, names: readonly string[]): [name: string, value: unknown] | null => {
  const name = names.find((held) => fields[held] !== undefined && fields[held] !== null);
  return name === undefined ? null : [name, fields[name]];
};

const part = (kind: PartKind, isOwn: boolean, text: string, name = "", id: string | null = null): Part => ({
  ...{ kind, name, id, text, isOwn },
});

/** Fields that other vendors keep their own in: thoughts, and what proves these. */
const EXTENSIONS = new Set([
  ...["provider_specific_fields", "extra_content", "providerMetadata", "providerOptions", "additional_kwargs"],
]);

/** A value without what seals thoughts, at any depth. */
function unsealed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unsealed);
  if (!isRecord(value)) return value;
  const left = Object.entries(value).filter(([name]) => !isThoughtField(name) && name !== "signature");
  return Object.fromEntries(left.map(([name, held]) => [name, unsealed(held)]));
}

/** Thoughts of an extension, one part for each field that holds any. */
const thoughtsWithin = (extension: unknown, isOwn: boolean): Part[] =>
  isRecord(extension)
    ? Object.entries(extension).flatMap(([name, held]) => (isThoughtField(name) ? thoughtPart(name, held, isOwn) : []))
    : [];

/** A thought that a field holds; what a vendor sealed is none. */
const thoughtPart = (name: string, held: unknown, isOwn: boolean): Part[] =>
  isSealed(name) ? [] : [part("thought", isOwn, thoughtText(held))];

/** Parts of a field that holds anything but bookkeeping. */
function fieldParts(name: string, held: unknown, isOwn: boolean): Part[] {
  if (isThoughtField(name)) return thoughtPart(name, held, isOwn);
  if (!EXTENSIONS.has(name)) return [part("other", isOwn, written(held), name)];
  const rest = unsealed(held);
  return [...thoughtsWithin(held, isOwn), ...(isNothing(rest) ? [] : [part("other", isOwn, written(rest), name)])];
}

/** Parts of the fields that were not read: thoughts, and others that hold anything. */
const besides = (fields: ForeignFields, read: readonly string[], isOwn: boolean): Part[] =>
  Object.entries(fields).flatMap(([name, held]) =>
    read.includes(name) || isNothing(held) || (!isThoughtField(name) && isAside(name, held))
      ? []
      : fieldParts(name, held, isOwn),
  );

/** Deeper facts are shown, whatever they hold. */
const BLANK_DEPTH = 8;
/** Holds neither a word, a number nor a flag. */
function isBlank(held: unknown, depth = 0): boolean {
  if (held === undefined || held === null || held === "") return true;
  if (typeof held !== "object") return false;
  return depth < BLANK_DEPTH && Object.values(held).every((field) => isBlank(field, depth + 1));
}

/** Fields of calls and results that tell the API how to store them. */
const STORAGE = ["type", "role", "cache_control"];
/** As every item of Responses says that ended as it should: no more than none. */
const isUsual = (name: string, held: unknown): boolean => name === "status" && held === "completed";

/** Parts of a call's or a result's fields that were not read: status, exit codes and flags are facts. */
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

/** A call as any tool writes it; a hosted tool's own result with it. */
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
  // Its content is in separate fields.
  const isRead = (field: string) => read.includes(field) || field === "type" || isThoughtField(field);
  const fields = Object.entries(held).filter(([field]) => !isRead(field));
  const thoughts = Object.entries(held).flatMap(([field, thought]) =>
    isThoughtField(field) ? thoughtPart(field, thought, isOwn) : [],
  );
  const does = part("call", isOwn, written(Object.fromEntries(fields)), name, id);
  return [...thoughts, does, ...beside, ...results.map(resultPart)];
}

/** Fields of a text's part that say nothing besides it. */
const TEXT_LABELS = new Set(["type", "text", "id", "cache_control", "logprobs"]);
const isPlainText = (part: unknown): part is { text: string } =>
  isRecord(part) &&
  isTextType(part.type) &&
  typeof part.text === "string" &&
  Object.entries(part).every(([name, held]) => TEXT_LABELS.has(name) || isBlank(held));

/** A result's words: of a list the texts as they are, the others as JSON. */
function resultText(output: unknown): string {
  if (!Array.isArray(output)) return isPlainText(output) ? output.text : written(output);
  return output
    .filter((block) => liftedImage(block) === null)
    .map((block) => (isPlainText(block) ? block.text : written(block)))
    .join("\n");
}

/** Images of a result, shown behind it. */
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
  // Gemini's calls without an id are matched in their order.
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

/** One block of a content. */
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

/** A content's parts; texts that follow each other are one, as they are. */
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

/** A message of a chat, with whatever it calls. */
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

/** Reads a message, or an item of Responses. */
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
  // Words under an unknown role are the policy's, never evidence.
  const isOwn = kind !== "other";
  const role = isOwn ? "assistant" : (item.role as string).trim().toLowerCase();
  return { role, isOwn, opens: true, parts: messageParts(item, isOwn) };
}
