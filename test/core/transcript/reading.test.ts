// The forms in which tools send an agent's run, read into the one form.
import { describe, expect, it } from "vitest";
import { answerOf, messagesOf, type Turn, turnsOf } from "../../../src/core/transcript/turns.ts";

/** Each part on a line: its turn, whose it is, what it is. */
const told = (turns: readonly Turn[]): string[] =>
  turns.flatMap(({ role, parts }, t) =>
    parts.map(({ kind, name, id, text, own }) =>
      [`${t + 1} ${role}`, own ? "own" : "other's", kind, name, id ?? "", text].filter((one) => one !== "").join(" | "),
    ),
  );

const RUN = [
  "1 assistant | own | thought | hm",
  "1 assistant | own | text | I look first.",
  '1 assistant | own | call | bash | c1 | {"cmd":"ls"}',
  "1 assistant | other's | result | c1 | a.txt",
  "2 assistant | own | text | Done.",
];

describe("one run in every form", () => {
  const args = { cmd: "ls" };
  const forms: Record<string, unknown> = {
    chat: [
      {
        role: "assistant",
        content: "I look first.",
        reasoning_content: "hm",
        tool_calls: [{ id: "c1", type: "function", function: { name: "bash", arguments: JSON.stringify(args) } }],
      },
      { role: "tool", tool_call_id: "c1", content: "a.txt" },
      { role: "assistant", content: "Done." },
    ],
    responses: [
      { type: "reasoning", id: "rs", summary: [{ type: "summary_text", text: "hm" }] },
      {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: "I look first.", annotations: [] }],
      },
      {
        type: "function_call",
        id: "fc",
        call_id: "c1",
        name: "bash",
        arguments: JSON.stringify(args),
        status: "completed",
      },
      { type: "function_call_output", call_id: "c1", output: "a.txt" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] },
    ],
    anthropic: [
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "text", text: "I look first." },
          { type: "tool_use", id: "c1", name: "bash", input: args },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "a.txt" }] }],
      },
      { role: "assistant", content: [{ type: "text", text: "Done." }] },
    ],
    atif: {
      schema_version: "ATIF-v1.7",
      steps: [
        {
          step_id: 1,
          source: "agent",
          message: "I look first.",
          reasoning_content: "hm",
          model_name: "m",
          tool_calls: [{ tool_call_id: "c1", function_name: "bash", arguments: args }],
          observation: { results: [{ source_call_id: "c1", content: "a.txt" }] },
          metrics: { prompt_tokens: 3 },
        },
        { step_id: 2, source: "agent", message: "Done." },
      ],
    },
  };
  forms.verifiers = {
    trajectory: [
      { prompt: [{ role: "user", content: "?" }], completion: (forms.chat as unknown[]).slice(0, 1), reward: 1 },
      {
        prompt: [{ role: "user", content: "?" }, ...(forms.chat as unknown[]).slice(0, 2)],
        completion: (forms.chat as unknown[]).slice(2),
      },
    ],
  };

  it.each(Object.keys(forms))("%s", (form) => {
    expect(told(turnsOf(forms[form]))).toEqual(RUN);
    expect(answerOf(turnsOf(forms[form]))).toBe("Done.");
  });
});

describe("what tools send besides", () => {
  it("is shown under its own name where nobody knows it", () => {
    expect(
      told(
        turnsOf([
          { type: "quantum_leap", to: "1985" },
          { role: "assistant", content: [{ type: "hologram", of: "me" }, "words"], refusal: "I will not", weight: 1 },
        ]),
      ),
    ).toEqual([
      '1 assistant | own | other | quantum_leap | {"type":"quantum_leap","to":"1985"}',
      '2 assistant | own | other | hologram | {"type":"hologram","of":"me"}',
      "2 assistant | own | text | words",
      "2 assistant | own | other | refusal | I will not",
    ]);
  });

  it("is a hosted tool's call with what came of it", () => {
    expect(
      told(
        turnsOf([
          { type: "mcp_call", id: "m1", name: "read", arguments: "{}", output: "text", server_label: "s" },
          { type: "web_search_call", id: "w1", status: "completed", action: { type: "search", query: "q" } },
          { type: "code_interpreter_call", id: "k", code: "1+1", outputs: [{ type: "logs", logs: "2" }] },
          { type: "computer_call_output", call_id: "z", output: { type: "text", text: "done" } },
          { type: "local_shell_call", call_id: "l", action: { type: "exec", command: ["rm", "-rf", "/"] } },
          { type: "custom_tool_call", call_id: "u", name: "sql", input: "DROP" },
        ]),
      ).map((line) => line.replace(/^\d+ \w+ \| /, "")),
    ).toEqual([
      "own | call | read | m1 | {}",
      "own | other | server_label | s",
      "other's | result | m1 | text",
      'own | call | web_search_call | w1 | {"type":"search","query":"q"}',
      "own | call | code_interpreter_call | k | 1+1",
      'other\'s | result | k | {"type":"logs","logs":"2"}',
      "other's | result | z | done",
      'own | call | local_shell_call | l | {"type":"exec","command":["rm","-rf","/"]}',
      "own | call | sql | u | DROP",
    ]);
  });

  it("is arguments that are no JSON, as they were written", () => {
    const [, call] = told(
      turnsOf([{ role: "assistant", content: "x", tool_calls: [{ function: { name: "f", arguments: "{oops" } }] }]),
    );
    expect(call).toBe("1 assistant | own | call | f | {oops");
  });

  it("never throws, whatever comes", () => {
    for (const odd of [
      null,
      1,
      "words",
      [null, 1, [], {}],
      { steps: null },
      { steps: 3 },
      [{ source: "agent", message: null }],
    ])
      expect(Array.isArray(turnsOf(odd))).toBe(true);
  });
});

describe("images that were lifted", () => {
  const digest = "ab".repeat(32);
  const image = { type: "image_url", image_url: { url: `sha256:${digest}` } };
  const text = (words: string) => ({ type: "text", text: words });

  it("stand in their order among words, behind a result, and in a turn of who sent nothing else", () => {
    const turns = turnsOf([
      { role: "assistant", content: [text("a"), image, text("b")] },
      {
        role: "tool",
        tool_call_id: "c",
        content: [text("seen"), { type: "input_image", image_url: `sha256:${digest}` }],
      },
      { role: "user", content: [image] },
      { role: "assistant", content: [image] },
    ]);
    const lines = [
      "1 assistant | own | text | a",
      `1 assistant | own | image | ${digest}`,
      "1 assistant | own | text | b",
      "1 assistant | other's | result | c | seen",
      `1 assistant | other's | image | ${digest}`,
      `2 user | other's | image | ${digest}`,
      `3 assistant | own | image | ${digest}`,
    ];
    expect(told(turns)).toEqual(lines);
    expect(turnsOf(messagesOf(turns.slice(1)))).toEqual(turns.slice(1));
    expect(answerOf(turns)).toBe("a\nb");
  });

  it("by any other address are what no reader knows: JSON, and no image", () => {
    const parts = turnsOf([{ role: "assistant", content: [{ ...image, image_url: { url: "sha256:ab" } }] }]);
    expect(parts[0]?.parts.map(({ kind, name }) => [kind, name])).toEqual([["other", "image_url"]]);
  });
});
