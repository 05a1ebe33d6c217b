// Owns what must not stand raw in a prompt when model text brings it: our own tags, special tokens
// of model families, soft switches. Knows no way to break them.

/** Every small letter of a pattern, escapes like `\w` apart, through `change`. */
const letters = (pattern: string, change: (letter: string) => string) =>
  pattern.replace(/\\.|[a-z]/g, (c) => (c.length > 1 ? c : change(c)));
/** The words in capitals and small letters, mixed as may be. */
const anyCase = (words: string) => letters(words, (c) => `[${c}${c.toUpperCase()}]`);
/** The words as they are, or all in capitals. */
const oneCase = (words: string) => `${words}|${letters(words, (c) => c.toUpperCase())}`;

const GAP = "\\s{0,8}";
const SLASH = `${GAP}/${GAP}`;

/**
 * In square brackets. In small letters they are an index of an honest program (`x[question]`), but
 * behind a slash.
 */
const BRACKETED =
  "QUESTION|Question|INST|SYSTEM_PROMPT|[GSgs]MASK|THINK|AVAILABLE_TOOLS|TOOL(?:_[A-Z]{1,16})?|ARGS|CALL_ID|MODEL_SETTINGS|IMG(?:_BREAK|_END)?|PREFIX|MIDDLE|SUFFIX|AUDIO|TRANSCRIBE|[A-Z_]{1,24}_AUDIO(?:_TEXT)?|STREAMING_[A-Z]{1,8}|BOS|EOS|EOT|PAD|UNK|REF|CONTROL_\\d{1,4}|UNUSED_TOKEN_\\d{1,4}|unused\\d{1,4}|multimodal|@BOS@";
const CLOSING = anyCase(
  "question|inst|candidate|system_prompt|gmask|think|available_tools|tool_\\w{1,16}|model_settings|img|ref",
);

/** Between `<` and `>`, in any case: names that no honest type has. */
const NAMED = anyCase(
  "think|thinking|(?:start|end|begin|beginning)_of_\\w{1,32}|(?:longcat|tts|fim|im|jupyter|image|audio|video|img|vision|speech|box|quad)_\\w{1,32}|fim-\\w{1,16}|(?:seed|minimax):\\w{1,32}",
);
/** In small letters or in capitals: `List<Answer>` is a type. */
const WORDS = oneCase(
  "thought|reasoning|answer|response|role|sep|bos|eos|pad|unk|eot|eom|eod|bot|sop|eop|image|video|audio|tools|tool_calls?|tool_responses?|tool_results?|function_calls?|arg_key|arg_value|reponame|gh_stars|issue_\\w{1,16}|commit_\\w{1,16}|empty_output|extra_(?:id_)?\\d{1,4}|special_\\d{1,4}|unused_?\\d{1,4}|reserved_\\w{1,32}|mask:\\d{1,4}|ctrl\\d{1,4}",
);
const CLOSED = `${NAMED}|${anyCase("thought|reasoning|answer|response|role|tools|tool_\\w{1,16}|arg_\\w{1,16}|function_calls?|img|longcat_s|s")}`;

/**
 * Each danger as its first character and what follows it. A pattern may look ahead only within the
 * danger itself and never back: then a danger is one wherever it stands, and a joiner behind its
 * first character breaks it whatever is around. Matched against the skeleton of a text
 * (`look-alikes.ts`), so in ASCII. Lengths are bounded: linear time.
 */
const DANGERS: Readonly<Record<string, readonly string[]>> = {
  "\\[": [
    `${GAP}(?:${BRACKETED})${GAP}\\]`,
    `${GAP}${anyCase("candidate")}${GAP}[\\s_-]\\s{0,8}[^\\]\\s]${GAP}\\]`,
    `${GAP}CANDIDATE[^\\]\\n]{0,12}\\]`,
    `${SLASH}(?:${CLOSING})[^\\]\\n/]{0,12}\\]`,
    "\\|/?\\w{1,32}\\|\\]",
    "e~\\[",
  ],
  "<": [
    // Any mark of ChatML, Llama 3, Harmony, DeepSeek, Gemma 4, ..: but not Haskell's `<|>`, nor an
    // operator between blanks.
    "\\|[\\p{L}\\d_/]",
    "\\|[^\\s|<>][^|<>\\n]{0,63}\\|>",
    "/?[\\w:.-]{1,64}\\|>",
    `${GAP}(?:${NAMED}|${WORDS}|s|[A-Z]{3,4}_TOKEN|0x[0-9A-F]{2})${GAP}>`,
    `${SLASH}(?:${CLOSED})${GAP}>`,
    `<${GAP}/?${GAP}${anyCase("sys")}${GAP}>>`,
    "\\[(?:\\w{1,16}_of_sentence|\\w{1,16}_TOKEN|fim-\\w{1,8}|PLHD\\w{1,32})\\]>",
  ],
  "\\]": ["~b\\]", "~!b\\[", "![pd]~\\[", "<\\]"],
  "\\\\": [anyCase("boxed")],
  // Soft switches of thinking (Qwen 3, GLM, SmolLM, LongCat), which work wherever they stand.
  "/": [anyCase("(?:no_?)?think")],
  "\\|": ["DSML\\|", "\\|\\|(?:PHONE_NUMBER|EMAIL_ADDRESS|IP_ADDRESS)\\|\\|\\|"],
  ">": [">(?:QUESTION|ANSWER|TITLE|ABSTRACT|INTRODUCTION|SUMMARY|COMMENT|DOMAIN|PREFIX|SUFFIX|MIDDLE)<<"],
};

/**
 * Matches the first character of every danger, overlapping ones included: what follows is only
 * looked at.
 */
export const OPENERS = new RegExp(
  Object.entries(DANGERS)
    .map(([first, rests]) => `${first}(?=${rests.join("|")})`)
    .join("|"),
  "gu",
);
