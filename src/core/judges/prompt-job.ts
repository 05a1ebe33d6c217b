// What a prompt is rendered from, and what it is rendered to.

export interface ChatMessage {
  role: string;
  content: string;
}

/** What a raw completion is asked with: the texts one after the other, no role marked. */
export const rawPrompt = (messages: readonly Pick<ChatMessage, "content">[]): string =>
  messages.map(({ content }) => content).join("\n\n");

/** Texts that a preset may need besides the question and the candidates. */
export type PromptSlots = { readonly [slot in "reference" | "rubric" | "principle"]?: string | undefined } & {
  /** What the asker says before the preset's own messages. */
  readonly messages?: readonly GivenMessage[] | undefined;
};

export const GIVEN_ROLES = ["system", "user", "assistant"] as const;

/**
 * A message as an asker gives it: own text as it is, `data` and the candidate at a place shown as
 * text that is no part of the instruction.
 */
export interface GivenMessage {
  readonly role: (typeof GIVEN_ROLES)[number];
  readonly parts: readonly (string | { readonly data: string } | { readonly shown: number })[];
}

export interface PromptJob {
  question: string;
  language: string | null;
  candidates: readonly string[];
  slots?: PromptSlots | undefined;
}
