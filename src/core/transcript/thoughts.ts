// Which parts and fields of a message hold a model's thoughts.
import { isRecord } from "./kinds.ts";

/** Fields of messages, items and parts that contain thoughts. */
const THOUGHT_FIELDS = new Set([
  ...["reasoning", "reasoning_content", "reasoning_details", "reasoning_text", "thinking", "thinking_blocks"],
  ...["thought", "thoughts", "reasoningContent", "reasoningText", "thinkingBlocks"],
]);

/** Fields with encrypted thoughts or signatures of thoughts, which contain no readable text. */
const SEALED_FIELD =
  /^(?:(?:thought|reasoning|thinking)_?signatures?|encrypted_?(?:content|reasoning|thinking)|redacted_?(?:content|reasoning|thinking))$/i;

/** Types of thought parts and items, in lower case and without hyphens, dots and underscores. */
const THOUGHT_TYPES = new Set([
  ...["reasoning", "reasoningtext", "reasoningsummary", "reasoningcontent", "summarytext", "thinking", "thought"],
  ...["redactedthinking", "redactedreasoning", "encryptedreasoning", "reasoningencrypted", "thinkingblock"],
]);

const isThoughtType = (type: unknown): boolean =>
  typeof type === "string" && THOUGHT_TYPES.has(type.toLowerCase().replace(/[-._]/g, ""));

/** Whether a part or item is a thought, in any vendor's format. Bedrock's thoughts have no type. */
export const isThought = (part: { type?: unknown; thought?: unknown; reasoningContent?: unknown }): boolean =>
  isThoughtType(part.type) || part.thought === true || (part.type == null && isRecord(part.reasoningContent));

export const isSealed = (name: string): boolean => SEALED_FIELD.test(name);

export const isThoughtField = (name: string): boolean => THOUGHT_FIELDS.has(name) || isSealed(name);
