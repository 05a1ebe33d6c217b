// Renders the state and questions shown to a decision model, and checks that the model read the state to its
// end. Independent of HTTP.
import type { ItemErrorCode } from "../../core/faults/errors.ts";
import { createEscape } from "../../core/judges/escape/escape.ts";
import { withImageNumbers } from "../../core/judges/image-parts.ts";
import { createPresetRenderer } from "../../core/judges/preset-render.ts";
import type { Preset } from "../../core/judges/presets/preset.ts";
import { presetNamed } from "../../core/judges/presets/table.ts";
import { hashText } from "../../core/math/random.ts";
import { lazily } from "../../core/text/lazily.ts";
import { tokensAtMost } from "../../core/text/token-estimate.ts";
import type { DecisionQuestion } from "../../core/wire/decision-apis.ts";
import type { VerifierJob } from "../../core/wire/questions.ts";
import type { DecisionCall } from "./calls.ts";

/**
 * Markers of the check line, and of the frame in which servers write state and questions. They are escaped in
 * candidates.
 */
const FRAME = ["CHECK WORD:", "STATE:", "SCHEMA FIELDS:", "ALLOWED OPTIONS:", "END FIELD"];
const quote = lazily(() => createEscape(FRAME));

/** Check words, in alphabetical order because servers sort options. */
export const WORDS = ["amber", "basalt", "cobalt", "drift", "ember", "fjord", "grove", "harbor"] as const;
export const CHECK = "check";
/** Lowest probability of the correct check word for which the state counts as read to its end. */
const READ_MIN = 0.8;

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
/** Maximum number of answers in one state, because each answer has its own letter. */
export const SHOWN_MAX = LETTERS.length;

export interface DecisionState {
  text: string;
  questions: DecisionQuestion[];
  /** Data URLs of the images that the text names, in the order of their numbers. */
  images: readonly string[];
  /** The correct check word. */
  word: string;
}

/**
 * Returns a function that chooses a check word for a state with these texts. The word differs between calls,
 * and candidates cannot predict it. Each text is hashed once per job.
 */
function checkWords(secret: string): (texts: readonly string[]) => string {
  const digests = new Map<string, number>();
  const digestOf = (text: string): number => {
    const digest = digests.get(text) ?? hashText(secret, text)[0];
    digests.set(text, digest);
    return digest;
  };
  return (texts) => WORDS[hashText("check", secret, ...texts.map(digestOf))[0] % WORDS.length] as string;
}

/**
 * Builds the question about the answers with these letters; options are in the order of the preset's labels.
 */
function questionOf(letters: readonly string[], { shape, parser, levels }: Preset): DecisionQuestion {
  const id = letters.join(".");
  if (shape === "point") {
    const options = ("labels" in parser && parser.labels) || [];
    return {
      id,
      instructions: `How well does answer ${id} do what the task asks?`,
      options,
      ...(levels && { levels }),
    };
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
  const render = createPresetRenderer(preset, job, quote());
  const checkWord = checkWords(secret);
  return ({ order, asks }) => {
    const letters = new Map(order.map((candidate, place) => [candidate, LETTERS[place] as string]));
    const word = checkWord([job.question, ...order.map((candidate) => job.candidates[candidate] as string)]);
    const [message] = render(order);
    const { text, urls: images } = withImageNumbers(message?.content ?? "", job.images ?? {});
    const questions = asks.map((ask) =>
      questionOf(
        ask.shown.map((candidate) => letters.get(candidate) as string),
        preset,
      ),
    );
    const check = { id: CHECK, instructions: "Which word follows CHECK WORD at the end of the state?", options: WORDS };
    return { text: `${text}\n\nCHECK WORD: ${word}\n`, questions: [...questions, check], images, word };
  };
}

/** Tokens of the frame of a question, and of each of its options. */
const QUESTION_TOKENS = 40;
const OPTION_TOKENS = 10;
/** Tokens of a question with its options. */
export const questionTokens = ({ options, levels = [] }: DecisionQuestion): number =>
  QUESTION_TOKENS + OPTION_TOKENS * options.length + tokensAtMost(levels.join(" "));
/** Upper bound of the tokens of one image: Clef uses at most 1,027, and other models reduce images too. */
const IMAGE_TOKENS = 2_000;
/**
 * Upper estimate of the tokens of a state with its questions, of which only `asksMax` are sent together with
 * the check. All questions but the check are alike.
 */
export function sizeOf({ text, questions, images }: DecisionState, asksMax = Number.POSITIVE_INFINITY): number {
  const [first, check] = [questions[0], questions.at(-1)] as [DecisionQuestion, DecisionQuestion];
  const asked = questionTokens(first) * Math.min(asksMax, questions.length - 1) + questionTokens(check);
  return tokensAtMost(text) + asked + IMAGE_TOKENS * images.length;
}

/** Upper bound of characters per token. */
const CHARS_A_TOKEN_MAX = 8;

/** Number of characters that differ from the one before: tokenizers merge long runs into single tokens. */
function charsWithoutRuns(text: string): number {
  let chars = 0;
  for (let i = 0; i < text.length; i++) if (text[i] !== text[i - 1]) chars++;
  return chars;
}

/** Whether a reply shows that the model read the text before a check word, and the word. */
export function isRead(
  text: string,
  { word, shares, input_tokens }: { word: string; shares: readonly number[] | null; input_tokens: number | null },
): boolean {
  const readCharsMax = (input_tokens ?? 0) * CHARS_A_TOKEN_MAX;
  const few = readCharsMax > 0 && readCharsMax < text.length && readCharsMax < charsWithoutRuns(text);
  const right = shares?.[WORDS.indexOf(word as (typeof WORDS)[number])] ?? 0;
  return !few && right >= READ_MIN;
}

/** The error of a reply that shows that the state was not read to its end; null if the state was read. */
export function readFault(
  { text, word }: DecisionState,
  shares: readonly number[] | null,
  input_tokens: number | null,
): ItemErrorCode | null {
  if (shares === null) return "verifier_bad_reply";
  return isRead(text, { word, shares, input_tokens }) ? null : "judge_read_less";
}
