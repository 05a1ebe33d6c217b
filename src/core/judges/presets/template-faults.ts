// Validates what a template's schema cannot express: every candidate must be inside delimiters, and the model
// must be shown everything that it needs.
import type { FieldError } from "../../faults/errors.ts";
import { DELIMITER_CHARS_MIN, delimits } from "../escape/marks.ts";
import { formsOf, labelCountOf, type ParserSettings } from "../parsers/table.ts";
import type { Preset, Shape } from "./preset.ts";

const SLOT = /\{\{(\w+)\}\}/g;
const slotsIn = (text: string): string[] => [...text.matchAll(SLOT)].map(([, name]) => name as string);

/**
 * Slots that are allowed in messages. The slots of texts also exist as JSON strings, with the suffix `_json`.
 */
const TEXTS = ["question", "language", "reference", "rubric", "principle"];
const IN_MESSAGES = [...TEXTS, ...TEXTS.map((name) => `${name}_json`), "candidates", "letters", "count"];
const IN_CANDIDATE = ["letter", "n", "text", "json"];

const NEEDED: Readonly<Record<Shape, readonly string[]>> = {
  point: ["question"],
  pair: ["question"],
  list: ["question"],
  reference: ["question", "reference"],
  rubric: ["question", "rubric"],
  steps: ["question"],
};

const compares = ({ shape }: Preset) => shape === "pair" || shape === "list";

/**
 * Returns the errors, by field, of a template that its schema has accepted. The list is empty for a valid
 * template.
 */
export function templateFaults(template: Preset): FieldError[] {
  return [
    ...messageFaults(template),
    ...candidateFaults(template),
    ...neededFaults(template),
    ...formFaults(template),
    ...labelFaults(template),
  ];
}

const CHAT_ROLES = ["system", "user", "assistant"];

function messageFaults({ messages, style }: Preset): FieldError[] {
  return messages.flatMap(({ role, text, each }, at) => {
    const allowed = each ? [...IN_MESSAGES, ...IN_CANDIDATE] : IN_MESSAGES;
    const path = `messages[${at}]`;
    const faults = slotsIn(text)
      .filter((name) => !allowed.includes(name))
      .map((name) =>
        name === "text" || name === "json"
          ? `{{${name}}} would put a candidate outside its delimiter: write {{candidates}}`
          : `{{${name}}} is no slot of a message; there are: ${allowed.join(", ")}`,
      )
      .map((message) => ({ path: `${path}.text`, message }));
    if (each && style !== "roles") {
      faults.push({ path: `${path}.each`, message: 'a message a candidate needs style "roles": its role delimits it' });
    }
    if (each && slotsIn(text).filter((name) => name === "text" || name === "json").length !== 1) {
      faults.push({ path: `${path}.text`, message: "must hold {{text}} or {{json}} once" });
    }
    if (style !== "roles" && !CHAT_ROLES.includes(role)) {
      faults.push({ path: `${path}.role`, message: `must be one of ${CHAT_ROLES.join(", ")}, or style "roles"` });
    }
    return faults;
  });
}

/**
 * Whether the text on one side of a candidate contains a delimiter, which will be broken inside model text.
 */
const holdsDelimiter = (side: string): boolean => side.split(/\{\{\w+\}\}|\n/).some(delimits);

function candidateFaults(template: Preset): FieldError[] {
  const { candidate, messages } = template;
  const refuse = (message: string) => [{ path: "candidate", message }];
  const unknown = slotsIn(candidate).find((name) => !IN_CANDIDATE.includes(name));
  if (unknown !== undefined) return refuse(`{{${unknown}}} is no slot here; there are: ${IN_CANDIDATE.join(", ")}`);
  const [before = "", slot, after = "", ...more] = candidate.split(/\{\{(text|json)\}\}/);
  if (slot === undefined || more.length > 0) return refuse("must hold {{text}} or {{json}} once");
  const each = messages.find((message) => message.each);
  const places = each === undefined ? candidate : `${each.role}${each.text}`;
  if (compares(template) && !/\{\{(?:letter|n)\}\}/.test(places)) {
    return refuse("must hold {{letter}} or {{n}}, to tell several candidates apart");
  }
  // A candidate is also delimited by the role of its message, or by the quotes of a JSON string.
  if (each !== undefined || slot === "json" || (holdsDelimiter(before) && holdsDelimiter(after))) return [];
  return refuse(
    `a candidate stands outside a delimiter: before and behind {{text}} write at least ${DELIMITER_CHARS_MIN} characters of one line, or one sign three times`,
  );
}

function neededFaults({ shape, messages }: Preset): FieldError[] {
  const held = messages.flatMap(({ text }) => slotsIn(text));
  const shown = held.filter((name) => name === "candidates").length + messages.filter(({ each }) => each).length;
  const missing = (NEEDED[shape] ?? []).filter((name) => !held.includes(name) && !held.includes(`${name}_json`));
  const faults = missing.map((name) => `the shape ${shape} needs the slot {{${name}}}`);
  if (shown === 0) faults.push("the slot {{candidates}} is missing");
  if (shown > 1) faults.push("candidates stand in more than one place");
  return faults.map((message) => ({ path: "messages", message }));
}

/**
 * Checks that the messages tell the model the form of the answer. Judges with special roles are exempt,
 * because they were trained on their form.
 */
function formFaults({ messages, parser, style }: Preset): FieldError[] {
  if (style === "roles") return [];
  const words = messages.map(({ text }) => text).join("\n");
  return formsOf(parser)
    .filter((form) => !words.includes(form))
    .map((form) => ({
      path: "messages",
      message: `never tell the model the form that the parser ${parser.kind} reads: ${form}`,
    }));
}

/** Whether the parser reads a number, such as the index of the first wrong step. */
const readsNumber = (parser: ParserSettings): boolean =>
  "range" in parser && parser.range !== undefined && (parser.kind !== "json" || parser.grade !== undefined);

function labelFaults(template: Preset): FieldError[] {
  const { parser, ties = [], passing = [], invalid = [], shape } = template;
  const labels = "labels" in parser ? parser.labels : undefined;
  const refuse = (path: string, message: string) => ({ path, message });
  const strange = (path: string, given: readonly string[]) =>
    given
      .filter((label) => labels?.includes(label) !== true)
      .map((label) => refuse(path, `${label} is no label of the parser`));
  const faults = [...strange("ties", ties), ...strange("passing", passing), ...strange("invalid", invalid)];
  const both = invalid.find((label) => passing.includes(label));
  if (both !== undefined) faults.push(refuse("invalid", `${both} counts 1`));
  const labelCount = labelCountOf(parser);
  if (compares(template) && labelCount === "one") {
    faults.push(refuse("parser", `reads something of one candidate; the shape ${shape} compares several`));
  }
  if (!compares(template) && labelCount === "several") {
    faults.push(refuse("parser", `reads something of several candidates; the shape ${shape} shows one`));
  }
  if (compares(template) && ties.length > 0 && labels !== undefined && labels.length - ties.length < 2) {
    faults.push(refuse("ties", "leave fewer than two labels that name a candidate"));
  }
  if (shape === "steps" && !readsNumber(parser)) {
    faults.push(refuse("parser", "names no step: the shape steps needs a number, so a range (-1 for no wrong step)"));
  }
  if (template.summary === true && shape !== "steps") {
    faults.push(refuse("summary", `says nothing of the shape ${shape}: steps of a summary need the shape steps`));
  }
  if (
    !compares(template) &&
    shape !== "steps" &&
    labels !== undefined &&
    !("range" in parser && parser.range) &&
    passing.length === 0
  ) {
    faults.push(refuse("passing", "must say which labels count 1"));
  }
  return faults;
}
