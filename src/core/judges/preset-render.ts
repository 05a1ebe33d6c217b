// Renders questions of a preset: data into slots in one pass, so that none is interpolated twice.
import { createEscape, type Escape, escapeText } from "./escape.ts";
import { formsOf } from "./parsers/table.ts";
import type { Preset } from "./presets/preset.ts";
import type { ChatMessage, GivenMessage, PromptJob } from "./prompt-job.ts";

const SLOT = /\{\{(\w+)\}\}/;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** What stands where a spec gives no rubric, and no principle. */
const RUBRIC = "The response does what was asked, correctly and completely.";
const PRINCIPLE = "Prefer what is correct, helpful and complete.";

type Slots = Readonly<Record<string, string>>;

/** Text and slots in turn, as `split` gives them. */
const fill = (parts: readonly string[], slots: Slots): string =>
  parts.map((part, i) => (i % 2 === 0 ? part : (slots[part] ?? ""))).join("");

/** Shorter pieces, such as a lone bracket, delimit nothing by themselves. */
export const DELIMITER_CHARS_MIN = 4;

/** What delimits a candidate, and the form of the verdict: neither may stand raw in model text. */
export function guardedTexts({ candidate, parser, style }: Preset): string[] {
  const pieces = candidate.split(SLOT).filter((_, i) => i % 2 === 0);
  const delimiters = pieces.flatMap((piece) => piece.split("\n")).map((piece) => piece.trim());
  const forms = style === "roles" ? [] : formsOf(parser);
  return [...delimiters, ...forms].filter((text) => text.length >= DELIMITER_CHARS_MIN);
}

/**
 * Renders questions over one job's candidates in a preset's words.
 * @param quote how model text is made harmless; the preset's own delimiters are broken besides
 */
export function createPresetRenderer(
  preset: Preset,
  job: PromptJob,
  quote: Escape = escapeText,
): (shown: readonly number[]) => ChatMessage[] {
  const guard = createEscape(guardedTexts(preset), quote);
  const { reference = "", rubric = RUBRIC, principle = PRINCIPLE } = job.slots ?? {};
  const given = { question: job.question, language: job.language ?? "", reference, rubric, principle };
  const about: Record<string, string> = {};
  for (const [name, text] of Object.entries(given)) {
    about[name] = guard(text);
    about[`${name}_json`] = JSON.stringify(about[name]);
  }
  const texts = job.candidates.map(guard);
  const candidate = preset.candidate.split(SLOT);
  const messages = preset.messages.map(({ role, text, each }) => ({
    ...{ role: role.split(SLOT), text: text.split(SLOT), each },
  }));
  const slotsOf = (index: number, place: number): Slots => {
    const text = texts[index] as string;
    return { ...about, letter: LETTERS[place] ?? "", n: `${place + 1}`, text, json: JSON.stringify(text) };
  };
  const before = givenBy(job.slots?.messages ?? [], guard, texts);
  return (shown) => {
    const all: Slots = {
      ...about,
      candidates: shown.map((index, place) => fill(candidate, slotsOf(index, place))).join(preset.between ?? "\n\n"),
      letters: [...LETTERS.slice(0, shown.length)].join(", "),
      count: `${shown.length}`,
    };
    const own = messages.flatMap(({ role, text, each }) =>
      (each === true ? shown.map(slotsOf) : [all]).map((slots) => ({
        role: fill(role, slots),
        content: fill(text, slots),
      })),
    );
    return before === null ? own : alternating([...before(shown), ...own]);
  };
}

/** The asker's own messages over what is shown; null where there are none. */
function givenBy(messages: readonly GivenMessage[], guard: Escape, texts: readonly string[]) {
  if (messages.length === 0) return null;
  const escaped = messages.map(({ role, parts }) => ({
    role,
    parts: parts.map((part) => (typeof part === "object" && "data" in part ? guard(part.data) : part)),
  }));
  return (shown: readonly number[]): ChatMessage[] =>
    escaped.map(({ role, parts }) => ({
      role,
      content: parts
        .map((part) => (typeof part === "string" ? part : (texts[shown[part.shown] as number] ?? "")))
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
