// Owns the guarantees of the study: its verifier is what its parameters say, a sure verifier's
// order is exact, and the cheapest way and the front are found.
import { describe, expect, it } from "vitest";
import { type Cell, cellsOf } from "../../../scripts/lab/study/cells.ts";
import { readLists } from "../../../scripts/lab/study/lists.ts";
import { play } from "../../../scripts/lab/study/play.ts";
import { charts, cheapestWithin, front, studyPage } from "../../../scripts/lab/study/report.ts";
import { type Noise, verifierOf } from "../../../scripts/lab/study/verifier-model.ts";
import { waysFor } from "../../../scripts/lab/study/ways.ts";

const SURE: Noise = {
  discrimination: 1000,
  candidate_bias: 0,
  pair_bias: 0,
  position_bias: 0,
  position_spread: 0,
  style: "direct",
};

describe("the study", () => {
  it("draws the same lists every time, of candidates that differ", () => {
    const lists = readLists("sets/small", 8, 2);
    expect(lists).toEqual(readLists("sets/small", 8, 2));
    expect(lists.length).toBeGreaterThan(40);
    for (const { qualities } of lists) {
      expect(qualities).toHaveLength(8);
      expect(new Set(qualities).size).toBeGreaterThan(1);
    }
  });

  it("finds the order of all pairs of a verifier that is never wrong, and asks as often as each way says", () => {
    const list = { problem: "p", qualities: [0.1, 0.5, 0.3, 0.9, 1, 0] };
    const verifier = verifierOf(list.qualities, SURE, "s");
    for (const way of waysFor(6)) {
      const { tau, generations, top } = play(list, verifier, way, 1);
      expect(generations).toBeGreaterThanOrEqual(5);
      if (!way.name.startsWith("round robin")) continue;
      expect(tau, way.name).toBe(1);
      expect(top).toBe(1);
      if (way.reference) expect(generations).toBe(120);
    }
  });

  it("has a verifier whose letters are as often right when it thinks, and whose soft verdicts then say little more", () => {
    const noise = { ...SURE, discrimination: 1 };
    const share = (style: Noise["style"], what: "soft" | "hard") => {
      const verifier = verifierOf([1, 0], { ...noise, style }, "t");
      const told = Array.from({ length: 4000 }, (_, sample) => verifier(0, 1, sample)[what]);
      return { mean: told.reduce((a, b) => a + b, 0) / told.length, spread: Math.max(...told) - Math.min(...told) };
    };
    const right = 1 / (1 + Math.exp(-1));
    expect(Math.abs(share("direct", "hard").mean - right)).toBeLessThan(0.03);
    expect(Math.abs(share("thinking", "hard").mean - right)).toBeLessThan(0.03);
    expect(share("direct", "soft")).toEqual({ mean: expect.closeTo(right, 12), spread: 0 });
    expect(share("thinking", "soft").spread).toBeGreaterThan(0.99);
  });

  it("reports every cell, the cheapest way near the reference, and a front that nothing beats", () => {
    const cells: Cell[] = [];
    const plan = { set: "sets/small", sizes: [4], draws: 1, noises: ["usual"], styles: ["direct"] as const };
    for (const cell of cellsOf(plan)) cells.push(cell);
    const strong = cells.filter(({ level }) => level === "strong");
    expect(strong).toHaveLength(waysFor(4).length);
    expect(strong[0]).toMatchObject({ share: 1, tau_gain: { mean: 0 }, top_gain: { mean: 0 } });
    const best = cheapestWithin(strong, "tau", 0.01);
    expect(best?.tau_gain.mean).toBeGreaterThanOrEqual(-0.01);
    for (const cell of front(strong, "tau")) {
      expect(strong.some((other) => other.share < cell.share && (other.tau.mean ?? -1) >= (cell.tau.mean ?? -1))).toBe(
        false,
      );
    }
    const page = studyPage("how", cells, "schedules");
    expect(page).toContain("strong, direct, n = 4");
    expect(page).not.toContain("NaN");
    expect(Object.keys(charts(cells))).toEqual([]);
  });
});
