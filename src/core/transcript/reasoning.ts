// Extracts thoughts from messages and items, from the fields that many vendors use. A thought that is
// repeated in two fields counts once. Encrypted, redacted and signed blobs contain no text.
import { isNothing, isRecord } from "./kinds.ts";
import { isSealed } from "./thoughts.ts";

/** Fields of a thought object that contain its text. SUMMARIES are used if the text is withheld. */
const WORDS = [
  ...["thinking", "content", "text", "reasoning", "reasoning_text", "reasoning_content", "reasoningText"],
  ...["reasoningContent", "thought", "thoughts", "parts"],
];
const SUMMARIES = ["summary", "summary_text"];
/** Metadata fields of a thought object. */
const LABELS = new Set([
  ...["id", "type", "status", "format", "index", "signature", "data", "annotations", "cache_control", "role"],
  ...["providerMetadata", "providerOptions", "provider_metadata", "model", "state", "object", "name"],
]);
const SEALED_TYPE = /encrypted|redacted/i;

interface ThoughtWords {
  words: string;
  /** Whether `words` is only a summary of the thought. */
  summary: boolean;
}
const NONE: ThoughtWords = { words: "", summary: false };

function wordsOf(thought: unknown): ThoughtWords {
  if (typeof thought === "string") return { words: thought, summary: false };
  if (Array.isArray(thought)) {
    const all = thought.map(wordsOf).filter(({ words }) => words !== "");
    const raw = all.filter(({ summary }) => !summary);
    const chosen = raw.length > 0 ? raw : all;
    return { words: chosen.map(({ words }) => words).join("\n"), summary: raw.length === 0 && all.length > 0 };
  }
  if (!isRecord(thought) || (typeof thought.type === "string" && SEALED_TYPE.test(thought.type))) return NONE;
  const isSummary = typeof thought.type === "string" && /summary/i.test(thought.type);
  for (const name of WORDS) {
    const { words, summary } = wordsOf(thought[name]);
    if (words !== "") return { words, summary: summary || isSummary };
  }
  for (const name of SUMMARIES) {
    const { words } = wordsOf(thought[name]);
    if (words !== "") return { words, summary: true };
  }
  const known = (name: string) =>
    LABELS.has(name) || isSealed(name) || WORDS.includes(name) || SUMMARIES.includes(name);
  const rest = Object.entries(thought).filter(([name, held]) => !known(name) && !isNothing(held));
  return rest.length === 0 ? NONE : { words: JSON.stringify(Object.fromEntries(rest)), summary: false };
}

/** The text of a thought in any supported form; "" if the thought is withheld or empty. */
export const thoughtText = (thought: unknown): string => wordsOf(thought).words;

/** The fields of a message part that deduplication needs. */
interface Said {
  kind: string;
  text: string;
}

const squashed = (text: string): string => text.replace(/\s+/g, "");

/**
 * Removes duplicate thoughts from the parts of one message, because servers repeat the same thoughts in
 * several fields and in content blocks.
 * @param fields thoughts, one for each field that contained any
 * @param content the parts of the content, in order
 */
export function thoughtsOnce<P extends Said>(fields: readonly P[], content: readonly P[]): P[] {
  const blocks = content.filter(({ kind }) => kind === "thought");
  const said = squashed(blocks.map(({ text }) => text).join(""));
  const uniqueFields: P[] = [];
  const words: string[] = blocks.length === 0 ? [] : [said];
  const entries = fields.map((field) => ({ field, squashedText: squashed(field.text) }));
  // Longest first. On a tie, prefers the field without the white space that a server added between its
  // blocks.
  entries.sort((a, b) => b.squashedText.length - a.squashedText.length || a.field.text.length - b.field.text.length);
  for (const { field, squashedText } of entries) {
    if (words.some((other) => other.includes(squashedText))) continue;
    uniqueFields.push(field);
    words.push(squashedText);
  }
  const tells = uniqueFields.map(({ text }) => squashed(text));
  const isTold = ({ kind, text }: Said) => kind === "thought" && tells.some((other) => other.includes(squashed(text)));
  return [...fields.filter((field) => uniqueFields.includes(field)), ...content.filter((part) => !isTold(part))];
}
