import { expect, test } from "vitest";
import { PROMPT_HEAD_CHARS, promptBegins } from "../../../src/core/transcript/prompt-begins.ts";

const chat = (...messages: object[]) => promptBegins(JSON.stringify(messages));
const system = { role: "system", content: "You are careful." };

test.each([
  ["a text", promptBegins("  Sort\n\tthe list. "), "Sort the list."],
  ["nothing", promptBegins(""), ""],
  ["a chat", chat(system, { role: "user", content: 'Say "hi"\nnow' }), 'Say "hi" now'],
  ["the content before the role", chat(system, { content: "Add 2.", role: "user" }), "Add 2."],
  ["content in parts", chat(system, { role: "user", content: [{ type: "text", text: "Look." }] }), "Look."],
  ["a chat without a user", chat(system), "You are careful."],
  ["JSON that is not a chat", promptBegins('[{"a": 1}]'), '[{"a": 1}]'],
  ["a text that begins like JSON", promptBegins("[{ broken"), "[{ broken"],
])("%s", (_, words, expected) => {
  expect(words).toBe(expected);
});

test("a long prompt is cut, also within an escape", () => {
  expect(promptBegins("word ".repeat(100))).toHaveLength(120);
  const before = '[{"role":"user","content":"'.length;
  for (let cut = 0; cut < 8; cut++) {
    const content = `${"\n".repeat((PROMPT_HEAD_CHARS - before - 20) / 2)}begins ${"x".repeat(cut)}\u0001\u0001\u0001`;
    expect(chat({ role: "user", content }), `${cut}`).toMatch(/^begins x*/);
  }
});

test("a character of two units at the end is left out, not cut in half", () => {
  const begins = promptBegins(`${"a".repeat(118)}\u{1f600}${"b".repeat(9)}`);
  expect(begins).toBe(`${"a".repeat(118)}\u2026`);
  expect(begins.isWellFormed()).toBe(true);
});
