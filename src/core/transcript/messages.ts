// Owns reading one message or item into parts, whoever's form it has: OpenAI's chat and Responses,
// Anthropic's and others' blocks. What nobody knows is a part with its JSON.
import {
  type ForeignFields,
  isAside,
  isNothing,
  isRecord,
  isTextType,
  isThought,
  isThoughtField,
  liftedImage,
} from "./kinds.ts";

/** `image`: one that was lifted, by its digest. `other`: what no reader knows, as JSON under its own name. */
type PartKind = "text" | "thought" | "call" | "result" | "image" | "other";

export interface Part {
  kind: PartKind;
  /** Of a call what is called, of an image its digest; of a result `error` where it says so; of `other` its own name. */
  name: string;
  /** Of a call and its result. */
  id: string | null;
  text: string;
  /** The policy wrote it; else it came from where the policy acts. */
  own: boolean;
}

export interface ReadItem {
  role: string;
  own: boolean;
  /** A message, which begins a turn; else a call or a thought of one. */
  opens: boolean;
  parts: readonly Part[];
}

const OWN_ROLES: ReadonlySet<unknown> = new Set(["assistant", "agent", "model", "ai", "gpt"]);
const RESULT_ROLES: ReadonlySet<unknown> = new Set(["tool", "function", "ipython", "observation"]);

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

const part = (kind: PartKind, own: boolean, text: string, name = "", id: string | null = null): Part => ({
  ...{ kind, name, id, text, own },
});

/** Of an object's fields other than those read, each that holds anything: thoughts, and others. */
function besides(fields: ForeignFields, read: readonly string[], own: boolean): Part[] {
  return Object.entries(fields).flatMap(([name, held]) => {
    if (read.includes(name) || isNothing(held)) return [];
    if (isThoughtField(name)) return [part("thought", own, thoughtText(held))];
    return isAside(name, held) ? [] : [part("other", own, written(held), name)];
  });
}

/** The words of a thought, whatever holds them. */
function thoughtText(thought: unknown): string {
  if (typeof thought === "string") return thought;
  if (Array.isArray(thought)) return thought.map(thoughtText).filter(Boolean).join("\n");
  if (!isRecord(thought)) return written(thought);
  const held = [thought.summary, thought.content, thought.thinking, thought.text, thought.reasoning];
  const words = held.filter((value) => !isNothing(value)).map(thoughtText);
  return words.length === 0 ? written(thought) : words.join("\n");
}

const CALL_NAMES = ["name", "function_name", "tool_name", "toolName"];
const CALL_ARGUMENTS = ["arguments", "input", "args", "action", "code", "parameters"];
const CALL_RESULTS = ["output", "outputs", "result", "results", "error"];
const CALL_IDS = ["call_id", "tool_call_id", "toolCallId", "tool_use_id", "id"];
const WRAPPED_RESULTS = ["functionResponse", "codeExecutionResult"];
const RESULT_TEXTS = ["output", "content", "result", "response", "outputs", "results", "tools"];

/** A call as any tool writes it; a hosted tool's own result with it. */
function callParts(call: ForeignFields, type: string, own: boolean): Part[] {
  const [wrapper, inner] = firstOf(call, ["function", "custom", "functionCall", "executableCode"]) ?? ["", call];
  const held = isRecord(inner) ? inner : { name: inner };
  const name = written(firstOf(held, CALL_NAMES)?.[1]) || type;
  const id = idOf(...CALL_IDS.map((field) => call[field]), held.id);
  const given = firstOf(held, CALL_ARGUMENTS);
  const results = CALL_RESULTS.filter((field) => !isNothing(held[field])).map((field) =>
    part("result", false, resultText(held[field]), field === "error" ? "error" : "", id),
  );
  const read = ["type", ...CALL_NAMES, ...CALL_IDS, ...CALL_RESULTS];
  const outer = wrapper === "" ? [] : besides(call, [wrapper, ...read], own);
  if (given !== null) {
    const beside = [...besides(held, [...read, given[0]], own), ...outer];
    return [part("call", own, written(given[1]), name, id), ...beside, ...results];
  }
  // What it does stands in fields of its own.
  const fields = Object.entries(held).filter(([field, value]) => !read.includes(field) && !isAside(field, value));
  return [part("call", own, written(Object.fromEntries(fields)), name, id), ...outer, ...results];
}

/** A result's words: of a list the texts as they are, the others as JSON. */
function resultText(output: unknown): string {
  if (!Array.isArray(output)) {
    return isRecord(output) &&
      isTextType(output.type) &&
      typeof output.text === "string" &&
      Object.keys(output).length <= 2
      ? output.text
      : written(output);
  }
  return output
    .flatMap((one) => contentParts(one, false))
    .flatMap(({ kind, text }) => (kind === "image" ? [] : text))
    .join("\n");
}

/** What is no word of a result stands behind it. */
const imagesOf = (output: unknown): Part[] =>
  Array.isArray(output) ? output.flatMap((one) => contentParts(one, false)).filter(({ kind }) => kind === "image") : [];

function resultParts(result: ForeignFields): Part[] {
  const wrapped = firstOf(result, WRAPPED_RESULTS)?.[1];
  const inner = isRecord(wrapped) ? wrapped : result;
  const held = firstOf(inner, RESULT_TEXTS);
  const failed = result.is_error === true || result.isError === true;
  // Gemini's without an id stand in the order of their calls.
  const ids = inner === result ? [...CALL_IDS.slice(0, -1).map((field) => result[field]), result.name] : [inner.id];
  const id = idOf(...ids);
  const read = ["type", ...WRAPPED_RESULTS, held?.[0] ?? "", ...CALL_IDS];
  const rest = besides(inner, [...read, "name"], false).map((one) => ({ ...one, kind: "result" as const, id }));
  return [part("result", false, resultText(held?.[1]), failed ? "error" : "", id), ...rest, ...imagesOf(held?.[1])];
}

/** One block of a content. */
function blockParts(block: unknown, own: boolean): Part[] {
  if (!isRecord(block)) return isNothing(block) ? [] : [part("text", own, written(block))];
  const type = typeof block.type === "string" ? snake(block.type) : "";
  if (isThought(block)) return [part("thought", own, thoughtText(block))];
  if (RESULT.test(type) || WRAPPED_RESULTS.some((name) => name in block)) return resultParts(block);
  if (CALL.test(type) || "functionCall" in block || "executableCode" in block)
    return callParts(block, type || "executable_code", own);
  const image = liftedImage(block);
  if (image !== null) return [part("image", own, "", image)];
  if (isTextType(block.type) && (typeof block.text === "string" || isNothing(block.text)))
    return [part("text", own, written(block.text)), ...besides(block, ["text"], own)];
  return [part("other", own, written(block), type || "part")];
}

/** A content's parts; texts that follow each other are one, as they are. */
function contentParts(content: unknown, own: boolean): Part[] {
  const parts = (Array.isArray(content) ? content : [content]).flatMap((block) => blockParts(block, own));
  const joined: Part[] = [];
  for (const one of parts) {
    const last = joined.at(-1);
    if (last?.kind === "text" && one.kind === "text") last.text += one.text;
    else joined.push({ ...one });
  }
  return joined.filter(({ kind, text }) => kind !== "text" || text !== "");
}

/** A message of a chat, with whatever it calls. */
function messageParts(message: ForeignFields, own: boolean): Part[] {
  const { content, tool_calls, function_call } = message;
  const calls = [...(Array.isArray(tool_calls) ? tool_calls : [tool_calls]), function_call].filter(
    (call) => !isNothing(call),
  );
  const beside = besides(message, ["content", "tool_calls", "function_call", "type"], own);
  const thoughts = beside.filter(({ kind }) => kind === "thought");
  return [
    ...thoughts,
    ...contentParts(content, own),
    ...calls.flatMap((call) =>
      isRecord(call) ? callParts(call, "call", own) : [part("call", own, written(call), "call")],
    ),
    ...beside.filter(({ kind }) => kind !== "thought"),
  ];
}

/** Reads a message, or an item of Responses. */
export function partsOfItem(item: unknown): ReadItem {
  const assistant = { role: "assistant", own: true };
  if (!isRecord(item)) return { ...assistant, opens: true, parts: [part("text", true, written(item))] };
  const type = typeof item.type === "string" ? snake(item.type) : "message";
  if (isThought(item)) return { ...assistant, opens: false, parts: [part("thought", true, thoughtText(item))] };
  if (RESULT_ROLES.has(item.role)) return { role: "tool", own: false, opens: true, parts: resultParts(item) };
  if (type !== "message" && item.role === undefined) {
    if (RESULT.test(type)) return { role: "tool", own: false, opens: true, parts: resultParts(item) };
    if (CALL.test(type)) return { ...assistant, opens: false, parts: callParts(item, type, true) };
    return { ...assistant, opens: false, parts: blockParts(item, true) };
  }
  const role = typeof item.role === "string" && item.role !== "" ? item.role : "assistant";
  const own = OWN_ROLES.has(role);
  return { role: own ? "assistant" : role, own, opens: true, parts: messageParts(item, own) };
}
