// The input and the output of rendering a prompt.

export interface ChatMessage {
  role: string;
  content: string;
}

/** Encodes a text for its destination: unchanged, or escaped for a JSON string. */
export type Writing = (text: string) => string;

export const asItIs: Writing = (text) => text;

/** Escapes a text for a JSON string. Replaces lone surrogates, which servers reject, with U+FFFD. */
export const inJson: Writing = (text) => JSON.stringify(text.toWellFormed()).slice(1, -1);

/** Encodes the texts of a template that is split into alternating texts and slot names. */
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
