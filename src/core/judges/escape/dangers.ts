// Defines what must not stand raw in a prompt when model text brings it: our own tags, special tokens of
// model families, heads of their turns, soft switches.

/** Every small letter of a pattern, escapes like `\w` apart, through `change`. */
const letters = (pattern: string, change: (letter: string) => string) =>
  pattern.replace(/\\.|[a-z]/g, (c) => (c.length > 1 ? c : change(c)));
/** The words in upper and lower case, mixed as may be. */
const anyCase = (words: string) => letters(words, (c) => `[${c}${c.toUpperCase()}]`);
/** The words as they are, or all in capitals. */
const oneCase = (words: string) => `${words}|${letters(words, (c) => c.toUpperCase())}`;
/** The words as they are, with a first capital, or all in capitals. */
const heading = (words: readonly string[]) =>
  words.flatMap((word) => [word, word[0]?.toUpperCase() + word.slice(1), word.toUpperCase()]).join("|");

const GAP = "\\s{0,8}";
const SLASH = `${GAP}/${GAP}`;

/**
 * In square brackets. In lower case they are an index of an honest program (`x[question]`), except behind a
 * slash.
 */
const BRACKETED =
  "QUESTION|Question|INST|SYSTEM_PROMPT|[GSgs]?MASK|THINK|AVAILABLE_TOOLS|TOOL(?:_[A-Z]{1,16})?|ARGS|CALL_ID|MODEL_SETTINGS|IMG(?:_BREAK|_END)?|PREFIX|MIDDLE|SUFFIX|AUDIO|TRANSCRIBE|[A-Z_]{1,24}_AUDIO(?:_TEXT)?|STREAMING_[A-Z]{1,8}|[BE]O[SDTMPAHU]|PAD|UNK|CLS|SEP|REF|USER|BOT|SYSTEM|ASSISTANT|HUMAN|PYTHON|TESTS|ATTR|SEG|SYS|START|STOP|END|NL[UG]|S2S|[A-Z]{0,8}_?TOKENS?_?\\d{0,5}|(?:CONTROL|control|UNUSED|unused|RESERVED|reserved|EXTRA|extra|SPECIAL|special)(?:_?[A-Za-z]{2,8}){0,2}_?\\d{1,5}|(?:start|end)_\\w{1,24}_id|multimodal|@[BE]OS@|[Rr]ound \\d{1,3}|ROUND \\d{1,3}|(?:BEGIN|END|START|STOP)(?:[ _][A-Z]{1,16}){1,5}";
const CLOSING = anyCase(
  "question|inst|candidate|system_prompt|gmask|think|available_tools|tool_\\w{1,16}|model_settings|img|ref|python|tests|user|bot|system|assistant",
);

/** Parts of compound names: what begins one, what ends one, and what numbers follow. */
const FIRST =
  "start|end|begin|beginning|bos|eos|im|fim|tts|gh|longcat|jupyter|image|audio|video|vid|img|vision|speech|frame|patch|box|quad|low_res|row|fake|delimiter|trainable|extra|special|reserved|unused|custom|sentinel|mask|loc|seg|so|pr|commit|issue|tool|function|available|available_tool|scratch|fill|detailed|region|repo|empty|code_to|intermediate_to|ovis|nexa|global";
const LAST =
  "start|end|begin|bos|eos|bot|eot|pad|sep|patch|tokens?|mask|placeholder|turn|newline|utterance|atom|embedding|tools?|tool_?calls?|tool_?results?|captions?|system|assistant|human|unused";
const NUMBERED =
  "loc|seg|reserved|unused|extra|special|sentinel|mask|blank|dummy|ctrl|control|pad|placeholder|nexa|image|img|tokens?";
/** Between `<` and `>`, in any case: names that no honest type has. */
const NAMED = anyCase(
  "think|thinking|img|scratch_?pad|tool_?calls?|(?:start|end|begin|beginning)_of_\\w{1,32}|(?:longcat|tts|fim|im|jupyter|image|audio|video|img|vision|speech|box|quad)_\\w{1,32}|fim-\\w{1,16}|(?:seed|minimax):\\w{1,32}|\\w{2,16}:(?:(?:tool|function)_?calls?|invoke|parameters?|think(?:ing)?|(?:b|e)os|break)|global-img|co(?::[\\s\\d,:[\\]]{0,24})?",
);
/** In lower or in upper case: `List<Answer>` is a type. */
const WORDS = oneCase(
  `thought|reasoning|answer|response|role|sep|bos|eos|pad|unk|cls|mask|delim|e[ou][stmdpahcri]{1,2}|[bs]o[stmdpahcri]|sosp|eosp|work|tool|user|assistant|human|system|chatbot|image|video|audio|tools|functions|tool_responses?|tool_results?|function_calls?|arg_key|arg_value|reponame|filename|gh_stars|escape|results|rule|information|grounding|phrase|od|ocr|poly|cap|ncap|ref|box|quad|point|slice|unit|dream|ai|pr|smiles|selfies|fasta|_{1,2}[a-z]{2,16}_{0,2}|\\d{1,2}mass|(?:${FIRST})_\\w{1,40}|[a-z]\\w{0,24}_(?:${LAST})(?:_?\\d{1,5})?|(?:${NUMBERED})(?:_?(?:id|index|tokens?))?[_:]?\\d{1,5}|(?:patch|custom|extra|reserved|special|unused|tokens)_\\w{1,16}_?\\d{1,5}`,
);
/** Names that are marks in capitals alone: `<pre>` is a tag of HTML. */
const CAPITALS =
  "PRE|SUF|MID|ENC|CAPTION|USER|SYSTEM|ASSISTANT|HUMAN|[A-Z]_[A-Z]{1,8}|[A-Z]{1,12}_TOKEN|dBLOCK|[gs]MASK|[A-Z]\\w{1,16}Here|[A-Z]{2,8}(?:-[A-Z]{2,10}){2,3}|[A-Z]{2,6}\\|[\\w-]{1,16}|(?:BEGIN|END|START|STOP)(?: [A-Z]{1,16}){1,5}";
const CLOSED = `${NAMED}|${anyCase("thought|reasoning|answer|response|role|tools|functions|tool_\\w{1,16}|available_\\w{1,16}|arg_\\w{1,16}|function_calls?|img|image|quad|ref|box|point|slice|unit|rule|results|information|work|user|assistant|human|bot|system|od|ocr|poly|cap|grounding|phrase|fasta|smiles|selfies|longcat_s|s")}`;

/** Who speaks: a head at a line's start, a colon behind it; in a sentence they are words. */
const ROLES = [
  "user",
  "assistant",
  "human",
  "system",
  "bot",
  "chatbot",
  "model",
  "gpt",
  "ai",
  "moss",
  "developer",
  "tool",
];
/** The same in Chinese, Japanese and Korean, as a skeleton has them. */
const FOREIGN_HEADS =
  "\u6307\u793a \u5fdc\u7b54 \u5165\u529b \u51fa\u529b \u56de\u7b54 \u95ee\u9898 \u8cea\u554f \u6307\u4ee4 \u8f93\u5165 \u8f93\u51fa \uc9c8\ubb38 \ub2f5\ubcc0 \uba85\ub839\uc5b4 \uc751\ub2f5 \uc785\ub825"
    .normalize("NFKD")
    .split(" ");
const CAPITALISED = ROLES.flatMap((role) => [role[0]?.toUpperCase() + role.slice(1), role.toUpperCase()]).join("|");
const HEADS = [
  `(?:(?:GPT\\d?|Code|BEGINNING OF CONVERSATION:) (?:Correct )?)?(?:${CAPITALISED})${GAP}:`,
  "BEGINNING OF CONVERSATION:|Judge?ment:",
  // In lower case only where the line holds nothing else: `user: req.user` is a program's.
  `(?:${ROLES.join("|")}):(?=[ \\t]{0,8}(?:[\\n\\r]|$))`,
  `#{2,6} {0,2}(?:${heading([...ROLES, "instruction", "instructions", "input", "response", "output", "question", "answer", "context", "feedback", ...FOREIGN_HEADS])})${GAP}:`,
  "#{2,6} {0,2}(?:End|END)(?=[ \\t]{0,8}(?:[\\n\\r]|$))",
  `[Ss]ource: {0,2}(?:${ROLES.join("|")})`,
  "(?:\u95ee|\u7b54|\u7528\u6237|\u52a9\u624b|\u7cfb\u7edf) {0,2}:",
].join("|");
const HEAD_STARTS = "[A-Zuahsbcgmdt#\u95ee\u7b54\u7528\u52a9\u7cfb]";

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
    `${SLASH}[A-Z][A-Z_]{1,24}${GAP}\\]`,
    "\\|/?\\w{1,32}\\|\\]",
    "e~\\[",
  ],
  "<": [
    // Any mark of ChatML, Llama 3, Harmony, DeepSeek, Gemma 4, ..: but not Haskell's `<|>`, nor an
    // operator between blanks.
    "\\|[\\p{L}\\d_/]",
    "\\|[^\\s|<>][^|<>\\n]{0,63}\\|>",
    "/?[\\w:.-]{1,64}\\|>",
    `${GAP}(?:${NAMED}|${WORDS}|${CAPITALS}|s|0x[0-9A-F]{2}|\\p{Lo}{1,4})${GAP}>`,
    `${SLASH}(?:${CLOSED})${GAP}>`,
    `/?(?:function|parameter|tool|invoke|arg)(?:=|\\s{1,4}name=)[^<>\\n]{1,64}>`,
    `<${GAP}/?${GAP}${anyCase("sys")}${GAP}>>`,
    "\\[(?:\\w{1,16}_of_sentence|\\w{1,16}_TOKEN|fim-\\w{1,8}|PLHD\\w{1,32})\\]>",
    `(?:${anyCase("human|bot|user|assistant|system")})>:`,
  ],
  "\\]": ["~b\\]", "~!b\\[", "![pd]~\\[", "<\\]"],
  "\\\\": [anyCase("boxed")],
  // Soft switches of thinking (Qwen 3, GLM, SmolLM, LongCat), which work wherever they stand.
  "/": [anyCase("(?:no_?)?think"), anyCase("system_override")],
  "\\|": [
    "DSML\\|",
    "\\|\\|[A-Z]{2,16}_[A-Z]{2,16}\\|\\|\\|",
    "(?:(?:END|START|BEGIN)OF[A-Z]{3,16}|BEGINNING|SPEAKER|NEWLINE)\\|",
  ],
  ">": [">[A-Z][A-Z_0-9]{2,24}<<"],
};

/** A head is one at the start of a line, which only what stands before it can tell. */
const HEADS_OF_LINES = `${HEAD_STARTS}(?<=(?:^|[\\n\\r\\x0c])[ \\t]{0,3}.)(?<=(?=(?:${HEADS})).)`;

/**
 * Matches the first character of every danger, overlapping ones included: what follows is only
 * looked at.
 */
export const OPENERS = new RegExp(
  [...Object.entries(DANGERS).map(([first, rests]) => `${first}(?=${rests.join("|")})`), HEADS_OF_LINES].join("|"),
  "gu",
);
