// Finds where thinking ends and the answer begins, for the tags of many model families. Independent of
// verdicts, candidates and rewards.

/**
 * Opening and closing tags by kind. The kinds before `OWN_TAGS` are spellings of the same tag, which models
 * mix up if only the prompt tells them to use it.
 */
const KINDS: readonly (readonly [open: string, close: string])[] = [
  ["<think>", "</think>"], // DeepSeek-R1, Qwen3, GLM and most others
  ["<Think>", "</Think>"],
  ["<THINK>", "</THINK>"],
  ["<thinking>", "</thinking>"],
  ["<Thinking>", "</Thinking>"],
  ["<THINKING>", "</THINKING>"],
  ["<thought>", "</thought>"], // EXAONE Deep
  ["<reasoning>", "</reasoning>"], // policies trained on TRL's and Unsloth's XML form
  ["<seed:think>", "</seed:think>"], // Seed-OSS
  ["[THINK]", "[/THINK]"], // Magistral
  ["\u25c1think\u25b7", "\u25c1/think\u25b7"], // Kimi-VL
  ["<|begin_of_thought|>", "<|end_of_thought|>"], // OpenThinker, Sky-T1
  ["<|START_THINKING|>", "<|END_THINKING|>"], // Command A Reasoning
  ["<|channel>", "<channel|>"], // Gemma 4
];
const PLAIN = 0;
const OWN_TAGS = 6;
/** Harmony (gpt-oss): a header names the channel, and the answer is in the channel `final`. */
const HARMONY = KINDS.length;
const HARMONY_HEADER = "<|channel|>";
const HARMONY_FINAL = `${HARMONY_HEADER}final`;

const TAG =
  /<\/?(?:[Tt]hink(?:ing)?|THINK(?:ING)?|thought|reasoning|seed:think)>|\[\/?THINK\]|\u25c1\/?think\u25b7|<\|(?:(?:begin|end)_of_thought|(?:START|END)_THINKING)\|>|<\|channel>|<channel\|>|<\|channel\|>(?:analysis|commentary|final(?:[^<\n]{0,32}<\|message\|>)?)/y;

const KIND_OF: ReadonlyMap<string, { kind: number; opens: boolean }> = new Map(
  KINDS.flatMap((tags, kind) => tags.map((tag, i) => [tag, { kind, opens: i === 0 }] as const)),
);

/**
 * Remains of Harmony's headers if a server drops special tokens: the text begins with the first string, and
 * the answer follows the second.
 */
const BARE_ANALYSIS = "analysis";
const BARE_FINAL = "assistantfinal";

/** Upper bound for the length of a tag. A tail of this length contains any incomplete tag. */
const TAG_CHARS = 64;

export interface Thinking {
  /** Offset after the last closing tag; 0 if there is none. */
  answer: number;
  /** Offset of the last closing tag; -1 if there is none. */
  lastClose: number;
  /**
   * The opening tag, text[start..end), of the block that is still open at the end; null if no block is open.
   */
  open: { start: number; end: number } | null;
  /**
   * Number of opening tags, not counting those inside a block of another kind, and whether the first opening
   * tag comes after a closing tag.
   */
  opens: number;
  closedFirst: boolean;
}

const isWord = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a) || unit === 0x5f;

/** Characters that can follow `<` in a tag: / T c r s t |. */
const SECOND: readonly boolean[] = Array.from({ length: 128 }, (_, unit) =>
  "/Tcrst|".includes(String.fromCharCode(unit)),
);

/**
 * Iterates over the tags of a string. Searches for the characters that begin a tag, because a regular
 * expression would test every character.
 */
class Tags {
  start = 0;
  end = 0;
  kind = 0;
  opens = false;
  readonly #text: string;
  #angle: number;
  #bracket: number;
  #triangle: number;

  constructor(text: string, from: number) {
    this.#text = text;
    this.#angle = this.#mark("<", from);
    this.#bracket = text.includes("THINK]", from) ? this.#mark("[", from) : text.length;
    this.#triangle = this.#mark("\u25c1", from);
  }

  #mark(mark: string, from: number): number {
    const at = this.#text.indexOf(mark, from);
    return at < 0 ? this.#text.length : at;
  }

  /** Advances to the next tag. Returns false after the last one. */
  next(): boolean {
    const text = this.#text;
    for (;;) {
      const start = Math.min(this.#angle, this.#bracket, this.#triangle);
      if (start === text.length) return false;
      const isAngle = start === this.#angle;
      if (isAngle) this.#angle = this.#mark("<", start + 1);
      else if (start === this.#bracket) this.#bracket = this.#mark("[", start + 1);
      else this.#triangle = this.#mark("\u25c1", start + 1);
      if (isAngle && SECOND[text.charCodeAt(start + 1)] !== true) continue;
      this.start = start;
      // Fast path for the most common tag.
      this.opens = text.startsWith("<think>", start);
      this.kind = PLAIN;
      this.end = start + (this.opens ? "<think>" : "</think>").length;
      if (this.opens || text.startsWith("</think>", start)) return true;
      TAG.lastIndex = start;
      if (!TAG.test(text)) continue;
      this.end = TAG.lastIndex;
      const known = KIND_OF.get(text.slice(start, this.end));
      this.kind = known?.kind ?? HARMONY;
      this.opens = known?.opens ?? !text.startsWith(HARMONY_FINAL, start);
      return true;
    }
  }
}

/**
 * Parses the think tags in linear time. A block ends only at a closing tag of the same kind (a
 * spelling of `<think>` also ends at `</think>`); other tags inside the block are ordinary text. Outside a
 * block, `</think>` always ends a block that the prompt began. Only `<think>` can open a block directly after
 * a word: `List<Think>` and `state[THINK]` do not open one.
 * @param prompted whether the prompt may also have begun a block of another kind, which the first closing tag
 * then ends. False for a verifier's answer, which may quote a tag after its verdict
 * @param opened whether the prompt is known to end inside a block (see `endsInThoughts`); without a closing
 * tag, the text then never leaves that block
 */
export function thinkingOf(text: string, prompted: boolean, opened = false): Thinking {
  const found: Thinking = { answer: 0, lastClose: -1, open: null, opens: 0, closedFirst: false };
  const bare = text.startsWith(BARE_ANALYSIS) ? text.lastIndexOf(BARE_FINAL) : -1;
  if (bare >= 0) {
    found.lastClose = bare;
    found.answer = bare + BARE_FINAL.length;
  }
  let inside = -1;
  const tags = new Tags(text, found.answer);
  while (tags.next()) {
    const { kind, start, end } = tags;
    if (tags.opens) {
      const counts =
        inside < 0 ? kind === PLAIN || !isWord(text.charCodeAt(start - 1)) : inside === kind && kind !== HARMONY;
      if (!counts) continue;
      found.opens++;
      if (found.opens === 1) found.closedFirst = found.lastClose >= 0;
      found.open ??= { start, end };
      inside = kind;
    } else if (ends(kind, inside, prompted && found.lastClose < 0)) {
      found.lastClose = start;
      found.answer = end;
      found.open = null;
      inside = -1;
    }
  }
  if (opened && found.lastClose < 0) found.open = { start: 0, end: 0 };
  return found;
}

/** Headers with which chat templates begin a turn of the policy. */
const OWN_TURN =
  /<\|im_start\|>(?:assistant|ai)|<\|start_header_id\|>assistant<\|end_header_id\|>|<\|start\|>assistant|<\|assistant\|>|<\uff5cAssistant\uff5c>|<start_of_turn>model|<\|turn>model|\[\/INST\]|^(?:Assistant|ASSISTANT):/gm;
const TURN_ENDS =
  /<\|(?:im_(?:start|end)|eot_id|eom_id|start_header_id|end|user|turn)\|?>|<\uff5c(?:User|end\u2581of\u2581sentence)\uff5c>|<end_of_turn>|<turn\|>|<\/s>|^User:/m;
/** Text that may precede an opening tag: the start of a line, or the end of a template's header. */
const OPENS_PLACE = /(?:^|[\n>\]:])[ \t]*$/;
/** Text that a template may put after its final opening tag. */
const BEHIND_TAG = /^(?:thought|<\|message\|>)?\s*$/;

/**
 * Whether a prompt ends inside a block of thoughts, so that the completion continues thinking. This is the
 * case if the prompt ends with an opening tag, or with a turn of the policy that has an open block. Tags
 * within sentences of the instructions are ignored.
 * @param isPrefill whether the text is the beginning of the policy's turn
 */
export function endsInThoughts(prompt: string, isPrefill: boolean): boolean {
  const header = isPrefill ? undefined : [...prompt.matchAll(OWN_TURN)].at(-1);
  const turn = isPrefill ? prompt : header && prompt.slice(header.index + header[0].length);
  if (turn !== undefined && !TURN_ENDS.test(turn)) return thinkingOf(turn, true).open !== null;
  const tail = prompt.trimEnd().slice(-2 * TAG_CHARS);
  const { open } = thinkingOf(tail, true);
  return open !== null && BEHIND_TAG.test(tail.slice(open.end)) && OPENS_PLACE.test(tail.slice(0, open.start));
}

/**
 * Whether a closing tag ends the block of kind `inside` or, if `inside` is -1, a block that the prompt began.
 */
function ends(kind: number, inside: number, prompted: boolean): boolean {
  if (inside < 0) return kind === PLAIN || prompted;
  return kind === inside || (kind === PLAIN && inside < OWN_TAGS);
}

/**
 * Offset where a verifier's answer begins: after the last closing tag, or 0 without tags; -1 if a block is
 * still open at the end.
 */
export function answerStart(text: string): number {
  const { answer, open } = thinkingOf(text, false);
  return open === null ? answer : -1;
}

/**
 * Removes the thinking from a verifier's output: everything before the last closing tag, and the contents of
 * an open block. The tags are kept, so that the result can be continued and still shows whether a block is
 * open.
 */
export function withoutThoughts(text: string): string {
  const { lastClose, answer, open } = thinkingOf(text, false);
  if (open === null) return lastClose < 0 ? text : text.slice(lastClose);
  const closed = lastClose < 0 ? "" : text.slice(lastClose, answer);
  return closed + text.slice(open.start, open.end) + text.slice(Math.max(open.end, text.length - TAG_CHARS));
}

/**
 * Offset after the last closing tag of any kind; -1 if there is none. For fragments; use `thinkingOf` for a
 * whole text.
 */
export function lastCloseEnd(piece: string): number {
  let last = -1;
  const tags = new Tags(piece, 0);
  while (tags.next()) if (!tags.opens) last = tags.end;
  return last;
}
