// The texts that the fuzzer feeds: seeded, made of what the parsers look for.
import { createRandom } from "../../src/core/math/random.ts";

/** Texts with a meaning for one parser or another; strung together at random they reach its corners. */
export const FRAGMENTS: readonly string[] = [
  ..."\\boxed{|\\boxed {|\\boxed|{|}|[|]|[[|]]|(|)|A|B|b|Z|10|-1|0.5|,|.|**|`|$|\"|'|\\text{A}|candidate |Final Answer:".split(
    "|",
  ),
  ..."<think>|</think>|<thinking>|</|<|>|<answer>|</answer>|<answer>7</answer>|[CANDIDATE_A]|[/CANDIDATE_A]|[QUESTION]|[/QUESTION]".split(
    "|",
  ),
  ...[
    "<|im_start|>user\n",
    "<|im_end|>\n",
    "<|im_start|>assistant\n",
    "[INST]",
    "[/INST]",
    "</s>",
    "<|eot_id|>",
    "<<SYS>>",
    "<U+202E>",
    "[e~[",
    "]~!b[",
    "<turn|>",
    "<|turn>",
    "<role>",
    "<sep>",
    "/no_think",
    "/think",
  ],
  ...[
    "</thinking>",
    "[THINK]",
    "[/THINK]",
    "<|channel>",
    "<channel|>",
    "<|channel|>final<|message|>",
    "<|channel|>analysis",
  ],
  ...["Assistant: ```python\n", "# ```\n", "x```\n", "- ```", "> ", "     ```\n", "```</answer>", "```markdown\n"],
  ...'```|````|~~~|```python\n|\n```\n|\'\'\'|"""|#|//|/*|*/|<!--|-->|#!|R"(|)"|r#"|"#|@"|$"|f\'|b"|${|\\\\|\\u002f|\\u0022|\\'.split(
    "|",
  ),
  ..."def f():|lambda x:|return |import |export |if |class A:|    |\t|\n|\r\n|\r|=|==|:|;|+|-|*|/|?|!|&|a|x1|_|1'0".split(
    "|",
  ),
  ...'{"a":|[1,2|null|true|NaN|1e5|"\\u00e9"|"\\x"|,]|,}'.split("|"),
  ...[
    "[[A]]",
    "[[A>>B]]",
    "[[7, 4]]",
    "<answer>[[B]]</answer>",
    '{"a":{"1":3}}',
    "Final Answer: B",
    "or",
    "/10",
    "out of 10",
  ],
  ...["data: ", "data:", "\ufeffdata: ", "\n\n", "event: x\n", ": beat\n", "[DONE]", '{"type":"verdict"}'],
  ...["(a+)+", "[a-z]*", "a{2,5}", "\\Qx", "(?i)", "|", "^", "\\p{L}"],
  ...[
    "\u2060",
    "\u200b",
    "\u202e",
    "\u00a0",
    "\u2028",
    "\ufeff",
    "\ud800",
    "\udc00",
    "\u0301",
    "Ａ",
    "А",
    "é",
    "解",
    "😀",
    "\0",
    "\x1b",
  ],
];

/** Longest run of one repeated piece; such inputs are what a quadratic scan trips over. */
const REPEATED_CHARS_MAX = 16_384;
const REPEATED_SHARE = 0.0005;
const PIECES_MAX = 24;

/** An endless source of texts; the same seed gives the same ones. */
export function createInputs(seed: number): () => string {
  const random = createRandom(seed);
  const below = (n: number) => Math.floor(random() * n);
  const fragment = () => FRAGMENTS[below(FRAGMENTS.length)] as string;
  const character = () => String.fromCharCode(random() < 0.7 ? 32 + below(95) : below(65_536));
  const piece = () => (random() < 0.85 ? fragment() : character());
  let last = "";

  function fresh(): string {
    let text = "";
    for (let pieces = 1 + below(PIECES_MAX); pieces > 0; pieces--) text += piece();
    return text;
  }

  /**
   * The input before this one with a piece in it replaced: near a corner there are often others.
   */
  function mutated(): string {
    const at = below(last.length + 1);
    return last.slice(0, at) + piece() + last.slice(at + below(8));
  }

  function repeated(): string {
    const unit = piece() + (random() < 0.5 ? piece() : "");
    return piece() + unit.repeat(Math.ceil(below(REPEATED_CHARS_MAX) / unit.length)) + piece();
  }

  return () => {
    const kind = random();
    const text = kind < REPEATED_SHARE ? repeated() : kind < 0.4 && last !== "" ? mutated() : fresh();
    if (text.length < 1024) last = text;
    return text;
  };
}
