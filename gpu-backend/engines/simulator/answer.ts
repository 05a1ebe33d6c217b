// The text of a simulated answer, token by token, and its log probabilities. Independent of the transport.
import { createRandom } from "../../../src/core/math/random.ts";
import type { Draw } from "./noise.ts";
import type { Tail } from "./tail.ts";

/** Length of a thinking token. In the answer's tail, each piece is a token. */
const CHARS_PER_TOKEN = 4;
const FILLER_TOKENS = 65_536;
const LOOP_TOKENS = 12;
const PHRASES = (
  "the loop starts at zero|so the index is one too large|check the sample again|for n equal to one|the list is empty here|" +
  "this branch is never taken|the sum runs over all values|that matches the expected output|it reads past the end|sorting costs more but is right|" +
  "the modulus is applied too early|consider a negative value|both agree on this input|the other one differs|wait, look at the bounds|" +
  "ties are broken the wrong way|an integer could overflow|the recursion ends at the leaf|duplicates are counted twice|then the answer is the same"
).split("|");

let filler: string | null = null;

/**
 * Thinking text that does not repeat itself within an answer: phrases in a fixed random order. Created once.
 */
function fillerText(): string {
  if (filler !== null) return filler;
  const random = createRandom(20_261_121);
  const parts: string[] = [];
  for (let chars = 0; chars < FILLER_TOKENS * CHARS_PER_TOKEN; ) {
    const number = Math.floor(random() * 1_000);
    const phrase = `${PHRASES[Math.floor(random() * PHRASES.length)]} at line ${number}${random() < 0.2 ? ".\n" : ", "}`;
    parts.push(phrase);
    chars += phrase.length;
  }
  filler = parts.join("").slice(0, FILLER_TOKENS * CHARS_PER_TOKEN);
  return filler;
}

export interface Answer {
  finish_reason: "stop" | "length";
  /** Generated tokens, including think tags. */
  tokens: number;
  /** End of the thinking, tags included: tokens before this index are thinking. */
  thinking_end: number;
  /** Index of the token that is the chosen label; null if there is none. */
  label_at: number | null;
  labels: readonly string[];
  draw: Draw;
  /** Text of tokens `from`..`to`, split at `thinking_end`. */
  text(from: number, to: number): { thinking: string; content: string };
}

const OPEN = ["<think>", "\n"];
const CLOSE = ["\n", "</think>"];

/**
 * Creates the answer for a draw.
 * @param tail the answer after the thinking
 * @param tags whether the think tags appear as text, or only as tokens (a server with a reasoning parser)
 * @param tokensMax maximum tokens; longer answers are cut
 */
export function writeAnswer(options: {
  draw: Draw;
  tail: Tail;
  seed: number;
  tokensMax: number;
  tags: boolean;
}): Answer {
  const { draw, tokensMax } = options;
  const { tokens: tail, label_at, labels } = options.tail;
  const body = draw.loops ? tokensMax : draw.thinking_tokens;
  const opening = body === 0 ? 0 : OPEN.length;
  const bodyEnd = opening + body;
  const thinking_end = body === 0 ? 0 : bodyEnd + CLOSE.length;
  const whole = thinking_end + tail.length;
  const tokens = Math.min(whole, tokensMax);
  const label = label_at === null ? null : thinking_end + label_at;
  const offset = (options.seed >>> 0) % FILLER_TOKENS;
  const tag = (list: readonly string[], from: number, to: number) =>
    options.tags ? list.slice(from, to).join("") : "";
  const bounded = (at: number, length: number) => Math.min(Math.max(at, 0), length);
  return {
    finish_reason: tokens < whole ? "length" : "stop",
    tokens,
    thinking_end,
    label_at: label !== null && label < tokens ? label : null,
    labels,
    draw,
    text(from, to) {
      const end = Math.min(to, tokens);
      const bodyFrom = bounded(from - opening, body);
      const bodyTo = bounded(end - opening, body);
      return {
        thinking:
          body === 0
            ? ""
            : tag(OPEN, from, bounded(end, OPEN.length)) +
              thought(offset, bodyFrom, bodyTo, draw.loops) +
              tag(CLOSE, bounded(from - bodyEnd, 2), bounded(end - bodyEnd, 2)),
        content: tail
          .slice(bounded(from - thinking_end, tail.length), bounded(end - thinking_end, tail.length))
          .join(""),
      };
    },
  };
}

/** Text of thinking tokens `from`..`to`. */
function thought(offset: number, from: number, to: number, loops: boolean): string {
  if (to <= from) return "";
  const text = fillerText();
  if (loops) {
    const phrase = text.slice(0, LOOP_TOKENS * CHARS_PER_TOKEN);
    const start = (from % LOOP_TOKENS) * CHARS_PER_TOKEN;
    const chars = (to - from) * CHARS_PER_TOKEN;
    return phrase.repeat(Math.ceil((start + chars) / phrase.length)).slice(start, start + chars);
  }
  let left = (to - from) * CHARS_PER_TOKEN;
  let at = ((offset + from) % FILLER_TOKENS) * CHARS_PER_TOKEN;
  let out = "";
  while (left > 0) {
    const piece = text.slice(at, at + left);
    out += piece;
    left -= piece.length;
    at = 0;
  }
  return out;
}

export interface TokenLogprob {
  token: string;
  logprob: number;
  bytes: number[];
  top_logprobs: { token: string; logprob: number; bytes: number[] }[];
}

const OTHERS = [
  " the",
  "\n",
  ",",
  " it",
  "\\text",
  " is",
  "(",
  "0",
  " not",
  ".",
  " so",
  "1",
  " then",
  "**",
  " for",
  "-",
];
const encoder = new TextEncoder();
const entry = (token: string, logprob: number) => ({ token, logprob, bytes: [...encoder.encode(token)] });

/**
 * Log probabilities of tokens `from`..`to`, in the format of OpenAI's `logprobs.content`. At the chosen label
 * they come from the draw. Elsewhere the token has a fixed log probability of -0.02, and each alternative is
 * less likely than the previous one by a factor of e. At most 20 alternatives.
 */
export function logprobsOf(answer: Answer, from: number, to: number, top: number): TokenLogprob[] {
  const list: TokenLogprob[] = [];
  for (let at = from; at < Math.min(to, answer.tokens); at++) {
    const { thinking, content } = answer.text(at, at + 1);
    const token = thinking + content;
    const likely = at === answer.label_at ? labelEntries(answer) : [entry(token, -0.02)];
    const rest = OTHERS.filter((other) => other !== token).map((other, i) => entry(other, -4.5 - i));
    const scale = at === answer.label_at ? -6 : 0;
    const ranked = [...likely, ...rest.map((other) => ({ ...other, logprob: other.logprob + scale }))]
      .sort((a, b) => b.logprob - a.logprob)
      .slice(0, top);
    const chosen = likely.find((candidate) => candidate.token === token) as ReturnType<typeof entry>;
    list.push({ ...chosen, top_logprobs: ranked });
  }
  return list;
}

/** The labels share all but a thousandth of the probability mass. */
function labelEntries({ draw, labels }: Answer) {
  return draw.box_logprobs.map((logprob, i) => entry(labels[i] as string, logprob - 0.001));
}
