// The schema of a prompt: a text, or a chat.
import * as z from "zod";
import { said } from "#said";
import { bound } from "../faults/limit-advice.ts";
import { AnyJsonSchema } from "./any-json.ts";
import { boundedText, WordSchema } from "./request-fields.ts";

const PROMPT_TEXT = boundedText("prompt_bytes");

/** A message in OpenAI's chat format. Unknown fields are rejected. */
const PromptMessageSchema = z
  .strictObject({
    role: WordSchema,
    content: z.union([PROMPT_TEXT, z.array(AnyJsonSchema).max(...bound("content_parts_max"))]).nullish(),
    reasoning_content: z.string().nullish().meta(said("the turn's thoughts; not shown to the verifier")),
    tool_calls: z
      .array(AnyJsonSchema)
      .max(...bound("content_parts_max"))
      .nullish()
      .meta(said("the turn's tool calls; a prompt with calls is shown as a transcript")),
    tool_call_id: z.string().nullish().meta(said("for a tool result: the id of its call")),
    name: z.string().nullish(),
  })
  .superRefine(({ content, tool_calls }, context) => {
    if (content == null && (tool_calls ?? []).length === 0)
      context.addIssue({ code: "invalid_type", expected: "string", input: undefined, path: ["content"] });
  });

export type PromptMessage = z.output<typeof PromptMessageSchema>;

export const PromptSchema = z.union([
  PROMPT_TEXT,
  z
    .array(PromptMessageSchema)
    .min(1)
    .max(...bound("messages_max")),
]);

export type Prompt = z.output<typeof PromptSchema>;

/** A prompt as the client sends it, before parsing. */
export type PromptInput = z.input<typeof PromptSchema>;
