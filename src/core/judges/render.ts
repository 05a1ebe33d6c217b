// Renders a comparison as chat messages for the verifier, and parses such messages back.
import { canonicalJson } from "../contract/canonical-json.ts";
import { ApiError } from "../faults/errors.ts";
import { didYouMean } from "../faults/suggestion.ts";
import { type Escape, escapeText, unescapeText } from "./escape/escape.ts";
import { createGuard, type Guard } from "./escape/guard.ts";
import { marksOf } from "./escape/marks.ts";
import { createPresetRenderer } from "./preset-render.ts";
import { shownIn } from "./presets/preset.ts";
import { backendFor, presetNamed, presetNames, STEP_SUMMARY } from "./presets/table.ts";
import { asItIs, type ChatMessage, type PromptJob, type Writing, writtenParts } from "./prompt-job.ts";
import { PROMPTS } from "./templates.generated.ts";

export type PromptForm = "exact_match" | "scores";
type PromptName = keyof typeof PROMPTS;

export const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

const isTemplate = (name: string): name is PromptName => Object.hasOwn(PROMPTS, name);

/** Whether a prompt or preset with this name exists. */
export const isPromptName = (name: string): boolean => isTemplate(name) || presetNamed(name) !== null;

/** Whether a prompt is sent as a raw completion instead of chat messages. */
export const isCompletion = (name: string): boolean => presetNamed(name)?.style === "completion";

/** Minimum and maximum number of candidates that a prompt shows. */
export const shownBy = (name: string): readonly [number, number] => shownIn(presetNamed(name));

/** Names of all prompts and presets. */
export const promptNames = (): string[] => [...Object.keys(PROMPTS), ...presetNames()];

/** Names of the prompts that are answered by chat models. */
export const chatPrompts = (): string[] => promptNames().filter((name) => backendFor(name) === "chat");

/**
 * Returns the part of the spec hash that identifies a prompt: `sha256:…` of a built-in template, or a preset
 * as canonical JSON.
 * @throws ApiError `unknown_prompt`, naming the field `path`
 */
export function promptHash(name: string, path?: string): string {
  const preset = presetNamed(name);
  if (preset === null) return promptNamed(name, path).hash;
  // `invalid` has an effect only together with a setting that is hashed itself.
  const first = preset.summary && { summary: presetNamed(STEP_SUMMARY) };
  return canonicalJson({ ...preset, invalid: undefined, ...first });
}

function promptNamed(name: string, path = "spec.judge.prompt"): (typeof PROMPTS)[PromptName] {
  if (isTemplate(name)) return PROMPTS[name];
  const known = promptNames().join(", ");
  const suggestion = didYouMean(name, promptNames());
  const message = `must be one of: ${known}, or stored by PUT /v1/templates/:name${suggestion}`;
  throw new ApiError("unknown_prompt", `${path}: ${message}`, { errors: [{ path, message }] });
}

type TemplateSlot = "question" | "candidates" | "options" | "count" | "score_slots";
interface Section {
  role: string;
  /**
   * Alternating texts and slot names, starting with a text. All slots are filled in one pass, so that data is
   * never interpolated twice.
   */
  parts: string[];
}

const sectionsOf = new Map<string, Section[]>();

function sections(name: string, form: PromptForm): Section[] {
  const key = `${name}.${form}`;
  const known = sectionsOf.get(key);
  if (known !== undefined) return known;
  const pieces = promptNamed(name)[form].split(/^\[\[(system|user)\]\]\n/m);
  const made: Section[] = [];
  for (let i = 1; i < pieces.length; i += 2) {
    made.push({ role: pieces[i] as string, parts: (pieces[i + 1] ?? "").trim().split(/\{\{(\w+)\}\}/) });
  }
  sectionsOf.set(key, made);
  return made;
}

const guards = new Map<string, Guard>();
/** The block around one candidate, as alternating texts and slot names. */
const BLOCK = ["[CANDIDATE_", "letter", "]\n", "text", "\n[/CANDIDATE_", "letter", "]"];

/**
 * Returns the guard that breaks everything in model text that could be mistaken for a part of the template.
 */
function guardOf(name: string, form: PromptForm): Guard {
  const key = `${name}.${form}`;
  const known = guards.get(key);
  if (known !== undefined) return known;
  const made = createGuard(marksOf({ messages: sections(name, form).map(({ parts }) => parts), candidate: [BLOCK] }));
  guards.set(key, made);
  return made;
}

/**
 * Language tags that may follow a code fence: a single word without characters that could end the line or
 * fence.
 */
const LANGUAGE_TAG = /^[A-Za-z0-9+#._-]{1,32}$/;

/** Returns a code fence of at least three backticks that is longer than any run of backticks in the code. */
export function fenceFor(code: string): string {
  let longest = 2;
  for (const run of code.match(/`{3,}/g) ?? []) longest = Math.max(longest, run.length);
  return "`".repeat(longest + 1);
}

/**
 * Creates a renderer for comparisons of the candidates of one job. Each candidate is escaped only once,
 * however many comparisons show it.
 * @param quote escapes model text; if the engine's tokenizer is known, also breaks the tokenizer's special
 * tokens
 * @param write encodes the contents, once per string and job
 * @returns a function from an order (candidate indices, letter A first) to the chat messages
 * @throws ApiError `unknown_prompt`
 */
export function createRenderer(
  name: string,
  form: PromptForm,
  job: PromptJob,
  quote: Escape = escapeText,
  write: Writing = asItIs,
): (order: readonly number[]) => ChatMessage[] {
  const preset = presetNamed(name);
  if (preset !== null) return createPresetRenderer(preset, job, quote, write);
  const template = sections(name, form).map(({ role, parts }) => ({ role, parts: writtenParts(parts, write) }));
  const marks = guardOf(name, form);
  const guard: Escape = (text) => marks(quote(text));
  const question = write(guard(job.question));
  const language = LANGUAGE_TAG.test(job.language ?? "") ? job.language : "";
  const blocks = job.candidates.map((text) => {
    const code = guard(text);
    const fence = fenceFor(code);
    return write(`]\n${fence}${language}\n${code}\n${fence}\n[/CANDIDATE_`);
  });
  const between = write("\n\n");

  return (order) => {
    const letters = [...LETTERS.slice(0, order.length)];
    const shown = order.map((index, k) => `[CANDIDATE_${letters[k]}${blocks[index]}${letters[k]}]`);
    const slots: Record<TemplateSlot, string> = {
      question,
      candidates: shown.join(between),
      options: letters.join(", "),
      count: String(order.length),
      score_slots: letters.map((letter) => `score ${letter}`).join(", "),
    };
    return template.map(({ role, parts }) => ({
      role,
      content: parts.map((part, i) => (i % 2 === 0 ? part : slots[part as TemplateSlot])).join(""),
    }));
  };
}

export interface ReadPrompt {
  question: string;
  /** Candidates in the order of their letters. `language` is the tag of the code fence, or null. */
  candidates: { code: string; language: string | null }[];
  form: PromptForm;
}

/** Parses a message that `createRenderer` has rendered. Returns null for any other string. */
export function parsePrompt(content: string): ReadPrompt | null {
  const question = /^\[QUESTION\]\n([\s\S]*?)\n\[\/QUESTION\]\n/.exec(content);
  if (question === null) return null;
  const candidates: ReadPrompt["candidates"] = [];
  const blocks = /\[CANDIDATE_([A-Z])\]\n(`{3,})([^\n`]*)\n([\s\S]*?)\n\2\n\[\/CANDIDATE_\1\]/gy;
  blocks.lastIndex = question[0].length;
  for (;;) {
    while (content[blocks.lastIndex] === "\n") blocks.lastIndex++;
    const at = blocks.lastIndex;
    const match = blocks.exec(content);
    if (match === null) {
      if (candidates.length < 2) return null;
      return {
        question: unescapeText(question[1] as string),
        candidates,
        form: content.includes("\\boxed{[", at) ? "scores" : "exact_match",
      };
    }
    if (match[1] !== LETTERS[candidates.length]) return null;
    candidates.push({
      code: unescapeText(match[4] as string),
      language: match[3] === "" ? null : (match[3] as string),
    });
  }
}
