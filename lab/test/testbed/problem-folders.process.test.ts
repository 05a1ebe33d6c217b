// The guarantees of problems/sets: that its tests are what its right programs answer, in both languages, and
// that its wrong ones are wrong.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findSamples } from "../../../gpu-backend/engines/cpu/samples.ts";
import { createSandbox, type Sandbox } from "../../../gpu-backend/engines/cpu/sandbox/sandbox.ts";
import { folderProblems, passRate, runScript } from "./example-programs.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox({ workers: 1 });
});
afterAll(() => sandbox.close());

test("there are at least 30 problems, some of each difficulty", () => {
  const count = (difficulty: string) => folderProblems.filter(({ meta }) => meta.difficulty === difficulty).length;
  expect(folderProblems.length).toBeGreaterThanOrEqual(30);
  expect(Math.min(count("easy"), count("medium"), count("hard"))).toBeGreaterThanOrEqual(5);
  expect(count("easy") + count("medium") + count("hard")).toBe(folderProblems.length);
});

describe.each(folderProblems.map((problem) => ({ id: problem.id, problem })))("$id", ({ problem }) => {
  const { statement, hidden, programs, meta } = problem;
  const samples = findSamples(statement).flatMap((sample) => (sample.kind === "stdio" ? [sample] : []));

  test("lists each of its programs, with a right one in either language", () => {
    expect(meta.programs.map(({ file }) => file).sort()).toEqual(programs.map(({ name }) => name));
    expect(programs.map(({ name }) => name)).toEqual(expect.arrayContaining(["right.js", "right.py"]));
  });

  test("shows 2 or 3 tests and hides 20 others, all different", () => {
    expect(samples.length).toBeGreaterThanOrEqual(2);
    expect(samples.length).toBeLessThanOrEqual(3);
    expect(hidden).toHaveLength(20);
    expect(new Set([...samples, ...hidden].map(({ input }) => input)).size).toBe(samples.length + hidden.length);
  });

  test("its right programs pass every test, and its wrong ones fail some but not all", async () => {
    for (const program of programs) {
      const isRight = program.name.startsWith("right");
      const rate = passRate(await runScript(sandbox, program, isRight ? [...samples, ...hidden] : hidden));
      expect([program.name, rate === 1, rate > 0]).toEqual([program.name, isRight, true]);
    }
  });
});
