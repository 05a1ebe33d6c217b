// Defines what is held of programs: each is run once, in the language of its tag or its text, and its output
// is compared by value.
import { describe, expect, test } from "vitest";
import { Judge } from "../../../gpu-backend/engines/cpu/judge.ts";
import { languageOf, ResultCache } from "../../../gpu-backend/engines/cpu/programs.ts";
import { QUESTION, RIGHT, sandbox, WRONG, withJudge } from "./judge-setup.ts";

withJudge();

describe("each program is run once", () => {
  test("a round robin at the same time runs every program once", async () => {
    const fresh = new Judge(sandbox);
    const programs = [RIGHT, WRONG, "print(0)", "print(1)"];
    const pairs = programs.flatMap((a, i) => programs.slice(i + 1).map((b) => [a, b] as const));
    await Promise.all(
      pairs.map(([a, b]) =>
        fresh.answer({
          question: QUESTION,
          form: "exact_match",
          candidates: [
            { code: a, language: "python" },
            { code: b, language: "python" },
          ],
        }),
      ),
    );
    expect(fresh.cache.runs).toBe(programs.length);
  });

  test("the cache keeps the most recently used and forgets results without an answer", async () => {
    const cache = new ResultCache(2);
    const result = { passed: true, status: "ok" as const, error: null, wall_ms: 0 };
    const ok = () => cache.get("a", async () => [result]);
    await ok();
    await cache.get("b", async () => [result]);
    await ok();
    await cache.get("c", async () => [result]);
    await ok();
    expect(cache.runs).toBe(3);
    await cache.get("b", async () => [{ ...result, status: "unavailable" }]);
    await cache.get("b", async () => [result]);
    expect(cache.runs).toBe(5);
  });

  test("a shared run is stopped only when nobody waits for it any more", async () => {
    const cache = new ResultCache(2);
    const [first, second] = [new AbortController(), new AbortController()];
    let stopped = false;
    const run = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => {
          stopped = true;
          reject(new Error("stopped"));
        });
      });
    const waits = [cache.get("k", run, first.signal), cache.get("k", run, second.signal)].map((p) =>
      p.catch(() => "gone"),
    );
    first.abort();
    await waits[0];
    expect(stopped).toBe(false);
    second.abort();
    await waits[1];
    expect(stopped).toBe(true);
  });
});

test.each([
  ["python", "", "python"],
  ["JS", "", "javascript"],
  ["rust", "print(1)", null],
  ["c++17", "print(1)", null],
  ["text", "def f(x):\n    return x", "python"],
  ["Python 3.12", "0", "python"],
  ["{.js .run}", "0", "javascript"],
  [null, "def f(x):\n    return x", "python"],
  [null, "const f = (x) => x;", "javascript"],
  [null, "hello", null],
])("the language of tag %s over %j is %s", (tag, source, expected) => {
  expect(languageOf(tag, source)).toBe(expected);
});
