// Recovers the preset and the strings in its slots from a judge's prompt. Works from the table of presets, so
// that new presets need no code here.
import { unescapeText } from "../../../src/core/judges/escape/escape.ts";
import { BUILT_IN } from "../../../src/core/judges/presets/built-in.ts";
import { templateOfKey } from "../../../src/core/judges/presets/own.ts";
import { type Preset, type PresetMessage, shownIn } from "../../../src/core/judges/presets/preset.ts";
import { presetNamed, STEP_SUMMARY } from "../../../src/core/judges/presets/table.ts";
import { LETTERS } from "../../../src/core/judges/render.ts";

export interface AskedMessage {
  role: string;
  content: string;
}

export interface JudgePrompt {
  preset: Preset;
  question: string;
  /** The shown candidates, in order. */
  candidates: string[];
  /** Number of choices for each criterion of the rubric; 0: met or not met. Without a rubric, a single 0. */
  criteria: number[];
  /** Number of paragraphs in the candidate; 0 if there are none. */
  steps: number;
}

/** The preset that asks for a summary in steps before they are judged. */
export const STEPS = presetNamed(STEP_SUMMARY) as Preset;

const SLOT = /\{\{(\w+)\}\}/;
type Slots = Record<string, string>;

/**
 * Finds the preset that produced the messages, and recovers the unescaped strings in its slots. Returns null
 * for other messages.
 * @param templateKey the template named in the request; if given, no preset is tried
 */
export function readJudgePrompt(messages: readonly AskedMessage[], templateKey?: string | null): JudgePrompt | null {
  if (templateKey != null) {
    const template = templateOfKey(templateKey);
    return template === null ? null : readAs(template, messages);
  }
  for (const preset of [...Object.values(BUILT_IN), STEPS]) {
    const read = readAs(preset, messages);
    if (read !== null) return read;
  }
  return null;
}

function readAs(preset: Preset, messages: readonly AskedMessage[]): JudgePrompt | null {
  const slots: Slots = {};
  const candidates: string[] = [];
  const [min, max] = shownIn(preset);
  let at = 0;
  for (const expected of messagesOf(preset)) {
    const from = at;
    do {
      const place = expected.each ? candidates.length : 0;
      const message = messages[at];
      const read = message === undefined ? null : readMessage(preset, expected, message, place);
      if (read === null) break;
      at++;
      Object.assign(slots, read.slots);
      candidates.push(...read.candidates);
    } while (expected.each && candidates.length < max);
    if (at === from) return null;
  }
  if (at !== messages.length || candidates.length < min || candidates.length > max) return null;
  const question = plain(slots, "question") ?? "";
  const rubric = plain(slots, "rubric") ?? "";
  const criteria = rubric.split("\n").flatMap((line) => (line.trim() === "" ? [] : choicesIn(line)));
  const steps = stepsIn(candidates[0] ?? "");
  return { preset, question, candidates, criteria: criteria.length === 0 ? [0] : criteria, steps };
}

/** Number of choices in a criterion's line, as written by the `rubric` kind. */
const choicesIn = (line: string): number => line.match(/ \(choices: (1 = .*)\)$/)?.[1]?.match(/\b\d+ = /g)?.length ?? 0;

const stepsIn = (text: string): number => text.match(/^<paragraph_\d+>$/gm)?.length ?? 0;

/** The preset's messages. A completion preset joins them into one. */
const messagesOf = ({ style, messages }: Preset): readonly PresetMessage[] =>
  style === "completion" ? [{ role: "user", text: messages.map(({ text }) => text).join("\n\n") }] : messages;

interface ReadMessage {
  slots: Slots;
  candidates: string[];
}

function readMessage(
  preset: Preset,
  { role, text, each }: PresetMessage,
  message: AskedMessage,
  place: number,
): ReadMessage | null {
  if (message.role !== atPlace(role, place)) return null;
  if (each) {
    const read = fitted(message.content, text.split(SLOT));
    const candidate = read === null ? undefined : plain(read, "text", "json");
    return read === null || candidate === undefined ? null : { slots: {}, candidates: [candidate] };
  }
  const [head, tail] = text.split("{{candidates}}");
  if (tail === undefined) {
    const slots = fitted(message.content, text.split(SLOT));
    return slots === null ? null : { slots, candidates: [] };
  }
  return readCandidates(preset, message.content, (head ?? "").split(SLOT), tail.split(SLOT));
}

/** Parses a message with candidates between two parts that contain other slots. */
function readCandidates(
  preset: Preset,
  content: string,
  head: readonly string[],
  tail: readonly string[],
): ReadMessage | null {
  const form = candidateForm(preset);
  if (form === null) return null;
  const begins = [...head.slice(0, -1), `${head.at(-1)}${form.before(0)}`];
  const opened = fitted(content, [...begins, "rest", ""]);
  if (opened === null) return null;
  const rest = opened.rest as string;
  const candidates: string[] = [];
  let at = 0;
  for (;;) {
    const place = candidates.length;
    const next = rest.indexOf(form.after(place) + form.between + form.before(place + 1), at);
    const end = endOf(rest, form.after(place), tail, at);
    const to = next >= 0 && (end < 0 || next < end) ? next : end;
    if (to < 0) return null;
    const text = plain({ [form.slot]: rest.slice(at, to) }, "text", "json");
    if (text === undefined) return null;
    candidates.push(text);
    if (to === end) {
      const { rest: _, ...slots } = opened;
      const closed = fitted(rest.slice(to + form.after(place).length), tail);
      return closed === null ? null : { slots: { ...slots, ...closed }, candidates };
    }
    at = to + (form.after(place) + form.between + form.before(place + 1)).length;
  }
}

/**
 * Index where the last candidate ends: before the string that closes the candidate and the next part of the
 * message.
 */
function endOf(rest: string, after: string, tail: readonly string[], from: number): number {
  const closing = after + tail[0];
  if (tail.length > 1) return rest.indexOf(closing, from);
  const end = rest.length - closing.length;
  return end >= from && rest.endsWith(closing) ? end : -1;
}

interface CandidateForm {
  slot: string;
  before(place: number): string;
  after(place: number): string;
  between: string;
}

/** The strings around a candidate's slot; null if the slot occurs twice. */
function candidateForm({ candidate, between = "\n\n" }: Preset): CandidateForm | null {
  const [before, slot, after, ...more] = candidate.split(/\{\{(text|json)\}\}/);
  if (slot === undefined || more.length > 0) return null;
  return {
    slot,
    before: (place) => atPlace(before as string, place),
    after: (place) => atPlace(after as string, place),
    between,
  };
}

/** Fills in the letter and the number, which depend only on the candidate's position. */
const atPlace = (text: string, place: number): string =>
  text.replaceAll("{{letter}}", LETTERS[place] ?? "").replaceAll("{{n}}", `${place + 1}`);

/**
 * Extracts the slots from a string. `parts` alternates literal strings and slot names. Null if the string
 * does not match.
 */
function fitted(text: string, parts: readonly string[]): Slots | null {
  const [first = ""] = parts;
  if (!text.startsWith(first) || (parts.length === 1 && text !== first)) return null;
  const slots: Slots = {};
  let at = first.length;
  for (let i = 1; i < parts.length; i += 2) {
    const next = parts[i + 1] as string;
    const last = i + 2 >= parts.length;
    const end = last ? text.length - next.length : text.indexOf(next, at);
    if (end < at || (last && !text.endsWith(next))) return null;
    slots[parts[i] as string] = text.slice(at, end);
    at = end + next.length;
  }
  return slots;
}

/** The unescaped string of a slot, from its plain or its JSON form. */
function plain(slots: Slots, name: string, json = `${name}_json`): string | undefined {
  const quoted = slots[json];
  if (quoted === undefined) return slots[name] === undefined ? undefined : unescapeText(slots[name]);
  try {
    const text: unknown = JSON.parse(quoted);
    return typeof text === "string" ? unescapeText(text) : undefined;
  } catch {
    return undefined;
  }
}
