// The golden cases of misc_formulas.json that the product computes apart from expressions: stopping of votes,
// strengths, soft verdicts.

import { describe, expect, test } from "vitest";
import { softVerdict } from "../../src/core/judges/logprobs.ts";
import { bradleyTerry, type Game } from "../../src/core/math/bradley-terry.ts";
import { betaConfidence } from "../../src/core/math/stats.ts";
import fc from "../harness/property.ts";
import golden from "../vectors/misc_formulas.json" with { type: "json" };
import { expectAllClose, expectClose } from "./closeness.ts";

const toGames = (games: readonly (readonly number[])[]): Game[] =>
  games.map(([i, j, score]) => ({ i: i as number, j: j as number, score: score as number }));

describe("voting", () => {
  test.each(golden.adaptive_consistency_beta.cases)("beta criterion at $v1-$v2 is $p", ({ v1, v2, p, stop_095 }) => {
    expectClose(betaConfidence(v1, v2), p);
    expect(betaConfidence(v1, v2) >= 0.95).toBe(stop_095);
  });

  test("the beta criterion grows with the leader's votes and falls with the runner-up's", () => {
    const count = fc.integer({ min: 0, max: 200 });
    fc.assert(
      fc.property(count, count, (v1, v2) => {
        const p = betaConfidence(v1, v2);
        expect(p).toBeGreaterThanOrEqual(0);
        expect(p).toBeLessThanOrEqual(1);
        expect(betaConfidence(v1 + 1, v2)).toBeGreaterThanOrEqual(p);
        expect(betaConfidence(v1, v2 + 1)).toBeLessThanOrEqual(p);
        expectClose(p + betaConfidence(v2, v1), 1);
      }),
    );
  });
});

describe("ratings", () => {
  test.each(golden.bradley_terry_map.cases)("Bradley-Terry of $games", ({ n, games, l2, theta }) => {
    expectAllClose(bradleyTerry(n, toGames(games), l2), theta);
  });

  const tournaments = fc.integer({ min: 1, max: 9 }).chain((n) => {
    const player = fc.integer({ min: 0, max: n - 1 });
    const game = fc.tuple(player, player, fc.constantFrom(0, 0.5, 1)).filter(([i, j]) => i !== j);
    return fc.tuple(fc.constant(n), n < 2 ? fc.constant([]) : fc.array(game, { maxLength: 60 }));
  });

  test("Bradley-Terry strengths sum to 0 and their gradient vanishes", () => {
    fc.assert(
      fc.property(tournaments, fc.constantFrom(0.01, 1, 10), ([n, games], lambda) => {
        const theta = bradleyTerry(n, toGames(games), lambda);
        expectClose(
          theta.reduce((a, b) => a + b, 0),
          0,
          1e-11,
        );
        for (let player = 0; player < n; player++) {
          let gradient = -lambda * (theta[player] as number);
          for (const [i, j, score] of games) {
            const p = 1 / (1 + Math.exp((theta[j] as number) - (theta[i] as number)));
            if (i === player) gradient += score - p;
            if (j === player) gradient -= score - p;
          }
          expectClose(gradient, 0, 1e-9);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("soft verdicts", () => {
  test.each(golden.soft_verdict.cases)("soft verdict of $option_logprobs", (c) => {
    const soft = softVerdict(new Map(Object.entries(c.option_logprobs as Record<string, number>)), c.num_candidates);
    expectAllClose(soft?.distribution ?? null, Object.values(c.dist as Record<string, number>));
    expect(String.fromCharCode(65 + (soft?.argmax ?? -1))).toBe(c.argmax);
    expectClose(soft?.massSeen ?? null, c.mass_seen);
  });

  test("a soft verdict takes the better of both spellings and is null when no letter was seen", () => {
    const spaced = softVerdict(new Map([["A", -3], [" A", -0.1], ["B", -2.4]]), 2); // biome-ignore format: one line
    expectClose(spaced?.distribution[0] ?? null, 0.908877038985144);
    expectClose(spaced?.massSeen ?? null, Math.exp(-3) + Math.exp(-0.1) + Math.exp(-2.4));
    expect(softVerdict(new Map([["the", -0.1], ["C", -1]]), 2)).toBeNull(); // biome-ignore format: one line
    expect(() => softVerdict(new Map([["A", 0.5]]), 2)).toThrow(RangeError);
    expect(() => softVerdict(new Map([["A", -1]]), 1)).toThrow(RangeError);
  });
});
