// Unrolls a trajectory into chat messages or Responses items. Supported formats are lists of either, steps of
// ATIF (1.0 to 1.7), and traces of verifiers.
import { type ForeignFields, isRecord } from "./kinds.ts";

export interface Placed {
  /** A chat message or a Responses item. */
  item: unknown;
  /** Path of the item below the value that was sent. */
  path: readonly (string | number)[];
}
type ItemPath = Placed["path"];

const isStep = (item: unknown): item is ForeignFields =>
  isRecord(item) && item.role === undefined && typeof item.source === "string" && "message" in item;
const isTraceStep = (item: unknown): item is ForeignFields =>
  isRecord(item) && item.role === undefined && "prompt" in item && "completion" in item;

/** Unrolls an ATIF step: first the message with its calls, then the observations. */
function* stepItems({ source, message, observation, ...rest }: ForeignFields, path: ItemPath): Generator<Placed> {
  yield { item: { ...rest, role: source, content: message }, path };
  if (observation === undefined || observation === null) return;
  const { results, ...beside } = isRecord(observation) ? observation : { results: observation };
  const list = Array.isArray(results) ? results : [results];
  for (const [i, result] of list.entries()) {
    const { source_call_id, ...held }: ForeignFields = isRecord(result) ? result : { content: result };
    const at = [...path, "observation", "results", i];
    yield { item: { ...held, role: "tool", tool_call_id: source_call_id }, path: at };
  }
  if (Object.keys(beside).length > 0) yield { item: { ...beside, role: "tool" }, path: [...path, "observation"] };
}

const listOf = (messages: unknown): readonly unknown[] =>
  typeof messages === "string"
    ? [{ role: "assistant", content: messages }]
    : Array.isArray(messages)
      ? messages
      : messages === undefined || messages === null
        ? []
        : [messages];

/**
 * Unrolls the steps of a verifiers trace. Each step repeats all earlier messages; only new messages are
 * yielded.
 */
function* traceItems(steps: readonly ForeignFields[], path: ItemPath): Generator<Placed> {
  let known: readonly unknown[] = [];
  for (const [i, { prompt, completion }] of steps.entries()) {
    const before = typeof prompt === "string" ? [{ role: "user", content: prompt }] : listOf(prompt);
    // If the context was rewritten between two steps, all of it is yielded again.
    const goesOn = known.every((message, at) => JSON.stringify(message) === JSON.stringify(before[at]));
    const from = i === 0 ? before.length : goesOn ? known.length : 0;
    for (const [at, item] of before.slice(from).entries()) yield { item, path: [...path, i, "prompt", from + at] };
    for (const [at, item] of listOf(completion).entries()) yield { item, path: [...path, i, "completion", at] };
    known = [...before, ...listOf(completion)];
  }
}

/** Yields the messages or items of a trajectory, in order. */
export function* itemsOf(messages: unknown, path: ItemPath = []): Generator<Placed> {
  if (isRecord(messages)) {
    const name = ["steps", "trajectory", "completion", "messages"].find((held) => messages[held] !== undefined);
    if (name === undefined) yield { item: messages, path };
    else yield* itemsOf(messages[name], [...path, name]);
  } else if (Array.isArray(messages)) {
    if (messages.length > 0 && messages.every(isTraceStep)) return yield* traceItems(messages, path);
    for (const [i, item] of messages.entries()) {
      if (isStep(item)) yield* stepItems(item, [...path, i]);
      else yield { item, path: [...path, i] };
    }
  } else if (messages !== undefined && messages !== null) {
    for (const item of listOf(messages)) yield { item, path };
  }
}

/**
 * Whether a trajectory has more than `maxItems` messages, items and results. Stops counting at that point.
 */
export function hasItemsBeyond(run: unknown, maxItems: number): boolean {
  let count = 0;
  for (const _ of itemsOf(run)) if (++count > maxItems) return true;
  return false;
}
