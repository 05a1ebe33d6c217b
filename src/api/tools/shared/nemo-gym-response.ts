// Parses a rollout in NeMo-Gym's /verify body: converts a request and response of OpenAI's Responses API to
// prompt, answer and length.
import * as z from "zod";
import { said } from "#said";
import { type Rollout, RolloutSchema, readRollout } from "../../../core/contract/group.ts";
import { bound } from "../../../core/faults/limit-advice.ts";
import { isThought } from "../../../core/transcript/thoughts.ts";
import { actsIn, answerOf, areWords, messagesOf, turnsOf } from "../../../core/transcript/turns.ts";
import { PromptSchema } from "./messages.ts";
import { CORRECT } from "./page.ts";

const TextsSchema = z
  .array(z.looseObject({ type: z.unknown().optional(), text: z.string().nullish() }))
  .max(...bound("content_parts_max"))
  .nullish();

const ItemSchema = z.looseObject({
  type: z.string().nullish(),
  role: z.string().nullish(),
  content: z.union([z.string(), TextsSchema]).nullish(),
  summary: TextsSchema,
  output: z.unknown().optional(),
});
type Item = z.output<typeof ItemSchema>;

export const ResponseSchema = z.object({
  output: z.array(ItemSchema).max(...bound("response_items_max")),
  usage: z.object({ output_tokens: RolloutSchema.shape.length_tokens.nullish() }).nullish(),
  incomplete_details: z.object({ reason: z.string().nullish() }).nullish(),
});

/** An example response, for the API reference. */
export const RESPONSE_EXAMPLE = {
  id: "resp_1",
  created_at: 0,
  model: "policy",
  object: "response",
  output: [
    { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "Filter, then sum." }] },
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: CORRECT, annotations: [] }],
    },
  ],
  parallel_tool_calls: true,
  tool_choice: "auto",
  tools: [],
  usage: { input_tokens: 40, output_tokens: 96, total_tokens: 136 },
};

export const CreateParamsSchema = z.object({
  input: z.union([
    z.string(),
    z
      .array(ItemSchema)
      .max(...bound("messages_max"))
      .meta(
        said(
          "empty in rows whose resources server writes the prompt; such rows are distinguished by their other fields",
        ),
      ),
  ]),
  instructions: z.string().nullish(),
});

const joined = (texts: z.output<typeof TextsSchema>) => (texts ?? []).map(({ text }) => text ?? "").join("");

/** Whether an item is a plain message, a thought or a tool result. Other items are turns of an agent. */
const isSaid = (item: Item): boolean =>
  item.type == null || item.type === "message"
    ? typeof item.role === "string" && areWords([item])
    : item.type === "reasoning" || item.type === OUTPUT;
const OUTPUT = "function_call_output";

/** Converts an input item to a chat message; null for a thought. */
function message(item: Item): unknown {
  if (item.type === "reasoning") return null;
  if (item.type === OUTPUT) {
    return {
      role: "tool",
      content: typeof item.output === "string" ? item.output : JSON.stringify(item.output ?? null),
    };
  }
  return { role: item.role, content: item.content };
}

/** Converts `responses_create_params` to a prompt. A string without instructions stays a string. */
export const GymPromptSchema = CreateParamsSchema.transform(({ input, instructions }) => {
  if (typeof input === "string" && (instructions ?? "") === "") return input;
  const system = (instructions ?? "") === "" ? null : { role: "system", content: instructions };
  const asSaid = typeof input === "string" || input.every(isSaid);
  const turns = typeof input === "string" ? [{ role: "user", content: input }] : input.map(message);
  if (system === null && turns.length === 0) return "";
  return [system, ...(asSaid ? turns : messagesOf(turnsOf(input)))].filter((turn) => turn !== null) as z.input<
    typeof PromptSchema
  >;
}).pipe(PromptSchema);

interface ResponseAnswer {
  thoughts: string[];
  /** The message; null if there are only thoughts so far. */
  text: string | null;
}

/** The thoughts and message of the last turn. A tool call or a tool's output starts a new turn. */
function lastAnswer(output: readonly Item[]): ResponseAnswer {
  let answer: ResponseAnswer = { thoughts: [], text: null };
  for (const { type, content, summary } of output) {
    if (type === "reasoning") {
      if (answer.text !== null) answer = { thoughts: [], text: null };
      const thought = joined(Array.isArray(content) ? content : null) || joined(summary);
      if (thought !== "") answer.thoughts.push(thought);
    } else if (type === "message") {
      const text = typeof content === "string" ? content : joined(content?.filter((part) => !isThought(part)));
      answer = { thoughts: answer.thoughts, text: text };
    } else {
      answer = { thoughts: [], text: null };
    }
  }
  return answer;
}

/**
 * Converts `response` to a rollout: the thoughts between think tags, as the policy wrote them, followed by
 * the last message. If the response was cut off in the thoughts, the tag is not closed.
 */
export const GymRolloutSchema = ResponseSchema.transform(({ output, usage, incomplete_details }): Rollout => {
  const length_tokens = usage?.output_tokens ?? undefined;
  const known = {
    finish_reason: incomplete_details?.reason === "max_output_tokens" ? ("length" as const) : ("stop" as const),
    ...(length_tokens !== undefined && { length_tokens }),
  };
  const turns = turnsOf(output);
  const { thoughts, text } = lastAnswer(output);
  // A message that is followed by a thought is not the last answer, but was still part of the run.
  const isRun = turns.length > 1 || actsIn(turns) || (text === null && answerOf(turns) !== "");
  if (isRun) return { ...readRollout({ text: "", messages: output }), ...known };
  const thought = thoughts.join("\n");
  const closed = text === null ? "" : `\n</think>\n${text}`;
  return { text: thought === "" ? (text ?? "") : `<think>\n${thought}${closed}`, ...known };
}).pipe(RolloutSchema);
