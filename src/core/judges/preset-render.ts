// Renders questions of a preset: data into slots in one pass, so that none is interpolated twice.
import { type Escape, escapeText } from "./escape/escape.ts";
import { createGuard, type Guard } from "./escape/guard.ts";
import { marksOf } from "./escape/marks.ts";
import type { Preset } from "./presets/preset.ts";
import type { ChatMessage, GivenMessage, PromptJob } from "./prompt-job.ts";

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
 */
export function createPresetRenderer(
  preset: Preset,
  job: PromptJob,
  quote: Escape = escapeText,
): (shown: readonly number[]) => ChatMessage[] {
  const marks = guardOf(preset, job.slots?.messages);
  const guard = onDemand((text) => marks(quote(text)));
  const { reference = "", rubric = RUBRIC, principle = PRINCIPLE } = job.slots ?? {};
  const given = { question: job.question, language: job.language ?? "", reference, rubric, principle };
  const slots: Record<string, string> = {};
  for (const [name, text] of Object.entries(given)) {
    slots[name] = guard(text);
    slots[`${name}_json`] = JSON.stringify(slots[name]);
  }
  const shownAs = (index: number) => guard(job.candidates[index] ?? "");
  const candidate = preset.candidate.split(SLOT);
  const messages = preset.messages.map(({ role, text, each }) => ({
    ...{ role: role.split(SLOT), text: text.split(SLOT), each },
  }));
  const slotsOf = (index: number, place: number): SlotValues => {
    const text = shownAs(index);
    return { ...slots, letter: LETTERS[place] ?? "", n: `${place + 1}`, text, json: JSON.stringify(text) };
  };
  const before = givenBy(job.slots?.messages ?? [], guard, shownAs);
  return (shown) => {
    const all: SlotValues = {
      ...slots,
      candidates: shown.map((index, place) => fill(candidate, slotsOf(index, place))).join(preset.between ?? "\n\n"),
      letters: [...LETTERS.slice(0, shown.length)].join(", "),
      count: `${shown.length}`,
    };
    const rendered = messages.flatMap(({ role, text, each }) =>
      (each === true ? shown.map(slotsOf) : [all]).map((slots) => ({
        role: fill(role, slots),
        content: fill(text, slots),
      })),
    );
    return before === null ? rendered : alternating([...before(shown), ...rendered]);
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

/** The asker's own messages over what is shown; null where there are none. */
function givenBy(messages: readonly GivenMessage[], guard: Escape, shownAs: (index: number) => string) {
  if (messages.length === 0) return null;
  return (shown: readonly number[]): ChatMessage[] =>
    messages.map(({ role, parts }) => ({
      role,
      content: parts
        .map((part) =>
          typeof part === "string" ? part : "data" in part ? guard(part.data) : shownAs(shown[part.shown] as number),
        )
        .join(""),
    }));
}

/** Several chat templates refuse two messages of one role in a row: such are one. */
function alternating(messages: readonly ChatMessage[]): ChatMessage[] {
  const joined: ChatMessage[] = [];
  for (const { role, content } of messages) {
    const last = joined.at(-1);
    if (last?.role === role) last.content += `\n\n${content}`;
    else joined.push({ role, content });
  }
  return joined;
}
