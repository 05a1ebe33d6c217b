// Chat messages as other tools send them: with unknown roles, content in parts, and additional fields.
import * as z from "zod";
import { GroupSchema, type Rollout, RolloutTextSchema, readRollout } from "../../../core/contract/group.ts";
import type { PromptInput } from "../../../core/contract/prompt.ts";
import { WordSchema } from "../../../core/contract/request-fields.ts";
import { bound } from "../../../core/faults/limit-advice.ts";
import { partsOfItem } from "../../../core/transcript/messages.ts";
import { namesPolicy } from "../../../core/transcript/roles.ts";
import { isThought } from "../../../core/transcript/thoughts.ts";
import { areWords, messagesOf, turnsOf } from "../../../core/transcript/turns.ts";

const PartsSchema = z
  .array(z.looseObject({ type: z.unknown().optional(), thought: z.unknown().optional(), text: z.string().optional() }))
  .max(...bound("content_parts_max"));

/**
 * A message whose content is a string, a list of parts, or null. Only text parts count; content of other
 * kinds has already been rejected in content/shown-body.ts.
 */
export const MessageSchema = z.looseObject({
  role: WordSchema,
  content: z.union([z.string(), PartsSchema]).nullish(),
});
export type RequestMessage = z.output<typeof MessageSchema>;

/** The concatenated text parts of a message, without thoughts. */
export function messageText({ content }: RequestMessage): string {
  if (content === null || content === undefined) return "";
  return typeof content === "string"
    ? content
    : content.map((part) => (isThought(part) ? "" : (part.text ?? ""))).join("");
}

/** The text of content that is a string or a list of text parts; undefined for other content. */
export function contentText(content: unknown): string | undefined {
  const parsed = z.union([z.string(), PartsSchema]).safeParse(content);
  return parsed.success ? messageText({ role: "user", content: parsed.data }) : undefined;
}

const MessagesSchema = z
  .array(MessageSchema)
  .min(1)
  .max(...bound("messages_max"));

/** Converts a chat to a prompt, including tool calls and results. */
export const chatPrompt = (messages: readonly RequestMessage[]): Exclude<PromptInput, string> =>
  areWords(messages) ? plain(messages) : messagesOf(turnsOf(messages));

const plain = (messages: readonly RequestMessage[]): { role: string; content: string }[] =>
  messages.map((message) => ({ role: message.role, content: messageText(message) }));

/** A prompt, which is a string or a chat. Converts it to the native format and checks the native limits. */
export const PromptSchema = z
  .union([z.string(), MessagesSchema])
  .transform((prompt): PromptInput => (typeof prompt === "string" ? prompt : chatPrompt(prompt)))
  .pipe(GroupSchema.shape.prompt);

/**
 * The prompt of a chat that may end with the answer to be judged, as in ms-swift's `messages`. A final turn
 * of the assistant is not part of the prompt.
 */
export const ConversationSchema = MessagesSchema.transform((messages) => {
  const last = messages.at(-1);
  return chatPrompt(namesPolicy(last?.role) && messages.length > 1 ? messages.slice(0, -1) : messages);
}).pipe(GroupSchema.shape.prompt.options[1]);

/**
 * Converts messages to a rollout. For a single assistant message without tool calls, the rollout is the
 * message's text; otherwise all turns are judged.
 */
export const spokenRollout = (messages: readonly RequestMessage[]): Rollout => {
  const said = messages.filter((message) => partsOfItem(message).parts.length > 0);
  const [only = messages.at(-1)] = said;
  return said.length <= 1 && (namesPolicy(only?.role) || said.length === 0) && areWords(said)
    ? { text: only === undefined ? "" : RolloutTextSchema.parse(messageText(only)) }
    : readRollout({ text: "", messages });
};

/** A completion, which is a string or a list of messages. */
export const CompletionSchema = z
  .union([
    RolloutTextSchema,
    z
      .array(MessageSchema)
      .min(1)
      .max(...bound("rollout_messages_max")),
  ])
  .transform(
    (completion): Rollout => (typeof completion === "string" ? { text: completion } : spokenRollout(completion)),
  );
