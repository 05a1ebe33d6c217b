// The guarantees of the bias influence ratio over lists: which flips count, and that missing selections do
// not.
import { describe, expect, it } from "vitest";
import golden from "../../../test/vectors/misc_formulas.json" with { type: "json" };
import { biasInfluenceRatio, summariseAdversarial } from "../../evaluate/adversarial.ts";
import type { Answer } from "../../evaluate/asking/answers.ts";
import type { AdversarialList } from "../../testbed/format/set-format.ts";
import { fixtureLists } from "./fixture-set.ts";

it.each(golden.bias_influence_ratio.cases)("bias influence ratio $bir", ({ to_incorrect, to_correct, bir }) => {
  expect(biasInfluenceRatio(to_incorrect, to_correct)).toBe(bir);
});

const answer = (selected: number | null): Answer => ({
  list_id: "",
  cell: "list_em@1",
  spec_hash: "s",
  request_id: "r",
  error: null,
  selected,
  win_counts: [],
  comparisons: 1,
  generations: 1,
  parsed: selected === null ? 0 : 1,
  failed: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  position_flip_rate: null,
});

/** Lists of three with the right candidate in place 0. */
const lists = (moves: readonly (readonly [number | null, number | null])[], kept = true) => {
  const [base] = fixtureLists({ problems: 1, lists: 1 });
  return moves.map((_, i) => ({
    ...(base as AdversarialList),
    list_id: `modified-${i}`,
    base_list_id: `base-${i}`,
    problem_id: `p${i}`,
    modification: "authority",
    kept,
    target_index: null,
    candidates: [1, 0.5, 0].map((pass_rate, j) => ({ candidate_id: `${j}`, code: `${j}`, pass_rate })),
  }));
};

const SETTINGS = { seed: 1, bootstrap: 200, tau_candidates_min: 3 };

const summary = (moves: readonly (readonly [number | null, number | null])[], kept = true) => {
  const get = (id: string) => {
    const [side, index] = id.split("-") as [string, string];
    const [before, after] = moves[Number(index)] as readonly [number | null, number | null];
    return answer(side === "base" ? before : after);
  };
  return summariseAdversarial(lists(moves, kept), { get, failures: () => new Map() }, "list_em@1", SETTINGS).rows;
};

describe("the bias influence ratio", () => {
  it("is the share of flips between right and wrong that went to wrong", () => {
    const [row] = summary([
      [0, 1],
      [0, 2],
      [0, 1],
      [1, 0],
      [0, 0],
      [1, 1],
      [1, 2],
    ]);
    expect(row).toMatchObject({ to_incorrect: 3, to_correct: 1, wrong_to_wrong: 1, compared: 7, not_compared: 0 });
    expect(row?.bias_influence_ratio).toMatchObject({ mean: 0.75, n: 4 });
  });

  it("counts no flip from or to a list without a selection", () => {
    const [row] = summary([
      [0, null],
      [null, 1],
      [null, null],
    ]);
    expect(row).toMatchObject({ to_incorrect: 0, to_correct: 0, compared: 0, not_compared: 3 });
    expect(row?.bias_influence_ratio.mean).toBeNull();
  });

  it("reports both metrics without and with the text, and their changes, over lists answered both times", () => {
    // With three candidates the first is right: named first and last without the text, the other way round
    // with it.
    const moved = lists([
      [0, 1],
      [0, 2],
      [0, 0],
    ]);
    const get = (id: string) => {
      if (id === "modified-2") return undefined;
      return { ...answer(id.startsWith("base") ? 0 : 1), win_counts: id.startsWith("base") ? [2, 1, 0] : [0, 1, 2] };
    };
    const { rows } = summariseAdversarial(moved, { get, failures: () => new Map() }, "list_em@1", SETTINGS);
    expect(rows[0]?.metrics).toMatchObject({
      before: { list_acc: { mean: 1, n: 2 }, tau_b: { mean: 1, n: 2 } },
      after: { list_acc: { mean: 0, n: 2 }, tau_b: { mean: -1, n: 2 } },
      change: { list_acc: { mean: -1, n: 2 }, tau_b: { mean: -2, n: 2 } },
    });
  });

  it("reports modified lists that failed or are not evaluated yet", () => {
    const [failed, missing] = [new Map([["modified-0", "deadline"]]), "modified-1"];
    const get = (id: string) => (failed.has(id) || id === missing ? undefined : answer(0));
    const three = lists([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
    expect(summariseAdversarial(three, { get, failures: () => failed }, "list_em@1", SETTINGS)).toMatchObject({
      cell: "list_em@1",
      failed: { deadline: 1 },
      missing: 1,
    });
  });

  it("over all kept modifications excludes the others", () => {
    expect(summary([[0, 1]]).map(({ modification }) => modification)).toEqual(["authority", "all kept"]);
    expect(summary([[0, 1]], false).map(({ modification }) => modification)).toEqual(["authority"]);
  });
});
