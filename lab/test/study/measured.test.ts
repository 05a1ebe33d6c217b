// The guarantees of a study of a real verifier: through the product's own scoring, no sample asked twice, the
// same figures as the product reports.
import { expect, it } from "vitest";
import { fakeVerifier, fixedClock, preferring } from "../../../test/harness/fakes.ts";
import { measuredCells } from "../../study/measured.ts";
import { studyPage } from "../../study/report.ts";
import { waysFor } from "../../study/ways.ts";

const lists = ["p", "q"].map((problem) => ({
  problem,
  qualities: [0.1, 0.4, 0.7, 1],
  programs: [0.1, 0.4, 0.7, 1].map((rate) => `# ${problem}\nprint(${rate})`),
}));
const byRate = preferring((candidate) => Number(/print\((.+)\)/.exec(candidate)?.[1]));

it("sends each sample to the verifier once, however many schedules and scores share it, and finds its order", async () => {
  const asked = new Map<string, number>();
  const verifier = fakeVerifier((shown, about) => {
    const name = JSON.stringify([about.job.question, shown, about.sample]);
    asked.set(name, (asked.get(name) ?? 0) + 1);
    return byRate(shown, about);
  });
  const prompts = new Map(lists.map(({ problem }) => [problem, `Solve ${problem}.`]));
  const cells = await measuredCells({
    verifier,
    clock: fixedClock(),
    lists,
    prompts,
    n: 4,
    model: "m",
    max_tokens: 64,
    votes: ["hard"],
  });
  expect([...asked.values()].every((times) => times === 1)).toBe(true);
  // Both orders x 4 of six pairs of two lists; 480 paid and lists ask beyond it.
  expect(asked.size).toBeGreaterThanOrEqual(2 * 6 * 2 * 4);
  expect(verifier.calls.every(({ model, max_tokens }) => model === "m" && max_tokens === 64)).toBe(true);
  const [reference, ...others] = cells;
  expect(reference).toMatchObject({ level: "measured", style: "direct", share: 1, generations: 48, tau: { mean: 1 } });
  expect(others.map(({ way }) => way.name)).toEqual(
    expect.arrayContaining(
      waysFor(4, ["hard"])
        .slice(1)
        .map(({ name }) => name),
    ),
  );
  const robin = cells.find(({ way }) => way.name === "round robin, hard");
  expect(robin).toMatchObject({ generations: 6, share: 1 / 8, tau: { mean: 1 }, top: { mean: 1 } });
  expect(robin?.scores?.strength?.tau.mean).toBe(1);
  expect(studyPage("how", cells, "f", "m")).toContain("**The verifier is real**: m");
});

it("requests no soft votes if the verifier reports no probabilities", async () => {
  const about = {
    clock: fixedClock(),
    lists: lists.slice(0, 1),
    prompts: new Map(),
    n: 4,
    model: null,
    max_tokens: 64,
  };
  const cells = await measuredCells({ ...about, verifier: fakeVerifier(byRate) });
  expect(cells.length).toBeGreaterThan(20);
  expect(cells.filter(({ way }) => way.name.endsWith("soft"))).toEqual([]);
});
