// What a prompt is rendered from, and what it is rendered to.

export interface ChatMessage {
  role: string;
  content: string;
}

/** What a raw completion is asked with: the texts one after the other, no role marked. */
export const rawPrompt = (messages: readonly Pick<ChatMessage, "content">[]): string =>
  messages.map(({ content }) => content).join("\n\n");

/** Texts that a preset may need besides the question and the candidates. */
export type PromptSlots = { readonly [slot in "reference" | "rubric" | "principle"]?: string | undefined };

export interface PromptJob {
  question: string;
  language: string | null;
  candidates: readonly string[];
  slots?: PromptSlots | undefined;
}
