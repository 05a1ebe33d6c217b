// Owns Gemini's contents and parts as a prompt and as a rollout. Pure; knows no contract.
import * as z from "zod";
import { GroupSchema, type Rollout, RolloutTextSchema, readRollout } from "../../../core/contract/requests.ts";
import { bound } from "../../../core/faults/limit-advice.ts";
import { areWords } from "../../../core/transcript/turns.ts";
import { chatPrompt } from "./messages.ts";

export const PartsSchema = z
  .array(z.looseObject({ text: z.string().nullish(), thought: z.boolean().nullish() }))
  .max(...bound("content_parts_max"));
type Parts = z.output<typeof PartsSchema>;

const ContentSchema = z.object({
  role: z
    .string()
    .min(1)
    .max(...bound("name_chars"))
    .nullish(),
  parts: PartsSchema,
});

export const ContentsSchema = z
  .array(ContentSchema)
  .min(1)
  .max(...bound("messages_max"));

const textOf = (parts: Parts, thought: boolean) =>
  parts
    .filter((part) => (part.thought === true) === thought)
    .map(({ text }) => text ?? "")
    .join("");

/** Parts as the content of a chat's message. */
const message = (role: string, parts: Parts) => ({
  role,
  content: parts.map(({ text, ...part }) => ({ ...part, ...(text != null && { text }) })),
});

/** Gemini's `model` is a chat's assistant. */
export const PromptContentsSchema = ContentsSchema.transform((contents) =>
  chatPrompt(contents.map(({ role, parts }) => message(role === "model" ? "assistant" : (role ?? "user"), parts))),
).pipe(GroupSchema.shape.prompt.options[1]);

/** With calls or results a run of one turn, else a text whose thoughts are marked. */
export const RolloutPartsSchema = PartsSchema.transform((parts): Rollout => {
  const messages = [message("assistant", parts)];
  if (!areWords(messages)) return readRollout({ text: "", messages });
  const thoughts = textOf(parts, true);
  const text = textOf(parts, false);
  return { text: RolloutTextSchema.parse(thoughts === "" ? text : `<think>\n${thoughts}\n</think>\n${text}`) };
});
