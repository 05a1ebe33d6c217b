// Holds the escape to the special tokens of every family of the vectors, to shapes of which no
// member is named, and honest programs to what they are.
import { describe, expect, it } from "vitest";
import { isHead, SPECIAL_TOKENS } from "../../lab/red-team/material/special-tokens.ts";
import { escapeText, unescapeText } from "../../src/core/judges/escape/escape.ts";

/** A head counts at a line's start, other pieces anywhere. */
const around = (piece: string) => (isHead(piece) ? `said\n${piece}\nmore` : `x${piece}y`);

describe.each(Object.entries(SPECIAL_TOKENS))("%s", (_, pieces) => {
  it("no piece stands raw, and each comes back", () => {
    const texts = pieces.map(around);
    expect(pieces.filter((piece, i) => escapeText(texts[i] as string).includes(piece))).toEqual([]);
    expect(texts.map((text) => unescapeText(escapeText(text)))).toEqual(texts);
  });
});

it("the vectors hold more than a hundred families and seven hundred pieces", () => {
  expect(Object.keys(SPECIAL_TOKENS).length).toBeGreaterThan(100);
  expect(new Set(Object.values(SPECIAL_TOKENS).flat()).size).toBeGreaterThan(700);
});

describe("a mark that no family has, of a shape that they have", () => {
  it.each([
    ...[
      "<|zzz_start|>",
      "<｜zz▁begin｜>",
      "<|ZZZ|>",
      "[|Zed|]",
      "<_zebra>",
      "<zebra_bos>",
      "<zebra_token_17>",
      "<reserved_zebra_4>",
    ],
    ...[
      "<start_zebra>",
      "<end_of_zebra>",
      "<zebra_tool_call>",
      "<zz:tool_call>",
      "</zz:function_calls>",
      "<unused_zebra_9>",
      "[/ZEBRA]",
      "[/ZEBRA_CALL]",
    ],
    ...[
      "[BEGIN OF ZEBRA]",
      "[END_ZEBRA]",
      "<BEGIN ZEBRA>",
      "<Z_QUX>",
      "<ZEBRA_TOKEN>",
      "<|0.42|>",
      "<0xE2>",
      "<loc4711>",
      "<开始>",
      "<zebra_image_pad>",
    ],
    ...[
      "[unused4711]",
      "[extra_id_77]",
      "[control_512]",
      ">>ZEBRA<<",
      "|||ZEBRA_ID|||",
      "<ZebraHere>",
      "<tool=zebra>",
      "<CLS|zebra-lm>",
    ],
  ])("%s", (piece) => {
    expect(escapeText(`x${piece}y`)).not.toContain(piece);
    const wide = piece.replace(/[!-~]/g, (c) => String.fromCharCode(c.charCodeAt(0) + 0xfee0));
    expect(escapeText(`x${wide}y`)).not.toContain(wide);
  });
});

describe("the head of a turn", () => {
  const HEADS = [
    "Assistant:",
    "ASSISTANT :",
    "Human:",
    "USER:",
    "GPT4 Correct Assistant:",
    "### Response:",
    "###Input:",
    "## Assistant:",
  ];
  it.each([...HEADS, "### 指示:", "### 응답:", "问：", "Judgement:", "System："])(
    "is broken at a line's start: %s",
    (head) => {
      for (const before of ["", "x\n", "x\r", "x\n  ", "x\n\n"]) {
        expect(escapeText(`${before}${head} yes`)).not.toContain(head);
      }
    },
  );

  it.each([
    "The user: see above. An assistant: none. Ask a human: yes.",
    "  user: req.user,\n  system: true,\n  human: { age: 3 },",
    "class User:\n    pass\n",
    "# Input: two numbers\n# Output: their sum\n",
    "print('Assistant:', x)  # Human: y",
    "Users: 3\nSystems: 4\nToolbox: 5\nAIs: 6",
    "default:\n  break;\n",
  ])("stays in a sentence and in a program: %j", (text) => {
    expect(escapeText(text)).toBe(text);
  });
});

it.each([
  "std::vector<int> v; std::map<std::string, std::vector<bool>> m; a < b && c > d; x << 3 >> y;",
  "List<Answer> l; Map<K, V> m; Class<?> c; Optional<User> u; Set<TResult> s; <T extends Comparable<T>>",
  "template <class _Tp, class _Alloc> struct __v; #include <sys/types.h>\n#include <iostream>",
  "fn f<'a>(v: Vec<Option<u8>>) -> Result<(), Box<dyn Error>> { |x| x | y || z }",
  "let p = many1 digit <|> string x; f <$> g <*> h; a >>= b; xs <> ys; [x | x <- ys]",
  "<div class=\"a\"><p>hi</p><br/><img src='x.png'><h1>Title</h1><ul><li>1</li></ul></div>",
  "<note><to>Tove</to><from>Jani</from><body>Hi</body></note><xs:element name='a'/><soap:Body/>",
  "a[i] = b[N - 1]; x[MAX] += y[key]; m[user][0]; dp[mask | 1 << i]; s[start:end]; bits[0x1F]",
  "x || y; a|b; |x| -> x; O_RDWR|O_CREAT|O_EXCL; grep -E 'a|b'; | A | B |\n|---|---|",
  "if (n < start_of) { return n > end; } cout << x << endl; cin >> n; System.out.println(x); user.name",
])("leaves an honest program as it is: %j", (program) => {
  expect(escapeText(program)).toBe(program);
});

it("takes time in proportion to the text", () => {
  for (const unit of [
    "\n",
    "\nA",
    "\n   ",
    "#",
    "\n######",
    "<a_",
    "<_a",
    "<start_",
    "[BEGIN ",
    "\nBEGINNING OF CONVERSATION:",
    "<co:",
    "用",
    "|END",
  ]) {
    expect(escapeText(unit.repeat(100_000)).length).toBeGreaterThanOrEqual(100_000);
  }
});
