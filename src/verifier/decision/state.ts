// The state that a decision model is shown, the questions about it, and the check that it was read to its
// end. Must not know HTTP.
import type { ItemErrorCode } from "../../core/faults/errors.ts";
import { createEscape, type Escape } from "../../core/judges/escape/escape.ts";
import { createPresetRenderer } from "../../core/judges/preset-render.ts";
import type { Preset } from "../../core/judges/presets/preset.ts";
import { presetNamed } from "../../core/judges/presets/table.ts";
import { hashText } from "../../core/math/random.ts";
import type { DecisionQuestion } from "../../core/wire/decision-apis.ts";
import type { VerifierJob } from "../../core/wire/questions.ts";
import type { DecisionCall } from "./calls.ts";

/** The line of the check, and how servers write state and questions into one prompt. */
const FRAME = ["CHECK WORD:", "STATE:", "SCHEMA FIELDS:", "ALLOWED OPTIONS:", "END FIELD"];
const quote: Escape = createEscape(FRAME);

/** In the order of their names, as servers sort options. */
export const WORDS = ["amber", "basalt", "cobalt", "drift", "ember", "fjord", "grove", "harbor"] as const;
export const CHECK = "check";
/** With less on the right word, the model did not read the state to its end. */
const READ_MIN = 0.8;

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
/** Answers in one state: each has one letter. */
export const SHOWN_MAX = LETTERS.length;

export interface DecisionState {
  text: string;
  questions: DecisionQuestion[];
  /** The check's right word. */
  word: string;
}

/** A word that differs from call to call and that candidates cannot know. */
function checkWord(texts: readonly string[], secret: string): string {
  return WORDS[hashText("check", secret, ...texts)[0] % WORDS.length] as string;
}

/** What is asked about the answers under these letters; options in the order of the preset's labels. */
function questionOf(letters: readonly string[], { shape, parser }: Preset): DecisionQuestion {
  const id = letters.join(".");
  if (shape === "point") {
    const options = ("labels" in parser && parser.labels) || [];
    return { id, instructions: `Is answer ${id} correct, and does it do all that the task asks?`, options };
  }
  const instructions =
    shape === "pair"
      ? `Which answer does the task better, ${letters.join(" or ")}?`
      : "Which answer does the task best?";
  return { id, instructions, options: letters };
}

/** Renders the states of one job. */
export function createStates(
  job: VerifierJob,
  secret: string,
): (call: Pick<DecisionCall, "order" | "asks">) => DecisionState {
  const preset = presetNamed(job.preset) as Preset;
  const render = createPresetRenderer(preset, job, quote);
  return ({ order, asks }) => {
    const letters = new Map(order.map((candidate, place) => [candidate, LETTERS[place] as string]));
    const word = checkWord([job.question, ...order.map((candidate) => job.candidates[candidate] as string)], secret);
    const [message] = render(order);
    const questions = asks.map((ask) =>
      questionOf(
        ask.shown.map((candidate) => letters.get(candidate) as string),
        preset,
      ),
    );
    const check = { id: CHECK, instructions: "Which word follows CHECK WORD at the end of the state?", options: WORDS };
    return { text: `${message?.content ?? ""}\n\nCHECK WORD: ${word}\n`, questions: [...questions, check], word };
  };
}

const FOREIGN_TOKENS = 1.5;
/** Tokens of each ASCII character. */
const TOKENS = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/\d/.test(character)) return 1;
  return /[A-Za-z\s]/.test(character) ? 0.25 : 0.75;
});

/** An upper estimate of a text's tokens: 1 a digit, 0.75 a mark, 0.25 a letter, 1.5 for other scripts. */
function tokensAtMost(text: string): number {
  let tokens = 0;
  for (let i = 0; i < text.length; i++) tokens += TOKENS[text.charCodeAt(i)] ?? FOREIGN_TOKENS;
  return Math.ceil(tokens);
}

/** Tokens of each question, its options and its frame. */
const QUESTION_TOKENS = 60;
export const sizeOf = ({ text, questions }: DecisionState): number =>
  tokensAtMost(text) + QUESTION_TOKENS * questions.length;

/** More characters a token than any tokenizer reaches. */
const CHARS_A_TOKEN_MAX = 8;

/** Characters without those that repeat the one before: tokenizers put whole runs of them into one token. */
function charsWithoutRuns(text: string): number {
  let chars = 0;
  for (let i = 0; i < text.length; i++) if (text[i] !== text[i - 1]) chars++;
  return chars;
}

/** Why a reply is of a state that was not read to its end; null where it was. */
export function readFault(
  { text, word }: DecisionState,
  shares: readonly number[] | null,
  input_tokens: number | null,
): ItemErrorCode | null {
  if (shares === null) return "verifier_bad_reply";
  const readCharsMax = (input_tokens ?? 0) * CHARS_A_TOKEN_MAX;
  const few = readCharsMax > 0 && readCharsMax < text.length && readCharsMax < charsWithoutRuns(text);
  const right = shares[WORDS.indexOf(word as (typeof WORDS)[number])] as number;
  return few || right < READ_MIN ? "judge_read_less" : null;
}
