// Parses a comparison from a chat: our own prompt format, or a JSON object.
import * as z from "zod";
import { type Group, GroupSchema, type Rollout } from "../../core/contract/group.ts";
import type { PromptInput } from "../../core/contract/prompt.ts";
import { bound } from "../../core/faults/limit-advice.ts";
import { type PromptForm, parsePrompt } from "../../core/judges/render.ts";
import { elements } from "../content/pieces.ts";
import { requireShown } from "../content/shown-body.ts";
import { invalidRequest, validAt } from "../door/validation.ts";
import { CompletionSchema, messageText, PromptSchema, type RequestMessage } from "./shared/messages.ts";

interface JudgeQuestion {
  group: Group;
  /** The candidates, for choosing a spec; empty if any candidate is a run, since runs are judged whole. */
  texts: readonly string[];
  /** The requested answer format: a letter, or a score per candidate. */
  form: PromptForm;
}

const OPENING = "[QUESTION]\n";

const ObjectSchema = z.object({
  question: z.union([z.string(), PromptSchema]),
  candidates: z
    .array(CompletionSchema)
    .min(...bound("list_candidates_min"))
    .max(...bound("verdict_candidates_max")),
  language: z.string().optional(),
  form: z.enum(["exact_match", "scores"]).default("exact_match"),
});

interface Asked {
  question: PromptInput;
  candidates: readonly Rollout[];
  language: string | null;
  form: PromptForm;
}

function fromObject(text: string, field: string): Asked | null {
  if (!text.trimStart().startsWith("{")) return null;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  const { question: asked, candidates: shown, ...rest } = body as Record<string, unknown>;
  requireShown(Array.isArray(asked) ? "prompt" : "text", asked, ["question"]);
  for (const [i, candidate] of Array.isArray(shown) ? elements(shown) : [])
    requireShown(Array.isArray(candidate) ? "trajectory" : "text", candidate, ["candidates", i]);
  requireShown("row", rest, []);
  const { language = null, ...read } = validAt(ObjectSchema, body, [field]);
  return { ...read, language };
}

function fromPrompt(text: string): Asked | null {
  const start = text.indexOf(OPENING);
  const read = start < 0 ? null : parsePrompt(text.slice(start));
  if (read === null) return null;
  const languages = new Set(read.candidates.map(({ language }) => language));
  const language = languages.size === 1 ? (read.candidates[0]?.language ?? null) : null;
  const candidates = read.candidates.map(({ code }) => ({ text: code }));
  return { question: read.question, candidates, language, form: read.form };
}

/**
 * Parses the comparison in the last user message. Other messages are ignored.
 * @param field path of the messages in the body
 * @throws ApiError `invalid_request` if the user message is missing or contains no candidates to compare
 */
export function judgeQuestion(messages: readonly RequestMessage[], field = "messages"): JudgeQuestion {
  const last = messages.filter(({ role }) => role === "user").at(-1);
  if (last === undefined) throw invalidRequest([{ path: field, message: "contains no user message" }]);
  const text = messageText(last);
  const read = fromPrompt(text) ?? fromObject(text, field);
  if (read === null) {
    const shapes = `a [QUESTION] block followed by lettered [CANDIDATE_X] blocks, or as JSON {"question", "candidates"}`;
    throw invalidRequest([{ path: field, message: `the last user message is not a comparison; send ${shapes}` }]);
  }
  const { question: prompt, candidates, language, form } = read;
  const rollouts = candidates.map(({ text, messages }) => (messages === undefined ? { text } : { messages }));
  const group = { prompt, rollouts, ...(language !== null && { language }) };
  const texts = candidates.some(({ messages }) => messages !== undefined) ? [] : candidates.map(({ text }) => text);
  return { group: validAt(GroupSchema, group, [field]), texts, form };
}
