// The committed questions without programs: complete, labelled by points that exist, and apart.
import { expect, test } from "vitest";
import { sharesMet, textProblems } from "../../scripts/stack/examples.ts";

test("each has a complete answer, worse ones, and labels within its points", () => {
  const problems = textProblems();
  expect(new Set(problems.map(({ id }) => id)).size).toBe(problems.length);
  for (const problem of problems) {
    const shares = sharesMet(problem);
    expect(shares.filter((share) => share === 1)).toHaveLength(1);
    expect(Math.min(...shares)).toBeLessThanOrEqual(0.25);
    for (const { met, text, note } of problem.answers) {
      expect(met.every((at) => at >= 0 && at < problem.points.length)).toBe(true);
      expect(new Set(met).size).toBe(met.length);
      expect([text.trim(), note === ""]).toEqual([text, false]);
    }
    expect(new Set(problem.answers.map(({ text }) => text)).size).toBe(problem.answers.length);
  }
});
