// The input and output types of prompt rendering.

export interface ChatMessage {
  role: string;
  content: string;
}

/** Encodes a string for its destination: unchanged, or escaped for JSON. */
export type Writing = (text: string) => string;

export const asItIs: Writing = (text) => text;

/** Escapes a string for JSON, without quotes. Lone surrogates, which servers reject, become U+FFFD. */
export const inJson: Writing = (text) => JSON.stringify(text.toWellFormed()).slice(1, -1);

/** Encodes the texts of a template that has been split into alternating texts and slot names. */
export const writtenParts = (parts: readonly string[], write: Writing): string[] =>
  parts.map((part, i) => (i % 2 === 0 ? write(part) : part));

/** The prompt of a raw completion: the contents of all messages, joined without roles. */
export const rawPrompt = (messages: readonly Pick<ChatMessage, "content">[], write = asItIs): string =>
  messages.map(({ content }) => content).join(write("\n\n"));

/** Texts that a preset may need in addition to the question and the candidates. */
export type PromptSlots = { readonly [slot in "reference" | "rubric" | "principle"]?: string | undefined };

export interface PromptJob {
  question: string;
  language: string | null;
  candidates: readonly string[];
  slots?: PromptSlots | undefined;
}
