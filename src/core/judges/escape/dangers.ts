// Patterns of text that must not appear unescaped in a prompt if it was written by a model: our tags, special
// tokens of model families, turn headers, and soft switches.

/** Applies `change` to every lower-case letter of a pattern, except in escapes such as `\w`. */
const letters = (pattern: string, change: (letter: string) => string) =>
  pattern.replace(/\\.|[a-z]/g, (c) => (c.length > 1 ? c : change(c)));
/** Pattern that matches the words in any mix of upper and lower case. */
const anyCase = (words: string) => letters(words, (c) => `[${c}${c.toUpperCase()}]`);
/** Pattern that matches the words as written or in upper case. */
const oneCase = (words: string) => `${words}|${letters(words, (c) => c.toUpperCase())}`;
/** Pattern that matches the words as written, capitalised, or in upper case. */
const heading = (words: readonly string[]) =>
  words.flatMap((word) => [word, word[0]?.toUpperCase() + word.slice(1), word.toUpperCase()]).join("|");

const GAP = "\\s{0,8}";
const SLASH = `${GAP}/${GAP}`;

/**
 * Names in square brackets. In lower case they are index expressions of ordinary programs (`x[question]`),
 * except after a slash.
 */
const BRACKETED =
  "QUESTION|Question|INST|SYSTEM_PROMPT|[GSgs]?MASK|THINK|AVAILABLE_TOOLS|TOOL(?:_[A-Z]{1,16})?|ARGS|CALL_ID|MODEL_SETTINGS|IMG(?:_BREAK|_END)?|PREFIX|MIDDLE|SUFFIX|AUDIO|TRANSCRIBE|[A-Z_]{1,24}_AUDIO(?:_TEXT)?|STREAMING_[A-Z]{1,8}|[BE]O[SDTMPAHU]|PAD|UNK|CLS|SEP|REF|USER|BOT|SYSTEM|ASSISTANT|HUMAN|PYTHON|TESTS|ATTR|SEG|SYS|START|STOP|END|NL[UG]|S2S|[A-Z]{0,8}_?TOKENS?_?\\d{0,5}|(?:CONTROL|control|UNUSED|unused|RESERVED|reserved|EXTRA|extra|SPECIAL|special)(?:_?[A-Za-z]{2,8}){0,2}_?\\d{1,5}|(?:start|end)_\\w{1,24}_id|multimodal|@[BE]OS@|[Rr]ound \\d{1,3}|ROUND \\d{1,3}|(?:BEGIN|END|START|STOP)(?:[ _][A-Z]{1,16}){1,5}";
const CLOSING = anyCase(
  "question|inst|candidate|system_prompt|gmask|think|available_tools|tool_\\w{1,16}|model_settings|img|ref|python|tests|user|bot|system|assistant",
);

/** Parts of compound names: first parts, last parts, and parts that are followed by a number. */
const FIRST =
  "start|end|begin|beginning|bos|eos|im|fim|tts|gh|longcat|jupyter|image|audio|video|vid|img|vision|speech|frame|patch|box|quad|low_res|row|fake|delimiter|trainable|extra|special|reserved|unused|custom|sentinel|mask|loc|seg|so|pr|commit|issue|tool|function|available|available_tool|scratch|fill|detailed|region|repo|empty|code_to|intermediate_to|ovis|nexa|global";
const LAST =
  "start|end|begin|bos|eos|bot|eot|pad|sep|patch|tokens?|mask|placeholder|turn|newline|utterance|atom|embedding|tools?|tool_?calls?|tool_?results?|captions?|system|assistant|human|unused";
const NUMBERED =
  "loc|seg|reserved|unused|extra|special|sentinel|mask|blank|dummy|ctrl|control|pad|placeholder|nexa|image|img|tokens?";
/** Names between `<` and `>`, in any case. No ordinary type has such a name. */
const NAMED = anyCase(
  "think|thinking|img|scratch_?pad|tool_?calls?|(?:start|end|begin|beginning)_of_\\w{1,32}|(?:longcat|tts|fim|im|jupyter|image|audio|video|img|vision|speech|box|quad)_\\w{1,32}|fim-\\w{1,16}|(?:seed|minimax):\\w{1,32}|\\w{2,16}:(?:(?:tool|function)_?calls?|invoke|parameters?|think(?:ing)?|(?:b|e)os|break)|global-img|co(?::[\\s\\d,:[\\]]{0,24})?",
);
/** Names in lower or upper case only, because `List<Answer>` is an ordinary type. */
const WORDS = oneCase(
  `thought|reasoning|answer|response|role|sep|bos|eos|pad|unk|cls|mask|delim|e[ou][stmdpahcri]{1,2}|[bs]o[stmdpahcri]|sosp|eosp|work|tool|user|assistant|human|system|chatbot|image|video|audio|tools|functions|tool_responses?|tool_results?|function_calls?|arg_key|arg_value|reponame|filename|gh_stars|escape|results|rule|information|grounding|phrase|od|ocr|poly|cap|ncap|ref|box|quad|point|slice|unit|dream|ai|pr|smiles|selfies|fasta|_{1,2}[a-z]{2,16}_{0,2}|\\d{1,2}mass|(?:${FIRST})_\\w{1,40}|[a-z]\\w{0,24}_(?:${LAST})(?:_?\\d{1,5})?|(?:${NUMBERED})(?:_?(?:id|index|tokens?))?[_:]?\\d{1,5}|(?:patch|custom|extra|reserved|special|unused|tokens)_\\w{1,16}_?\\d{1,5}`,
);
/** Names that are dangerous only in upper case, because `<pre>` is an HTML tag. */
const CAPITALS =
  "PRE|SUF|MID|ENC|CAPTION|USER|SYSTEM|ASSISTANT|HUMAN|[A-Z]_[A-Z]{1,8}|[A-Z]{1,12}_TOKEN|dBLOCK|[gs]MASK|[A-Z]\\w{1,16}Here|[A-Z]{2,8}(?:-[A-Z]{2,10}){2,3}|[A-Z]{2,6}\\|[\\w-]{1,16}|(?:BEGIN|END|START|STOP)(?: [A-Z]{1,16}){1,5}";
const CLOSED = `${NAMED}|${anyCase("thought|reasoning|answer|response|role|tools|functions|tool_\\w{1,16}|available_\\w{1,16}|arg_\\w{1,16}|function_calls?|img|image|quad|ref|box|point|slice|unit|rule|results|information|work|user|assistant|human|bot|system|od|ocr|poly|cap|grounding|phrase|fasta|smiles|selfies|longcat_s|s")}`;

/**
 * Names of speakers. They are turn headers at the start of a line before a colon, and ordinary words
 * elsewhere.
 */
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
/** Turn headers in Chinese, Japanese and Korean, in the normalised form of a skeleton (NFKD). */
const FOREIGN_HEADS =
  "\u6307\u793a \u5fdc\u7b54 \u5165\u529b \u51fa\u529b \u56de\u7b54 \u95ee\u9898 \u8cea\u554f \u6307\u4ee4 \u8f93\u5165 \u8f93\u51fa \uc9c8\ubb38 \ub2f5\ubcc0 \uba85\ub839\uc5b4 \uc751\ub2f5 \uc785\ub825"
    .normalize("NFKD")
    .split(" ");
const CAPITALISED = ROLES.flatMap((role) => [role[0]?.toUpperCase() + role.slice(1), role.toUpperCase()]).join("|");
const HEADS = [
  `(?:(?:GPT\\d?|Code|BEGINNING OF CONVERSATION:) (?:Correct )?)?(?:${CAPITALISED})${GAP}:`,
  "BEGINNING OF CONVERSATION:|Judge?ment:",
  // In lower case only if the rest of the line is empty, because `user: req.user` is program code.
  `(?:${ROLES.join("|")}):(?=[ \\t]{0,8}(?:[\\n\\r]|$))`,
  `#{2,6} {0,2}(?:${heading([...ROLES, "instruction", "instructions", "input", "response", "output", "question", "answer", "context", "feedback", ...FOREIGN_HEADS])})${GAP}:`,
  "#{2,6} {0,2}(?:End|END)(?=[ \\t]{0,8}(?:[\\n\\r]|$))",
  `[Ss]ource: {0,2}(?:${ROLES.join("|")})`,
  "(?:\u95ee|\u7b54|\u7528\u6237|\u52a9\u624b|\u7cfb\u7edf) {0,2}:",
].join("|");
const HEAD_STARTS = "[A-Zuahsbcgmdt#\u95ee\u7b54\u7528\u52a9\u7cfb]";

/**
 * Patterns of dangerous text: the first character, then what must follow it. A pattern looks ahead only
 * within the dangerous text and never looks behind, so a match does not depend on the context, and a joiner
 * after the first character always breaks the match. Patterns are matched against the skeleton of the text
 * (`look-alikes.ts`), so they are ASCII. Lengths are bounded, so matching takes linear time.
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
    // Any token of ChatML, Llama 3, Harmony, DeepSeek, Gemma 4 and others, but not Haskell's `<|>` or an
    // operator between spaces.
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
  // Soft switches that turn thinking on or off (Qwen 3, GLM, SmolLM, LongCat). They work at any position.
  "/": [anyCase("(?:no_?)?think"), anyCase("system_override")],
  "\\|": [
    "DSML\\|",
    "\\|\\|[A-Z]{2,16}_[A-Z]{2,16}\\|\\|\\|",
    "(?:(?:END|START|BEGIN)OF[A-Z]{3,16}|BEGINNING|SPEAKER|NEWLINE)\\|",
  ],
  ">": [">[A-Z][A-Z_0-9]{2,24}<<"],
};

/** Turn headers, which count only at the start of a line and therefore need a look-behind. */
const HEADS_OF_LINES = `${HEAD_STARTS}(?<=(?:^|[\\n\\r\\x0c])[ \\t]{0,3}.)(?<=(?=(?:${HEADS})).)`;

/**
 * Matches the first character of every dangerous text. The rest is matched by look-ahead, so that overlapping
 * texts are found too.
 */
export const OPENERS = new RegExp(
  [...Object.entries(DANGERS).map(([first, rests]) => `${first}(?=${rests.join("|")})`), HEADS_OF_LINES].join("|"),
  "gu",
);
