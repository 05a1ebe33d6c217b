// Renders questions of a preset: data into slots in one pass, so that none is interpolated twice.
import { type Escape, escapeText } from "./escape/escape.ts";
import { createGuard, type Guard } from "./escape/guard.ts";
import { marksOf } from "./escape/marks.ts";
import type { Preset } from "./presets/preset.ts";
import {
  asItIs,
  type ChatMessage,
  type GivenMessage,
  type PromptJob,
  type Writing,
  writtenParts,
} from "./prompt-job.ts";

const SLOT = /\{\{(\w+)\}\}/;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** What stands where a spec gives no rubric, and no principle. */
const RUBRIC = "The response does what was asked, correctly and completely.";
const PRINCIPLE = "Prefer what is correct, helpful and complete.";

type SlotValues = Readonly<Record<string, string>>;

/** Text and slots in turn, as `split` gives them. */
const fill = (parts: readonly string[], slots: SlotValues): string =>
  parts.map((part, i) => (i % 2 === 0 ? part : (slots[part] ?? ""))).join("");

/** Text and slots in turn, of what the asker says itself. */
const partsOf = ({ parts }: GivenMessage): string[] => {
  const split = [""];
  for (const part of parts) {
    if (typeof part === "string") split[split.length - 1] += part;
    else split.push("", "");
  }
  return split;
};

const guards = new WeakMap<Preset, Map<string, Guard>>();
/** Most sets of askers' messages of one preset whose guards are kept. */
const GUARDS_MAX = 16;

/**
 * Breaks in model text whatever could pass for a part of the preset's words, or of the asker's own:
 * one a template, however many jobs.
 */
export function guardOf(preset: Preset, given: readonly GivenMessage[] = []): Guard {
  const before = given.map(partsOf);
  const key = given.length === 0 ? "" : JSON.stringify(before);
  const known = guards.get(preset) ?? new Map<string, Guard>();
  const found = known.get(key);
  if (found !== undefined) return found;
  const { messages, candidate, between = "", parser } = preset;
  const written = messages.map(({ text }) => text.split(SLOT));
  const made = createGuard(
    marksOf({ messages: [...before, ...written], candidate: [candidate.split(SLOT), [between]], parser }),
  );
  if (known.size >= GUARDS_MAX) known.clear();
  guards.set(preset, known.set(key, made));
  return made;
}

/**
 * Renders questions over one job's candidates in a preset's words.
 * @param quote how model text is made harmless; the marks of the preset's words are broken besides
 * @param write how contents are written
 */
export function createPresetRenderer(
  preset: Preset,
  job: PromptJob,
  quote: Escape = escapeText,
  write: Writing = asItIs,
): (shown: readonly number[]) => ChatMessage[] {
  const marks = guardOf(preset, job.slots?.messages);
  const guard = onDemand((text) => marks(quote(text)));
  const written = onDemand((text) => write(guard(text)));
  const literal = onDemand((text) => write(JSON.stringify(guard(text))));
  const { reference = "", rubric = RUBRIC, principle = PRINCIPLE } = job.slots ?? {};
  const given = { question: job.question, language: job.language ?? "", reference, rubric, principle };
  const slots: Record<string, string> = {};
  for (const [name, text] of Object.entries(given)) {
    slots[name] = written(text);
    slots[`${name}_json`] = literal(text);
  }
  const partsOfText = (text: string) => writtenParts(text.split(SLOT), write);
  const candidate = partsOfText(preset.candidate);
  const between = write(preset.between ?? "\n\n");
  const messages = preset.messages.map(({ role, text, each }) => ({
    ...{ role: role.split(SLOT), text: partsOfText(text), each },
  }));
  const slotsOf = (index: number, place: number): SlotValues => {
    const text = job.candidates[index] ?? "";
    return { ...slots, letter: LETTERS[place] ?? "", n: `${place + 1}`, text: written(text), json: literal(text) };
  };
  const shownAs = (index: number) => written(job.candidates[index] ?? "");
  const before = givenBy(job.slots?.messages ?? [], { written, write, shownAs });
  return (shown) => {
    const all: SlotValues = {
      ...slots,
      candidates: shown.map((index, place) => fill(candidate, slotsOf(index, place))).join(between),
      letters: [...LETTERS.slice(0, shown.length)].join(", "),
      count: `${shown.length}`,
    };
    const rendered = messages.flatMap(({ role, text, each }) =>
      (each === true ? shown.map(slotsOf) : [all]).map((slots) => ({
        role: fill(role, slots),
        content: fill(text, slots),
      })),
    );
    return before === null ? rendered : alternating([...before(shown), ...rendered], write);
  };
}

/** Each text once, when it is asked for: a job may show few of its candidates. */
function onDemand(guard: Escape): Escape {
  const guarded = new Map<string, string>();
  return (text) => {
    const safe = guarded.get(text) ?? guard(text);
    guarded.set(text, safe);
    return safe;
  };
}

interface Written {
  write: Writing;
  /** Model text, guarded. */
  written: Escape;
  shownAs: (index: number) => string;
}

/** The asker's own messages over what is shown; null where there are none. */
function givenBy(messages: readonly GivenMessage[], { write, written, shownAs }: Written) {
  if (messages.length === 0) return null;
  const textOf = (part: GivenMessage["parts"][number], shown: readonly number[]) => {
    if (typeof part === "string") return write(part);
    return "data" in part ? written(part.data) : shownAs(shown[part.shown] as number);
  };
  return (shown: readonly number[]): ChatMessage[] =>
    messages.map(({ role, parts }) => ({ role, content: parts.map((part) => textOf(part, shown)).join("") }));
}

/** Several chat templates refuse two messages of one role in a row: such are one. */
function alternating(messages: readonly ChatMessage[], write: Writing): ChatMessage[] {
  const joined: ChatMessage[] = [];
  for (const { role, content } of messages) {
    const last = joined.at(-1);
    if (last?.role === role) last.content += write("\n\n") + content;
    else joined.push({ role, content });
  }
  return joined;
}
