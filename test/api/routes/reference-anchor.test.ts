// The schedule `anchored` against the group's own reference, over HTTP: everyone meets it alone, so
// that a group of one has a reward, and the reference has none.
import { describe, expect, test } from "vitest";
import type { GroupResult } from "../../../src/core/contract/group-reply.ts";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import { fenced, problemOf, setUp } from "./harness.ts";

const anchored = { name: "anchored", anchor: "reference" };
/** The verifier of these tests prefers the longer program. */
const REFERENCE = "print(12)";

async function judged(
  codes: readonly string[],
  spec: Record<string, unknown> = {},
  deps: Parameters<typeof setUp>[0] = {},
  reference: unknown = REFERENCE,
): Promise<{ group: GroupResult; app: ReturnType<typeof setUp> }> {
  const app = setUp(deps);
  const { judge, ...rest } = spec as { judge?: object };
  const rollouts = codes.map((code) => ({ text: code === "" ? "no program" : fenced(code) }));
  const asked = {
    spec: { judge: { schedule: anchored, ...judge }, ...rest },
    groups: [{ prompt: "p", reference, rollouts }],
  };
  const response = await app.post("/v1/rewards", asked);
  const reply = (await response.json()) as RewardsReply;
  if (response.status !== 200) throw new Error(JSON.stringify(reply));
  return { group: reply.groups[0] as GroupResult, app };
}
const rewardsOf = ({ rollouts }: GroupResult) => rollouts.map(({ reward }) => reward);

describe("a tournament against the group's reference", () => {
  test.each([
    ["better than it", "print(12345)", 1],
    ["worse", "print(1)", 0],
    ["equal to it", `${REFERENCE}  \n`, 0.5],
  ])("rewards a group of one whose program is %s", async (_, code, reward) => {
    const { group } = await judged([code]);
    expect(rewardsOf(group)).toEqual([reward]);
    expect(group.status).toBe("ok");
    const { wins, losses, ties, undecided, unasked } = group.rollouts[0] as GroupResult["rollouts"][number];
    expect(wins + losses + ties + undecided + (unasked ?? 0)).toBe(1);
  });

  test("holds each of a group against it and nobody else, duplicates and the malformed among them", async () => {
    const codes = ["print(1)", "print(12345)", "print(1)", "", REFERENCE];
    const { group, app } = await judged(codes, { format: { rules: ["has_candidate"], penalty: 1 } });
    expect(rewardsOf(group)).toEqual([0, 1, 0, -1, 0.5]);
    expect(group.win_counts).toEqual([0, 1, 0, 0, 0]);
    expect(group.rollouts.map(({ unasked }) => unasked)).toEqual([4, 4, 4, 4, 4]);
    expect(group.rollouts[3]).toMatchObject({ losses: 1, forfeits: 1, format_ok: false });
    expect(group.selected).toBe(1);
    expect(group.verifier.comparisons).toBe(2);
    const rows = app.runLog.entries[0]?.groups[0]?.verdicts ?? [];
    // The last rollout equals the reference, which is shown in its name.
    expect(rows.map(({ order }) => [...order].sort())).toEqual(
      expect.arrayContaining([
        [0, 4],
        [1, 4],
      ]),
    );
  });

  test("names the reference in the log by the group's size, and shows it to the verifier", async () => {
    const { app } = await judged(["print(1)", "print(12345)"], { judge: { both_orders: true } });
    const rows = app.runLog.entries[0]?.groups[0]?.verdicts ?? [];
    expect(rows.map(({ order }) => order.join()).sort()).toEqual(["0,2", "1,2", "2,0", "2,1"]);
    expect(app.verifier.jobs[0]?.candidates).toContain(REFERENCE);
  });

  test.each([
    ["win_rate", [0, 1]],
    ["net_win_rate", [-1, 1]],
    ["wins", [0, 1]],
    ["soft", [0, 1]],
    ["top1", [0, 1]],
  ])("gives the score %s", async (reward, expected) => {
    const { group } = await judged(["print(1)", "print(12345)"], { reward });
    expect(rewardsOf(group)).toEqual(expected);
  });

  test("takes the first of several references", async () => {
    const { group } = await judged(["print(12345)"], {}, {}, ["print(123456789)", "x"]);
    expect(rewardsOf(group)).toEqual([0]);
  });

  test("gives null with the code where the verifier failed, and no number", async () => {
    const { group } = await judged(["print(1)"], {}, { script: () => ({ error: "verifier_unavailable" }) });
    expect(group.rollouts[0]).toMatchObject({ reward: null, error: "verifier_unavailable" });
  });

  test("gives null where the reference itself is what the verifier cannot take", async () => {
    const long = "x".repeat(4_000);
    const { group } = await judged(
      ["print(1)", "print(12345)"],
      {},
      {
        script: (shown) => (shown.includes(long) ? { error: "context_exceeded" } : "\\boxed{A}"),
      },
      long,
    );
    expect(group.rollouts.map(({ reward, error }) => [reward, error])).toEqual(
      Array(2).fill([null, "context_exceeded"]),
    );
  });

  test("needs a reference of every group, and says so by field", async () => {
    const groups = [{ prompt: "p", rollouts: [{ text: fenced("a") }] }];
    const problem = await problemOf(
      await setUp().post("/v1/rewards", { spec: { judge: { schedule: anchored } }, groups }),
    );
    expect(problem).toMatchObject({ status: 400, code: "facts_required" });
    expect(problem.detail).toMatch(/^The spec has the schedule anchored, so every group needs reference; 1 have none/);
    expect(problem.detail).not.toContain("overlong");
    expect(problem.errors?.map(({ path }) => path)).toEqual(["groups[0].reference"]);
  });

  test("is told by specs/check: one comparison a rollout, the reference needed, nothing relative", async () => {
    const check = async (reward: string) =>
      (await (await setUp().post("/v1/specs/check?n=8", { judge: { schedule: anchored }, reward })).json()) as Record<
        string,
        unknown
      >;
    expect(await check("win_rate")).toMatchObject({
      cost: { generations: 8 },
      facts: ["group.reference"],
      relative: false,
      reward_range: [-1, 1],
    });
    expect(await check("top1")).toMatchObject({ relative: true });
    const plain = (await (
      await setUp().post("/v1/specs/check?n=8", { judge: { schedule: { name: "anchored", anchor: "seeded" } } })
    ).json()) as Record<string, { judge: object }>;
    expect(plain.spec?.judge).toMatchObject({ schedule: "anchored" });
  });
});
