// The input and the output of rendering a prompt.

export interface ChatMessage {
  role: string;
  content: string;
}

/** How a text is written where it goes: as it is, or as JSON has it between quotes. */
export type Writing = (text: string) => string;

export const asItIs: Writing = (text) => text;

/** For a body of JSON; half a surrogate pair, which servers refuse, is U+FFFD. */
export const inJson: Writing = (text) => JSON.stringify(text.toWellFormed()).slice(1, -1);

/** Text and slots in turn, as `split` gives them: the text as it is written. */
export const writtenParts = (parts: readonly string[], write: Writing): string[] =>
  parts.map((part, i) => (i % 2 === 0 ? write(part) : part));

/** The text of a raw completion: the texts one after the other, without roles. */
export const rawPrompt = (messages: readonly Pick<ChatMessage, "content">[], write = asItIs): string =>
  messages.map(({ content }) => content).join(write("\n\n"));

/** Texts that a preset may need besides the question and the candidates. */
export type PromptSlots = { readonly [slot in "reference" | "rubric" | "principle"]?: string | undefined };

export interface PromptJob {
  question: string;
  language: string | null;
  candidates: readonly string[];
  slots?: PromptSlots | undefined;
}
