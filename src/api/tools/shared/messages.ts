// Owns chat messages as foreign clients send them: roles we do not know, contents in parts, fields
// that are not for us. Knows no contract.
import * as z from "zod";
import { GroupSchema, RolloutSchema, WordSchema } from "../../../core/contract/requests.ts";
import { bound } from "../../../core/faults/limit-advice.ts";
import { isThought } from "../../content/kinds.ts";

const PartsSchema = z
  .array(z.object({ type: z.unknown().optional(), thought: z.unknown().optional(), text: z.string().optional() }))
  .max(...bound("content_parts_max"));

/**
 * `{role, content}`; content is a text, parts of which the texts count, or null. What else there is
 * has been looked at before (content/shown-body.ts).
 */
export const MessageSchema = z.object({
  role: WordSchema,
  content: z.union([z.string(), PartsSchema]).nullish(),
});
export type RequestMessage = z.output<typeof MessageSchema>;

/** A message's text; its parts are joined as they are, without the thoughts among them. */
export function messageText({ content }: RequestMessage): string {
  if (content === null || content === undefined) return "";
  return typeof content === "string"
    ? content
    : content.map((part) => (isThought(part) ? "" : (part.text ?? ""))).join("");
}

const MessagesSchema = z
  .array(MessageSchema)
  .min(1)
  .max(...bound("messages_max"));

const plain = (messages: readonly RequestMessage[]) =>
  messages.map((message) => ({ role: message.role, content: messageText(message) }));

/** A prompt: a text or a chat, as the native contract's prompt and within its limits. */
export const PromptSchema = z
  .union([z.string(), MessagesSchema])
  .transform((prompt) => (typeof prompt === "string" ? prompt : plain(prompt)))
  .pipe(GroupSchema.shape.prompt);

/**
 * A chat that may end in the answer to be judged (ms-swift's `messages`): that last assistant turn
 * is no part of the prompt.
 */
export const ConversationSchema = MessagesSchema.transform((messages) => {
  const last = messages.at(-1);
  return plain(last?.role === "assistant" && messages.length > 1 ? messages.slice(0, -1) : messages);
}).pipe(GroupSchema.shape.prompt.options[1]);

/**
 * A completion: a text, or messages, of which the last one by the assistant is judged (the last one
 * if none is).
 */
export const CompletionSchema = z
  .union([z.string(), MessagesSchema])
  .transform((completion) => {
    if (typeof completion === "string") return completion;
    const assistant = completion.filter(({ role }) => role === "assistant");
    return messageText((assistant.at(-1) ?? completion.at(-1)) as RequestMessage);
  })
  .pipe(RolloutSchema.shape.text);
