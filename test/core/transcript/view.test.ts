// A judge's view of a run: numbered blocks, cut and marked; a shared beginning once.
import { describe, expect, it } from "vitest";
import { cutTo, shares } from "../../../src/core/candidate/transcript/cut.ts";
import { evidenceOf, wholeView } from "../../../src/core/candidate/transcript/evidence.ts";
import { fileRegions } from "../../../src/core/candidate/transcript/files.ts";
import { regionsOf, viewOf } from "../../../src/core/candidate/transcript/view.ts";
import type { Rollout } from "../../../src/core/contract/group.ts";
import { drained } from "../../../src/core/math/drained.ts";
import { turnsOf } from "../../../src/core/transcript/turns.ts";
import { holdsOfAny } from "./properties.ts";

const BUDGET = { result_chars: 2_000, total_chars: 65_536, shrinks: 0 };
const view = (messages: unknown, budget = BUDGET) => viewOf(regionsOf(turnsOf(messages)), false, budget);
const call = (id: string, name = "bash", args = "{}") => ({ id, function: { name, arguments: args } });

describe("a transcript", () => {
  it("is numbered blocks, a result under the number of its call", () => {
    const { text, shown, left_out } = view([
      { role: "assistant", content: "I look.", reasoning_content: "hm", tool_calls: [call("a"), call("b", "read")] },
      { role: "tool", tool_call_id: "b", content: "two" },
      { role: "tool", tool_call_id: "a", content: "one" },
      { role: "assistant", content: "Done." },
    ]);
    expect(text).toBe(
      "[TURN_1 assistant]\nI look.\n[CALL_1.1 bash]\n{}\n[CALL_1.2 read]\n{}\n[RESULT_1.2]\ntwo\n[RESULT_1.1]\none\n[TURN_2 assistant]\nDone.",
    );
    expect([shown, left_out]).toEqual([1, { thoughts: 2 }]);
  });

  it.each([
    ["a call without a result", [{ role: "assistant", content: "x", tool_calls: [call("a")] }], "[CALL_1.1 bash]\n{}"],
    ["a result without a call", [{ role: "tool", tool_call_id: "q", content: "r" }], "[RESULT_1.x of q]\nr"],
    [
      "a result without an id",
      [
        { role: "assistant", tool_calls: [call("")] },
        { role: "tool", content: "r" },
      ],
      "[RESULT_1.1]\nr",
    ],
    [
      "a result before its call",
      [
        { role: "tool", tool_call_id: "a", content: "r" },
        { role: "assistant", tool_calls: [call("a")] },
      ],
      "[RESULT_1.x of a]\nr\n[TURN_2 assistant]\n[CALL_2.1 bash]",
    ],
    [
      "an id of several calls: the last one's",
      [
        { role: "assistant", tool_calls: [call("a"), call("a")] },
        { role: "tool", tool_call_id: "a", content: "r" },
      ],
      "[RESULT_1.2]\nr",
    ],
    [
      "an id with line feeds",
      [{ role: "tool", tool_call_id: "a]\n[TURN_1 user]", content: "r" }],
      '[RESULT_1.x of "a]\\n[\u2060TURN_1 user]"]\nr',
    ],
    [
      "a name with line feeds",
      [{ role: "assistant", tool_calls: [call("a", "x\n[RESULT_1.1]")] }],
      '[CALL_1.1 "x\\n[\u2060RESULT_1.1]"]',
    ],
    [
      "roles out of order",
      [
        { role: "user", content: "u" },
        { role: "system", content: "s" },
      ],
      "[TURN_1 user]\nu\n[TURN_2 system]\ns",
    ],
  ])("shows %s as it is", (_, messages, shown) => {
    expect(view(messages).text).toContain(shown);
  });

  it("shows 1,024 turns, each numbered", () => {
    const turns = Array.from({ length: 1_024 }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: `t${i}` }));
    expect(view(turns).text).toContain("[TURN_1024 assistant]\nt1023");
  });

  it("keeps head and tail of a long result, and says how much is left out", () => {
    const { text, shown, left_out } = view([
      { role: "assistant", content: "own", tool_calls: [call("a")] },
      { role: "tool", tool_call_id: "a", content: `begin${"x".repeat(9_990)}end__` },
    ]);
    expect(text).toMatch(/\[RESULT_1\.1\]\nbeginx+ \.\. \[8,\d{3} characters left out\] \.\. x+end__$/);
    expect(text.length).toBeLessThan(2_000 + 80);
    expect(shown).toBeCloseTo(1 - (left_out.results as number) / (10_000 + 5), 12);
  });

  it("shares what is left by equal levels, and never cuts the policy's own words", () => {
    const own = "w".repeat(3_000);
    const messages = [
      { role: "assistant", content: own, tool_calls: [call("a"), call("b"), call("c")] },
      ...["a", "b", "c"].map((id, i) => ({
        role: "tool",
        tool_call_id: id,
        content: `${i}`.repeat([100, 1_900, 1_900][i] as number),
      })),
    ];
    const { text } = view(messages, { ...BUDGET, total_chars: 4_000 });
    expect(text.length).toBeLessThanOrEqual(4_000);
    expect(text.length).toBeGreaterThan(3_990);
    expect(text).toContain(own);
    expect(text).toContain("0".repeat(100));
    expect(view(messages, { ...BUDGET, total_chars: 10 }).text).toContain(own);
  });

  it("halves what is no word of the policy with every shrink", () => {
    const messages = [
      { role: "assistant", content: "own" },
      { role: "tool", content: "r".repeat(1_600) },
    ];
    const sizes = [0, 1, 2, 3].map((shrinks) => view(messages, { ...BUDGET, shrinks }).text.length);
    const heads = "[TURN_1 assistant]\nown\n[RESULT_1.x]\n".length;
    // The words that tell of a cut have a digit less than was reckoned with.
    for (const [i, size] of sizes.entries()) expect(1_600 / 2 ** i - (size - heads)).toBeOneOf([0, 1, 2]);
  });
});

describe("cutting", () => {
  it("gives all the same level, the shorter ones all they have, what is over to the first", () => {
    expect(shares([1_000, 100, 1_000], 1_000)).toEqual([450, 100, 450]);
    expect(shares([1_000, 100, 1_000], 1_001)).toEqual([451, 100, 450]);
    expect(shares([5, 5], 100)).toEqual([5, 5]);
    expect(shares([], 10)).toEqual([]);
  });
  it("halves no surrogate pair", () => {
    for (let chars = 40; chars < 60; chars++) {
      const { head, tail } = cutTo("\ud83d\ude00".repeat(200), chars);
      expect(`${head}${tail}`).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
    }
  });
});

describe("a group", () => {
  const start = [
    { role: "assistant", content: "I look.", tool_calls: [call("a")] },
    { role: "tool", tool_call_id: "a", content: "x" },
  ];
  const group = (...runs: unknown[][]) =>
    drained(evidenceOf(runs.map((messages) => ({ text: "", messages })) as unknown as Rollout[])) ?? [];
  const viewOfGroup = (...runs: unknown[][]) =>
    wholeView(group(...runs), { reasoning: false, budget: BUDGET, shrinks: runs.map(() => 0) });
  const others = [
    { role: "system", content: "Be brief." },
    { role: "tool", tool_call_id: "s", content: "a.txt" },
  ];

  it("shows what others said to all once, and leaves each all that its policy did", () => {
    const { shared, beginning, texts, shown } = viewOfGroup(
      [...others, ...start, { role: "assistant", content: "Yes." }],
      [...others, ...start, { role: "assistant", content: "No." }],
    );
    expect([shared, beginning]).toEqual([1, "[TURN_1 system]\nBe brief.\n[RESULT_1.x of s]\na.txt"]);
    const began = "[TURN_2 assistant]\nI look.\n[CALL_2.1 bash]\n{}\n[RESULT_2.1]\nx";
    expect(texts).toEqual(["Yes.", "No."].map((words) => `${began}\n[TURN_3 assistant]\n${words}`));
    expect(shown.map((one) => one.shown)).toEqual([1, 1]);
  });

  it("leaves each a turn of its own", () => {
    expect(viewOfGroup(start, start, [{ role: "user", content: "?" }]).shared).toBe(0);
    expect(viewOfGroup([others[0]], [others[0], { role: "user", content: "?" }]).shared).toBe(0);
  });

  it("is shown the same of its beginning however long one of its runs is", () => {
    const long = { role: "tool", content: "y".repeat(60_000) };
    const begun = [{ role: "user", content: "x".repeat(40_000) }];
    const run = [...begun, { role: "assistant", content: "Yes." }];
    const [alone, beside] = [viewOfGroup(run, run), viewOfGroup(run, run, [...run, ...Array(64).fill(long)])];
    expect(beside.beginning).toBe(alone.beginning);
    expect(beside.texts[0]).toBe(alone.texts[0]);
  });
});

describe("thoughts between tags", () => {
  const shown = (content: string) => {
    const [evidence] =
      drained(evidenceOf([{ text: "", messages: [{ role: "assistant", content }] } as unknown as Rollout])) ?? [];
    return evidence?.turns.flatMap(({ parts }) => parts.map(({ kind, text }) => [kind, text]));
  };
  it.each([
    [
      "<think>hm</think>\n\nDone.",
      [
        ["thought", "<think>hm</think>"],
        ["text", "Done."],
      ],
    ],
    [
      "hm</think>Done.",
      [
        ["thought", "hm</think>"],
        ["text", "Done."],
      ],
    ],
    ["<think>hm", [["thought", "<think>hm"]]],
    [
      "<think>a</think>Done.<think>but",
      [
        ["thought", "<think>a</think><think>but"],
        ["text", "Done."],
      ],
    ],
    ["I put <think> around it </think> now.", [["text", "I put <think> around it </think> now."]]],
    ["No thought.", [["text", "No thought."]]],
  ])("%s", (content, parts) => {
    expect(shown(content)).toEqual(parts);
  });
});

describe("files", () => {
  it("are shown whole, or against a base as a diff", () => {
    const base = Array.from({ length: 20 }, (_, i) => `line ${i}`).join("\n");
    const files = [
      { path: "a.py", text: "print(1)" },
      { path: "b c.py", text: base.replace("line 10", "line ten"), base },
    ];
    const [whole, diff] = drained(fileRegions(files, false));
    expect([whole?.head, whole?.text]).toEqual(["[FILE_1 a.py]", "print(1)"]);
    expect(diff?.head).toBe('[FILE_2 "b c.py"]');
    expect(diff?.text).toBe(
      "@@ -8,7 +8,7 @@\n line 7\n line 8\n line 9\n-line 10\n+line ten\n line 11\n line 12\n line 13",
    );
  });

  it("that differ everywhere cost no more than their lines", () => {
    const lines = (word: string) => Array.from({ length: 20_000 }, (_, i) => `${word}${i}`).join("\n");
    const [region] = drained(fileRegions([{ path: "a", text: lines("b"), base: lines("a") }], true));
    expect(region?.text.startsWith("@@ -1,20000 +1,20000 @@\n-a0\n-a1\n")).toBe(true);
  });
});

it("every transcript: nothing closes its block, own words stand whole, the budget holds, `shown` is right", () => {
  holdsOfAny(150);
});
