// The golden vectors of the core formulas: every column of verdicts, soft overlong and tau-b.
import { describe, expect, it } from "vitest";
import { releaseBrpoVerdict, releaseEvaluationVerdict, releaseRankWinner } from "../../lab/fuzz/release-parsers.ts";
import { softOverlong } from "../../src/core/candidate/overlong.ts";
import type { VerdictOptions } from "../../src/core/contract/verdicts-request.ts";
import type { VerdictCase } from "../../src/core/formulations/formulations.ts";
import { scoreVerdict } from "../../src/core/formulations/formulations.ts";
import { strictContent, strictScores } from "../../src/core/formulations/strict-verdict.ts";
import { parseLetter } from "../../src/core/judges/verdict.ts";
import { kendallTauB } from "../../src/core/math/tau-b.ts";
import { roundHalfEven } from "../../src/core/text/python-text.ts";
import tauVectors from "../vectors/kendall_tau_b.json" with { type: "json" };
import miscVectors from "../vectors/misc_formulas.json" with { type: "json" };
import overlongVectors from "../vectors/soft_overlong.json" with { type: "json" };
import vectors from "../vectors/verdicts.json" with { type: "json" };

const options: VerdictOptions = { style: "think", prefill: "", list_sc_wrong: -1 };
const item = (text: string, k: number, gold: number | null, pass_rates: number[] | null = null): VerdictCase => ({
  text,
  k,
  gold,
  pass_rates,
});
const titled = <T extends { id: string; name: string }>(cases: T[]) =>
  cases.map((c) => [`${c.id} ${c.name}`, c] as const);

describe("exact-match verdict vectors", () => {
  it.each(titled(vectors.em))("%s", (_, v) => {
    const gold = v.gold.charCodeAt(0) - 65;
    for (const [style, expected] of [
      ["think", v.release_train],
      ["cot", v.release_train_cot],
    ] as const) {
      const scored = scoreVerdict("list_em", item(v.text, v.num_candidates, gold), { ...options, style });
      expect(strictContent(v.text, style)).toBe(expected.extracted);
      expect(scored).toMatchObject({ content: expected.content, format: expected.format });
      expect(scored.content + scored.format).toBe(expected.total);
      expect(scored).toMatchObject({ status: v.robust.status, verdict: v.robust.verdict });
    }
    expect(releaseEvaluationVerdict(v.text)).toBe(v.release_eval_extracted);
    expect(releaseRankWinner(v.text)).toBe(v.release_rank_winner);
    expect(releaseBrpoVerdict(v.text)).toBe(v.release_brpo);
    expect(parseLetter(v.text, v.num_candidates)).toEqual({
      status: v.robust.status,
      letter: v.robust.verdict,
      index: v.robust.verdict === null ? null : v.robust.verdict.charCodeAt(0) - 65,
    });
  });
});

describe("pair score vectors", () => {
  it.each(titled(vectors.pairsc))("%s", (_, v) => {
    expect(v.pass_rates.map((rate) => roundHalfEven(10 * rate))).toEqual(v.release.gt_scores);
    expect((strictScores(v.text, "think") ?? []).map(Number)).toEqual(v.release.scores);
    const { content, format } = scoreVerdict("pair_sc", item(v.text, 2, null, v.pass_rates), options);
    expect(content).toBeCloseTo(v.release.content, 12);
    expect(format).toBe(v.release.format);
    expect(content + format).toBeCloseTo(v.release.total, 12);
  });
});

describe("list score vectors", () => {
  it.each(titled(vectors.listsc))("%s", (_, v) => {
    expect((strictScores(v.text, "think") ?? []).map(Number)).toEqual(v.release.scores);
    const { content, format } = scoreVerdict("list_sc", item(v.text, v.num_candidates, v.gold_index), options);
    expect({ content, format, total: content + format }).toEqual({
      content: v.release.content,
      format: v.release.format,
      total: v.release.total,
    });
  });
});

describe("soft overlong vectors", () => {
  it.each(overlongVectors.cases.map((c) => [c.id, c] as const))("%s", (_, c) => {
    const punishment = (clamp: boolean) =>
      softOverlong(c.length, { max_tokens: c.L_max, cache_tokens: c.L_cache, clamp });
    expect(punishment(true)).toBeCloseTo(c.dapo_eq13, 12);
    expect(Object.is(punishment(true), -0)).toBe(false);
    // the other trainers' columns are Eq. 13 with their factor; their own refusals (null, cache 0)
    // are the schema's here
    if (c.L_cache > 0 && c.openrlhf !== null) expect(punishment(true) * c.factor).toBeCloseTo(c.openrlhf, 12);
    if (c.L_cache > 0 && c.verl_nemo_unclamped !== null) {
      expect(punishment(false) * c.factor).toBeCloseTo(c.verl_nemo_unclamped, 12);
    }
    if (c.ms_swift !== null) expect(punishment(false)).toBeCloseTo(c.ms_swift, 12);
  });
});

describe("tau-b vectors", () => {
  it.each(tauVectors.cases.map((c) => [`${c.id} ${c.kind}`, c] as const))("%s", (_, c) => {
    const { tau, undefined: reason } = kendallTauB(c.x, c.y);
    expect(reason !== null).toBe(c.undefined);
    if (c.tau_b === null) expect(tau).toBeNull();
    else expect(Math.abs((tau as number) - c.tau_b)).toBeLessThanOrEqual(1e-12);
  });

  it.each(miscVectors.round_robin.cases.map((c, i) => [i, c] as const))("round robin %i", (_, c) => {
    expect(kendallTauB(c.win_counts, c.pass_rates).tau).toBeCloseTo(c.tau_b, 12);
  });
});
