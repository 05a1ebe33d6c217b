// Renders the questions of a preset. All slots are filled in one pass, so that data is never interpolated
// twice.
import { type Escape, escapeText } from "./escape/escape.ts";
import { createGuard, type Guard } from "./escape/guard.ts";
import { marksOf } from "./escape/marks.ts";
import type { Preset } from "./presets/preset.ts";
import { asItIs, type ChatMessage, type PromptJob, type Writing, writtenParts } from "./prompt-job.ts";

const SLOT = /\{\{(\w+)\}\}/;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** Defaults for specs without a rubric or a principle. */
const RUBRIC = "The response does what was asked, correctly and completely.";
const PRINCIPLE = "Prefer what is correct, helpful and complete.";

type SlotValues = Readonly<Record<string, string>>;

/** Fills a template that has been split into alternating texts and slot names. */
const fill = (parts: readonly string[], slots: SlotValues): string =>
  parts.map((part, i) => (i % 2 === 0 ? part : (slots[part] ?? ""))).join("");

const guards = new WeakMap<Preset, Guard>();

/**
 * Returns a preset's guard, which breaks everything in model text that could be mistaken for a part of the
 * preset. All jobs with the same preset share one guard.
 */
export function guardOf(preset: Preset): Guard {
  const known = guards.get(preset);
  if (known !== undefined) return known;
  const { messages, candidate, between = "", parser } = preset;
  const written = messages.map(({ text }) => text.split(SLOT));
  const made = createGuard(marksOf({ messages: written, candidate: [candidate.split(SLOT), [between]], parser }));
  guards.set(preset, made);
  return made;
}

/**
 * Creates a renderer for questions about the candidates of one job.
 * @param quote escapes model text, before the preset's guard breaks the preset's marks
 * @param write encodes the contents
 */
export function createPresetRenderer(
  preset: Preset,
  job: PromptJob,
  quote: Escape = escapeText,
  write: Writing = asItIs,
): (shown: readonly number[]) => ChatMessage[] {
  const marks = guardOf(preset);
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
  const showsJson = [preset.candidate, ...preset.messages.map(({ text }) => text)].some((text) =>
    text.includes("{{json}}"),
  );
  const messages = preset.messages.map(({ role, text, each }) => ({
    ...{ role: role.split(SLOT), text: partsOfText(text), each },
  }));
  const slotsOf = (index: number, place: number): SlotValues => {
    const text = job.candidates[index] ?? "";
    const json = showsJson ? literal(text) : "";
    return { ...slots, letter: LETTERS[place] ?? "", n: `${place + 1}`, text: written(text), json };
  };
  return (shown) => {
    const all: SlotValues = {
      ...slots,
      candidates: shown.map((index, place) => fill(candidate, slotsOf(index, place))).join(between),
      letters: [...LETTERS.slice(0, shown.length)].join(", "),
      count: `${shown.length}`,
    };
    return messages.flatMap(({ role, text, each }) =>
      (each === true ? shown.map(slotsOf) : [all]).map((slots) => ({
        role: fill(role, slots),
        content: fill(text, slots),
      })),
    );
  };
}

/** Memoizes `guard` and calls it only when needed, because a job may show only a few of its candidates. */
function onDemand(guard: Escape): Escape {
  const guarded = new Map<string, string>();
  return (text) => {
    const safe = guarded.get(text) ?? guard(text);
    guarded.set(text, safe);
    return safe;
  };
}
