import { describe, expect, it } from "vitest";
import type { AskedQuestion } from "../../src/core/asking/asked-questions.ts";
import { FIRST } from "../../src/core/asking/purpose.ts";
import type { Reading } from "../../src/core/asking/readings.ts";
import { jammers, suspicion } from "../../src/core/tournament/jamming.ts";

const readingWith = (status: Reading["status"], code: Reading["code"] = null): Reading => ({
  ...{ sample: 0, verdict: null, status, code, saved: false, finish_reason: null },
  ...{ prompt_tokens: 0, completion_tokens: 0, latency_ms: 0, model: null, backend: null },
});

const showing = (...shown: number[]) =>
  ({ to: "chat", preset: "code-select", shown, samples: 1, purpose: FIRST }) as const;

/** A round robin of n classes, one verdict a pair. */
function robin(n: number, statusOf: (i: number, j: number) => Reading["status"] | "failed"): AskedQuestion[] {
  return Array.from({ length: n }, (_, i) =>
    Array.from({ length: n - i - 1 }, (_, k): AskedQuestion => {
      const j = i + k + 1;
      const status = statusOf(i, j);
      const readings = [status === "failed" ? readingWith(null, "deadline") : readingWith(status)];
      return { question: showing(i, j), charged: true, readings };
    }),
  ).flat();
}

const jamming =
  (...bad: number[]) =>
  (i: number, j: number) =>
    bad.includes(i) || bad.includes(j) ? ("no_box" as const) : ("ok" as const);

/** Enough classes that not every explanation is looked at. */
const MANY = 16;

describe("suspicion", () => {
  it("has among many classes the odds that looking at every explanation gives", () => {
    for (const n of [4, 6, 9]) {
      for (const bad of [[], [0], [1, n - 1], [0, 2, 3]].filter(({ length }) => length < n - 1)) {
        const asked = robin(n, jamming(...bad));
        const exact = suspicion(n, asked).odds;
        // Classes beyond the n meet no other, and change nothing about the others.
        const grown = suspicion(MANY, asked).odds.slice(0, n);
        for (const [v, odds] of exact.entries()) expect(grown[v], `${v} of ${n}, ${bad} jam`).toBeCloseTo(odds, 9);
      }
    }
  });
});

describe("jammers", () => {
  it("finds the one in whose presence verdicts fail, wherever it stands, also in a large group", () => {
    for (const n of [4, 8, 32]) {
      for (const bad of [0, 1, n - 1]) expect([...jammers(n, robin(n, jamming(bad)))]).toEqual([bad]);
    }
  });

  it("finds several, for beside another each looks innocent", () => {
    expect([...jammers(8, robin(8, jamming(1, 5)))].sort()).toEqual([1, 5]);
    expect([...jammers(8, robin(8, jamming(0, 3, 7)))].sort()).toEqual([0, 3, 7]);
  });

  it("accuses nobody where the verifier answers nobody, or where too little is known", () => {
    expect(
      jammers(
        8,
        robin(8, () => "no_box"),
      ).size,
    ).toBe(0);
    expect(jammers(3, robin(3, jamming(0))).size).toBe(0);
    expect(
      jammers(
        8,
        robin(8, () => "ok"),
      ).size,
    ).toBe(0);
    expect(
      jammers(
        8,
        robin(8, (i, j) => (i === 0 || j === 0 ? "failed" : "ok")),
      ).size,
    ).toBe(0);
  });

  it("accuses nobody of one unreadable answer in seven, nor when others fail without it", () => {
    expect(
      jammers(
        8,
        robin(8, (i, j) => (i === 0 && j === 1 ? "no_box" : "ok")),
      ).size,
    ).toBe(0);
    const noisy = robin(6, (i, j) => (i === 0 || (i + j) % 3 === 0 ? "no_box" : "ok"));
    expect(jammers(6, noisy).size).toBe(0);
  });

  it("knows nobody in a list, which shows all at once", () => {
    const list: AskedQuestion = { question: showing(0, 1, 2), charged: true, readings: [readingWith("no_box")] };
    expect(jammers(3, [list, list, list]).size).toBe(0);
  });
});
