// The guarantees of the study: its verifier is what its parameters say, a sure verifier's order is exact, and
// the cheapest way and the front are found.
import { describe, expect, it } from "vitest";
import { type Cell, casesOf, cellsOf } from "../../study/cells.ts";
import { csvTables } from "../../study/csv-tables.ts";
import { readLists } from "../../study/lists.ts";
import { play } from "../../study/play.ts";
import { charts, cheapestWithin, front, studyHeadline, studyPage } from "../../study/report.ts";
import { type Noise, verifierOf } from "../../study/verifier-model.ts";
import { waysFor } from "../../study/ways.ts";

const SURE: Noise = {
  discrimination: 1000,
  candidate_bias: 0,
  pair_bias: 0,
  position_bias: 0,
  position_spread: 0,
  style: "direct",
};

const tokensOf = (shown: number) => shown;

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

  it("finds the exact order with a verifier that is never wrong, and each schedule sends its number of comparisons", () => {
    const list = { problem: "p", qualities: [0.1, 0.5, 0.3, 0.9, 1, 0], programs: [] };
    const verifier = verifierOf(list.qualities, SURE, "s");
    for (const way of waysFor(6)) {
      const { tau, generations, top } = play(list, verifier, way, 1, tokensOf);
      expect(generations).toBeGreaterThanOrEqual(way.judge.mode === "listwise" ? 3 : 5);
      if (!way.name.startsWith("round robin") || way.judge.budget !== undefined) continue;
      expect(tau, way.name).toBe(1);
      expect(top).toBe(1);
      if (way.reference) expect(generations).toBe(120);
    }
  });

  it("has a thinking verifier whose letters are equally often right, and whose soft verdicts add little", () => {
    const noise = { ...SURE, discrimination: 1 };
    const share = (style: Noise["style"], what: "soft" | "hard") => {
      const verifier = verifierOf([1, 0], { ...noise, style }, "t");
      const told = Array.from({ length: 4000 }, (_, sample) => verifier.pair(0, 1, sample)[what]);
      return { mean: told.reduce((a, b) => a + b, 0) / told.length, spread: Math.max(...told) - Math.min(...told) };
    };
    const right = 1 / (1 + Math.exp(-1));
    expect(Math.abs(share("direct", "hard").mean - right)).toBeLessThan(0.03);
    expect(Math.abs(share("thinking", "hard").mean - right)).toBeLessThan(0.03);
    expect(share("direct", "soft")).toEqual({ mean: expect.closeTo(right, 12), spread: 0 });
    expect(share("thinking", "soft").spread).toBeGreaterThan(0.99);
  });

  it("reports every cell, the cheapest schedule near the reference, and the Pareto front", () => {
    const plan = { set: "sets/small", sizes: [4], draws: 1, noises: ["usual"], styles: ["direct"] as const };
    const cells: Cell[] = casesOf(plan).flatMap((one) => cellsOf(plan, one));
    const strong = cells.filter(({ level }) => level === "strong");
    expect(strong).toHaveLength(waysFor(4).length + 1);
    // The arm of chance knows nothing, whatever the verifier, and never comes near the reference.
    const random = cells.filter(({ way }) => way.random === true);
    expect(random.map(({ generations, share, tau }) => [generations, share, tau])).toEqual(
      random.map(() => [0, 0, random[0]?.tau]),
    );
    expect(random[0]?.tau.ci95?.[0]).toBeLessThan(0);
    expect(random[0]?.tau.ci95?.[1]).toBeGreaterThan(0);
    expect(cheapestWithin(random, "tau", 2)).toBeNull();
    expect(strong[0]).toMatchObject({ share: 1, tau_gain: { mean: 0 }, top_gain: { mean: 0 } });
    const best = cheapestWithin(strong, "tau", 0.01);
    expect(best?.tau_gain.mean).toBeGreaterThanOrEqual(-0.01);
    for (const cell of front(strong, "tau")) {
      expect(strong.some((other) => other.share < cell.share && (other.tau.mean ?? -1) >= (cell.tau.mean ?? -1))).toBe(
        false,
      );
    }
    const page = studyPage("how", cells, "schedules");
    expect(page).toContain("Random regular graph with `strength` against `anchored` at the same tokens");
    expect(page).toContain("strong, direct, n = 4");
    expect(page).toContain("Random order (`random`, without a verifier), n = 4: tau-b ");
    expect(page).not.toContain("NaN");
    expect(studyHeadline(cells)).toMatch(/^For [123] of 3 pairs .* at a median of \d+\.\d % of its tokens\.$/);
    const guessing = cells.map((cell) => ({ ...cell, tau: { mean: 0.2, ci95: [-0.3, 0.9] as [number, number] } }));
    expect(studyHeadline(guessing)).toMatch(/^For 3 pairs .* not distinguishable from chance \(tau-b 0\.200 \(-0\.300/);
    expect(Object.keys(charts(cells)).sort()).toEqual(
      ["middle", "strong", "weak"].flatMap((level) => [`tau-${level}-direct.svg`, `top-${level}-direct.svg`]).sort(),
    );
    const { "cells.csv": all = "", "rivalries.csv": held = "", "scores.csv": scored = "" } = csvTables(cells);
    expect(all.split("\n")).toHaveLength(cells.length + 2);
    expect(all).toContain('"anchored, soft"');
    expect(all).toContain('"blocks of 4, hard"');
    const scores = cells.flatMap((cell) => Object.keys(cell.scores ?? {}));
    expect(scores).toContain("win_rate");
    expect(scored.split("\n")).toHaveLength(scores.length + 2);
    const [, first = ""] = csvTables(cells)["cheapest.csv"]?.split("\n") ?? [];
    expect(first).toBe(
      `strong,direct,4,usual,tau_b,"${best?.way.name}",${((best?.share ?? 0) * 100).toFixed(1)},${[best?.tau_gain.mean, ...(best?.tau_gain.ci95 ?? [])].map((value) => value?.toFixed(3)).join()}`,
    );
    expect(held.split("\n")).toHaveLength(2 + cells.reduce((sum, { rivalries }) => sum + rivalries.length, 0));
  });

  it("chooses the best of a list as often as Luce's rule says, and always if it is never wrong", () => {
    expect(verifierOf([0.2, 0.9, 0.5], SURE, "s").best([0, 2, 1], 0)).toBe(1);
    const unsure = verifierOf([1, 0, 0], { ...SURE, discrimination: 1 }, "s");
    const named = Array.from({ length: 4000 }, (_, sample) => unsure.best([2, 0, 1], sample));
    const share = named.filter((i) => i === 0).length / named.length;
    expect(Math.abs(share - Math.E / (Math.E + 2))).toBeLessThan(0.03);
  });
});
