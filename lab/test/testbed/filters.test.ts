// The guarantees of the filters: what each leaves out, and that filtering twice is filtering once.

import { describe, expect, it } from "vitest";
import fc from "../../../test/harness/property.ts";
import { candidateFault, DEFAULT_FILTERS, problemFault, usable } from "../../testbed/sets/filters.ts";
import { arbitraryPool, candidate, problem } from "./pools.ts";

const right = candidate("p", 20);
const wrong = candidate("p", 7);

describe("candidates are left out", () => {
  it.each([
    [{ pass_rate: null, unmeasured: "HTTP 500" }, "unmeasured: HTTP 500"],
    [{ pass_rate: null }, "not run yet"],
    [{ failures: { timeout: 2 } }, "time or memory limit exceeded"],
    [{ declared: "right" as const }, "declared right, but fails"],
    [{ pass_rate: 0.6 }, "pass rate outside every bucket"],
    [{ code: "x".repeat(8_193) }, "code over 8192 characters"],
  ])("with %j", (fields, reason) => {
    expect(candidateFault({ ...wrong, ...fields }, DEFAULT_FILTERS)).toBe(reason);
  });

  it("when they are mutants that pass everything, because they may or may not be right", () => {
    const survivor = { ...right, mutation: "boundary (line 3)" };
    expect(candidateFault(survivor, DEFAULT_FILTERS)).toContain("surviving mutant");
    expect(candidateFault(right, DEFAULT_FILTERS)).toBeNull();
  });
});

describe("problems are left out", () => {
  it("without a right program, without a wrong one, and with too few tests", () => {
    expect(problemFault(problem("p"), [wrong], DEFAULT_FILTERS)).toBe("no right program");
    expect(problemFault(problem("p"), [right], DEFAULT_FILTERS)).toBe("no wrong program in a bucket");
    const few = problem("p", { tests: problem("p").tests.slice(0, 4) });
    expect(problemFault(few, [right, wrong], DEFAULT_FILTERS)).toBe("fewer than 5 tests");
    expect(problemFault(problem("p"), [right, wrong], DEFAULT_FILTERS)).toBeNull();
  });

  it("when programs that the source calls right fail the tests, whatever their pass rate", () => {
    const declared = [20, 20, 20, 12].map((passed) => candidate("p", passed, { declared: "right" }));
    expect(problemFault(problem("p"), [...declared, wrong], DEFAULT_FILTERS)).toBe(
      "too many programs declared right fail",
    );
    expect(problemFault(problem("p"), [...declared.slice(0, 3), wrong], DEFAULT_FILTERS)).toBeNull();
  });

  it("when another problem has the same statement, up to case and blanks", () => {
    const problems = [problem("p", { prompt: "Add  two\nnumbers." }), problem("q", { prompt: "add two numbers. " })];
    const candidates = ["p", "q"].flatMap((id) => [candidate(id, 20), candidate(id, 3)]);
    const kept = usable(problems, candidates, DEFAULT_FILTERS);
    expect(kept.problems.map(({ problem_id }) => problem_id)).toEqual(["p"]);
    expect(new Set(kept.candidates.map(({ problem_id }) => problem_id))).toEqual(new Set(["p"]));
    expect(kept.left_out.problems).toEqual({ "duplicate problem statement": 1 });
  });
});

describe("the usable part of a pool", () => {
  it("is its own usable part, whatever order the pool is in", () => {
    fc.assert(
      fc.property(arbitraryPool, ({ problems, candidates }) => {
        const filters = { ...DEFAULT_FILTERS, per_pass_rate_max: { easy: 2, hard: 1 } };
        const { left_out: _, ...kept } = usable(problems, candidates, filters);
        const { left_out: none, ...again } = usable(kept.problems, kept.candidates, filters);
        const { left_out: __, ...reversed } = usable(problems.toReversed(), candidates.toReversed(), filters);
        expect(again).toEqual(kept);
        expect(none).toEqual({ problems: {}, candidates: {} });
        expect(reversed).toEqual(kept);
      }),
    );
  });

  it("contains a program once, whatever its trailing whitespace", () => {
    const twice = ["a", "a  \n"].map((code, i) => candidate("p", 3, { code, candidate_id: `c${i}` }));
    const kept = usable([problem("p")], [right, ...twice], DEFAULT_FILTERS);
    expect(kept.candidates).toHaveLength(2);
    expect(kept.left_out.candidates).toEqual({ "duplicate program": 1 });
  });

  it("contains a limited number of programs per pass rate, by bucket: mutants with mutants first, then those", () => {
    const mutant = (code: string, mutation: string) =>
      candidate("p", 16, { code, candidate_id: code, generator: "mutation", mutation });
    const family = [mutant("parent", "boundary (line 1)"), mutant("child", "boundary (line 1) + constant (line 2)")];
    const single = ["a", "b", "c", "d"].map((name) => mutant(name, `sign (line ${name})`));
    const hard = [candidate("p", 20, { generator: "mutation" }), ...single, ...family];
    const easy = Array.from({ length: 9 }, (_, i) => candidate("p", 3, { code: `print(${i})`, candidate_id: `c${i}` }));
    const filters = { ...DEFAULT_FILTERS, per_pass_rate_max: { easy: 3, hard: 2 } };
    const kept = usable([problem("p")], [right, ...easy, ...hard], filters).candidates;
    expect(kept.filter(({ pass_rate }) => pass_rate === 0.15)).toHaveLength(3);
    const ofHard = kept.filter(({ pass_rate }) => pass_rate === 0.8).map(({ candidate_id }) => candidate_id);
    expect(ofHard).toEqual(["child", "parent"]);
  });
});
