// Judge terms from a run's export: the biases of a simulated judge are found, an unbiased judge has none,
// and an incomplete export is refused.
import { expect, test } from "vitest";
import { createRandom, hashText } from "../../../src/core/math/random.ts";
import { setUp } from "../../../test/api/routes/harness.ts";
import type { Script } from "../../../test/harness/fakes.ts";
import { fitExport } from "../../judge-terms/exported.ts";

interface Taste {
  /** Log-odds of a candidate twice as long, and of the candidate that is shown first. */
  length: number;
  position: number;
  vote: "soft" | "majority";
}

/** A text that begins with its worth. */
const text = (worth: number, chars: number) => `${worth.toFixed(3)} ${"x".repeat(Math.round(chars))}`;

const judgeOf =
  ({ length, position, vote }: Taste): Script =>
  ([a = "", b = ""]) => {
    const worth = 2 * (Number.parseFloat(a) - Number.parseFloat(b));
    const share = 1 / (1 + Math.exp(-worth - length * Math.log2(a.length / b.length) - position));
    const soft = { letters: { A: share, B: 1 - share }, coverage: 1, written: "A" };
    const first = createRandom(hashText("vote", a, b))() < share;
    return { answer: first ? "A" : "B", ...(vote === "soft" && { soft }) };
  };

/** The export of a run of 120 groups of four whose lengths say nothing of their worth. */
async function exported(taste: Taste) {
  const { post, app } = setUp({ script: judgeOf(taste) });
  const random = createRandom(1);
  const groups = Array.from({ length: 120 }, (_, g) => ({
    prompt: `Question ${g}?`,
    rollouts: Array.from({ length: 4 }, () => ({ text: text(random(), 100 * 2 ** (3 * random())) })),
  }));
  const judge = { preset: "letter-select", vote: taste.vote };
  const spec = { candidate: { extract: "whole" }, log_texts: true, judge };
  const reply = await post("/v1/rewards", { run_id: "r", step: 0, spec, groups });
  expect(reply.status).toBe(200);
  const linesOf = async (table: string) => {
    const response = await app.request(`/v1/runs/r/export?table=${table}`);
    return (await response.text()).trimEnd().split("\n");
  };
  return { verdicts: await linesOf("verdicts"), texts: await linesOf("texts") };
}

const lines = async function* (of: readonly string[]) {
  yield* of;
};

test.each<[Taste, { length: [number, number]; position: [number, number] }]>([
  // The prior on strengths takes a part of each term away.
  [
    { length: 1, position: 1, vote: "soft" },
    { length: [0.5, 1.1], position: [0.6, 1.1] },
  ],
  [
    { length: 2, position: 0, vote: "soft" },
    { length: [1.2, 2.2], position: [-0.1, 0.1] },
  ],
  [
    { length: 1.5, position: 1.5, vote: "majority" },
    { length: [0.3, 1.6], position: [0.6, 1.6] },
  ],
])("the terms of %j", async (taste, expected) => {
  const { verdicts, texts } = await exported(taste);
  const found = await fitExport(lines(verdicts), lines(texts), "base");
  expect(found.groups).toBe(120);
  for (const term of ["length", "position"] as const) {
    const [low, high] = expected[term];
    expect(found[term]?.log_odds, term).toBeGreaterThan(low);
    expect(found[term]?.log_odds, term).toBeLessThan(high);
    expect(found[term]?.clear, term).toBe(taste[term] !== 0);
  }
});

test("an unbiased judge has no significant term; another signal's verdicts and few groups give none", async () => {
  const { verdicts, texts } = await exported({ length: 0, position: 0, vote: "majority" });
  const found = await fitExport(lines(verdicts), lines(texts), "base");
  expect([found.length?.clear, found.position?.clear]).toEqual([false, false]);
  expect(await fitExport(lines(verdicts), lines(texts), "other")).toEqual({ groups: 0, length: null, position: null });
});

test("an incomplete export and another table are refused", async () => {
  const { verdicts, texts } = await exported({ length: 0, position: 0, vote: "soft" });
  const refused = (of: readonly string[], message: string) =>
    expect(fitExport(lines(of), lines(texts), "base")).rejects.toThrow(message);
  await refused(verdicts.slice(0, -1), "the export is incomplete");
  await refused(verdicts.slice(1), "rows");
  await refused(texts, "not a line of export?table=verdicts");
});
