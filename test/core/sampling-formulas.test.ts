// Owns the golden cases of misc_formulas.json on repeated samples and rankings: voting, stopping,
// ratings, pairs.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { elo, expectedWinRates } from "../../scripts/lab/research/elo.ts";
import {
  brpo,
  mergeTwoOrders,
  type PairVerdict,
  type ReferenceVerdict,
  roundRobin,
} from "../../scripts/lab/research/pairs.ts";
import {
  bordaVote,
  dirichletConfidence,
  earlyStopConsistency,
  expectedEarlyStopSamples,
  releaseSelfConsistency,
  selfConsistency,
} from "../../scripts/lab/research/voting.ts";
import { bradleyTerry, type Game } from "../../src/core/math/bradley-terry.ts";
import { betaConfidence, kendallTauB } from "../../src/core/math/stats.ts";
import golden from "../vectors/misc_formulas.json" with { type: "json" };
import { expectAllClose, expectClose } from "./closeness.ts";

const toGames = (games: readonly (readonly number[])[]): Game[] =>
  games.map(([i, j, score]) => ({ i: i as number, j: j as number, score: score as number }));

test("every section of the golden file is run here", () => {
  expect(Object.keys(golden).sort()).toEqual(
    [
      "meta adaptive_consistency_beta adaptive_consistency_dirichlet esc esc_expected_samples self_consistency par",
      "noise_correction group_normalisation brpo two_order_merge borda logprob_signals rlpr_reward soft_verdict",
      "bradley_terry_map elo round_robin bias_influence_ratio",
    ]
      .join(" ")
      .split(" ")
      .sort(),
  );
});

describe("voting", () => {
  test.each(golden.adaptive_consistency_beta.cases)("beta criterion at $v1-$v2 is $p", ({ v1, v2, p, stop_095 }) => {
    expectClose(betaConfidence(v1, v2), p);
    expect(betaConfidence(v1, v2) >= 0.95).toBe(stop_095);
  });

  test.each(golden.adaptive_consistency_dirichlet.cases)("dirichlet criterion at $v is $p", ({ v, p }) => {
    expectClose(dirichletConfidence(v), p, 1e-10);
  });

  test("the dirichlet criterion of two options is the beta criterion", () => {
    const count = fc.integer({ min: 0, max: 64 });
    fc.assert(
      fc.property(count, count, (a, b) => expectClose(dirichletConfidence([a, b]), betaConfidence(a, b), 1e-11)),
      { numRuns: 60 },
    );
  });

  test("the dirichlet chances of all options sum to 1", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 5 }), (counts) => {
        const chances = counts.map((leader, i) => dirichletConfidence([leader, ...counts.filter((_, j) => j !== i)]));
        expectClose(
          chances.reduce((a, b) => a + b, 0),
          1,
          1e-10,
        );
      }),
      { numRuns: 40 },
    );
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

  test("vote counts that are no counts are refused", () => {
    for (const bad of [-1, 0.5, Number.NaN, 2000]) {
      expect(() => dirichletConfidence([bad, 0])).toThrow(RangeError);
    }
  });

  test.each(golden.esc.cases)("early stopping over $answers in windows of $window", (c) => {
    expect(earlyStopConsistency([...c.answers], c.window, c.max_samples)).toEqual({
      samplesUsed: c.samples_used,
      stoppedEarly: c.stopped_early,
      verdict: c.verdict,
    });
  });

  test("a window of unparsed samples never stops the sampling", () => {
    expect(earlyStopConsistency([null, null, "A", "A"], 2, 4)).toEqual({
      samplesUsed: 4,
      stoppedEarly: true,
      verdict: "A",
    });
    expect(earlyStopConsistency<string>([null, null], 2, 2).verdict).toBeNull();
  });

  test.each(golden.esc_expected_samples.cases)("expected samples for $p", ({ p, window, max_samples, expected }) => {
    expectClose(expectedEarlyStopSamples(p, window, max_samples), expected, 1e-11);
  });

  test.each(golden.self_consistency.cases)("self-consistency of $samples", (c) => {
    const samples = c.samples as (string | null)[];
    const { votes, winner, tied } = selfConsistency(samples);
    expect(Object.fromEntries(votes)).toEqual(c.votes);
    expect(winner).toBe(c.drop_invalid_first_seen);
    expect(tied).toBe(c.tied);
    expect(releaseSelfConsistency(samples)).toBe(c.release_mode);
  });

  test.each(golden.borda.cases)("borda with power $power over $answers", ({ answers, confidence, power, ...c }) => {
    const { votes, winner } = bordaVote([...answers], confidence, power);
    expect([...votes.keys()].sort()).toEqual(Object.keys(c.votes).sort());
    for (const [answer, vote] of Object.entries(c.votes)) expectClose(votes.get(answer) ?? null, vote);
    expect(winner).toBe(c.winner);
  });

  test("unparsed samples keep their borda rank and cast no vote", () => {
    expect(Object.fromEntries(bordaVote([null, "A", "B"], [3, 2, 1], 1).votes)).toEqual({ A: 2, B: 1 });
    expect(bordaVote([null], [1]).winner).toBeNull();
    expect(bordaVote(["A", "B"], [-Infinity, -Infinity]).winner).toBe("A");
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

  test("expected win rates average one half", () => {
    const rates = expectedWinRates([2, 0, -2]) as number[];
    expectClose(rates.reduce((a, b) => a + b, 0) / 3, 0.5);
    expect(rates[0]).toBeGreaterThan(rates[1] as number);
    expect(expectedWinRates([0])).toBeNull();
  });

  test.each(golden.elo.cases)("Elo of $games", ({ n, games, k, init, ratings }) => {
    expectAllClose(elo(n, toGames(games), k, init), ratings, 1e-10);
  });

  test("games of unknown players, against oneself or without a score are refused", () => {
    for (const game of [
      { i: 0, j: 2, score: 1 },
      { i: 1, j: 1, score: 1 },
      { i: 0, j: 1, score: Number.NaN },
    ]) {
      expect(() => elo(2, [game])).toThrow(RangeError);
    }
  });
});

describe("pairs", () => {
  test.each(golden.round_robin.cases)("round robin of $records", (c) => {
    const records = c.records.map(([i, j, raw]) => ({ i: i as number, j: j as number, raw: raw as string | null }));
    const result = roundRobin(c.pass_rates, records);
    expect(result).toMatchObject({
      win_counts: c.win_counts,
      parsed: c.parsed,
      pairs: c.pairs,
      argmax_first: c.argmax_first,
    });
    expectClose(result.pair_accuracy, c.pair_accuracy);
    const tau = kendallTauB(result.win_counts, c.pass_rates);
    expectClose(tau.tau, c.tau_b);
    expectClose(result.parsed === 0 ? null : (tau.tau ?? -1), c.aletheia_value);
  });

  test.each(golden.two_order_merge.cases)("two orders $order_ij and $order_ji", ({ order_ij, order_ji, ...rules }) => {
    expect(mergeTwoOrders(order_ij as PairVerdict, order_ji as PairVerdict)).toEqual(rules);
  });

  test.each(golden.brpo.cases)("BRPO of a group of $G with $voting_rounds rounds", (c) => {
    const given = c.verdicts as unknown as Record<string, ReferenceVerdict[]>;
    const verdicts = Array.from({ length: c.G }, (_, i) => given[String(i)] ?? null);
    const result = brpo(verdicts, c.reference, c.tau_filter);
    expect(result?.raw).toEqual(c.raw);
    expectClose(result?.skew ?? null, c.skew);
    expect(result?.kept).toBe(c.kept);
    expect(result?.advantages).toEqual(c.advantages);
  });

  test("an outage is not a group of losses", () => {
    const lost: ReferenceVerdict[] = [
      { order: "AB", verdict: null },
      { order: "BA", verdict: null },
    ];
    expect(brpo([lost, null, lost], 1)).toBeNull();
    expect(() => brpo([lost, null, []], 1)).toThrow(RangeError);
    expect(() => brpo([lost], 5)).toThrow(RangeError);
  });
});
