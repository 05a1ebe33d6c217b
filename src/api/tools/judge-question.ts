// Owns reading a comparison out of a chat: our own prompt's shape, or a JSON object. Knows no HTTP
// and no verdict.
import * as z from "zod";
import { type Group, GroupSchema } from "../../core/contract/requests.ts";
import { bound } from "../../core/faults/limit-advice.ts";
import { type PromptForm, parsePrompt } from "../../core/judges/render.ts";
import { requireShown } from "../content/shown-body.ts";
import { invalidRequest, validAt } from "../door/validation.ts";
import { messageText, type RequestMessage } from "./shared/messages.ts";

interface JudgeQuestion {
  group: Group;
  /** What the asker wants back: a letter, or a score for each candidate. */
  form: PromptForm;
}

const OPENING = "[QUESTION]\n";

const ObjectSchema = z.object({
  question: z.string(),
  candidates: z
    .array(z.string())
    .min(...bound("list_candidates_min"))
    .max(...bound("verdict_candidates_max")),
  language: z.string().optional(),
  form: z.enum(["exact_match", "scores"]).default("exact_match"),
});

function fromObject(
  text: string,
  field: string,
): { question: string; codes: string[]; language: string | null; form: PromptForm } | null {
  if (!text.trimStart().startsWith("{")) return null;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  const { question: asked, candidates: shown, ...rest } = body as Record<string, unknown>;
  requireShown("text", asked, ["question"]);
  requireShown("text", shown, ["candidates"]);
  requireShown("row", rest, []);
  const { question, candidates, language = null, form } = validAt(ObjectSchema, body, [field]);
  return { question, codes: candidates, language, form };
}

function fromPrompt(text: string): ReturnType<typeof fromObject> {
  const start = text.indexOf(OPENING);
  const read = start < 0 ? null : parsePrompt(text.slice(start));
  if (read === null) return null;
  const languages = new Set(read.candidates.map(({ language }) => language));
  const language = languages.size === 1 ? (read.candidates[0]?.language ?? null) : null;
  return { question: read.question, codes: read.candidates.map(({ code }) => code), language, form: read.form };
}

/**
 * The comparison that the last user message puts. Nothing else is forwarded: a spec's verifier
 * compares candidates, and a text that shows none cannot be answered with a verdict.
 * @param field where the messages stand in the body
 * @throws ApiError `invalid_request` when there is no such message or it has another shape
 */
export function judgeQuestion(messages: readonly RequestMessage[], field = "messages"): JudgeQuestion {
  const last = messages.filter(({ role }) => role === "user").at(-1);
  if (last === undefined) throw invalidRequest([{ path: field, message: "holds no user message" }]);
  const text = messageText(last);
  const read = fromPrompt(text) ?? fromObject(text, field);
  if (read === null) {
    const shapes = `a [QUESTION] block followed by lettered [CANDIDATE_X] blocks, or as JSON {"question", "candidates"}`;
    throw invalidRequest([{ path: field, message: `the last user message is no comparison; it must be ${shapes}` }]);
  }
  const { question: prompt, codes, language, form } = read;
  const group = { prompt, rollouts: codes.map((code) => ({ text: code })), ...(language !== null && { language }) };
  return { group: validAt(GroupSchema, group, [field]), form };
}
