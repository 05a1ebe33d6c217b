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
  /** Upper estimate of the tokens of `text`. */
  tokens: number;
}

/** Number of characters at each end of a text that choose the check word, in addition to the text's length. */
const WORD_CHARS = 64;

/**
 * Chooses the check word of a state with these texts. The word differs between states, and candidates cannot
 * predict it without the secret.
 */
function checkWord(secret: string, texts: readonly string[]): string {
  const ends = texts.flatMap((text) => [text.length, text.slice(0, WORD_CHARS), text.slice(-WORD_CHARS)]);
  return WORDS[hashText("check", secret, ...ends)[0] % WORDS.length] as string;
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

type RenderedText = Omit<DecisionState, "questions">;

/** Renders the states of one job. */
export function createStates(
  job: VerifierJob,
  secret: string,
): (call: Pick<DecisionCall, "order" | "asks">) => DecisionState {
  const preset = presetNamed(job.preset) as Preset;
  const render = createPresetRenderer(preset, job, quote());
  /** Tokens by the candidates shown, because their order does not change the characters of a state. */
  const tokensOf = new Map<string, number>();
  const rendered = (order: readonly number[]): RenderedText => {
    const content = render(order)[0]?.content ?? "";
    const numbered = job.images && withImageNumbers(content, job.images);
    const { text, urls: images } = numbered ?? { text: content, urls: [] };
    const word = checkWord(secret, [job.question, ...order.map((candidate) => job.candidates[candidate] as string)]);
    const members = [...order].sort((a, b) => a - b).join();
    const tokens = tokensOf.get(members) ?? tokensAtMost(text) + CHECK_LINE_TOKENS;
    tokensOf.set(members, tokens);
    return { text: `${text}\n\nCHECK WORD: ${word}\n`, images, word, tokens };
  };
  /** The last text, because calls that differ only in their questions follow each other. */
  let last: { order: string; text: RenderedText } | null = null;
  return ({ order, asks }) => {
    const named = order.join();
    last = last?.order === named ? last : { order: named, text: rendered(order) };
    const letters = new Map(order.map((candidate, place) => [candidate, LETTERS[place] as string]));
    const questions = asks.map((ask) =>
      questionOf(
        ask.shown.map((candidate) => letters.get(candidate) as string),
        preset,
      ),
    );
    const check = { id: CHECK, instructions: "Which word follows CHECK WORD at the end of the state?", options: WORDS };
    return { ...last.text, questions: [...questions, check] };
  };
}

/** Upper estimate of the tokens of the check line, with the longest word. */
const CHECK_LINE_TOKENS = tokensAtMost("\n\nCHECK WORD: basalt\n");
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
export function sizeOf({ tokens, questions, images }: DecisionState, asksMax = Number.POSITIVE_INFINITY): number {
  const [first, check] = [questions[0], questions.at(-1)] as [DecisionQuestion, DecisionQuestion];
  const asked = questionTokens(first) * Math.min(asksMax, questions.length - 1) + questionTokens(check);
  return tokens + asked + IMAGE_TOKENS * images.length;
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
