// An answer that is none, told apart from a wrong one, and never worth more.
import { describe, expect, test } from "vitest";
import { PRESETS } from "../../../lab/templates/index.ts";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import type { Script } from "../../harness/fakes.ts";
import { problemOf, setUp } from "./harness.ts";

const JUDGEMENTS: Record<string, string> = { right: "A", wrong: "B", none: "C" };
/** Says of each answer what it says of itself. */
const script: Script = ([text = ""]) => `\\boxed{${JUDGEMENTS[/right|wrong|none/.exec(text)?.[0] ?? "none"]}}`;

const ANSWERS = ["right apples", "wrong apples", "none apples"];

async function judged(signal: object, answers = ANSWERS, judge = script) {
  const rollouts = answers.map((answer) => ({ text: answer === "" ? "I cannot say." : `So \\boxed{${answer}}` }));
  const groups = [{ prompt: "How many?", reference: "three apples and a half", rollouts }];
  const spec = { candidate: { extract: "whole" }, signals: { right: signal } };
  const reply = await setUp({ script: judge }).post("/v1/rewards", { groups, spec });
  const { groups: told, reward_range } = (await reply.json()) as RewardsReply;
  const rows = told[0]?.rollouts ?? [];
  return { reward_range, rows: rows.map(({ reward, details }) => [reward, details?.right?.label ?? null]) };
}

const REFERENCE = { kind: "reference", tiers: ["judge"] };
const GRADE = { kind: "grade", judge: { preset: "compassverifier" } };

describe.each([REFERENCE, GRADE])("of $kind", (signal) => {
  test("an invalid answer is worth what a wrong one is, and is told apart", async () => {
    const { rows, reward_range } = await judged(signal);
    expect(rows).toEqual([
      [1, null],
      [0, null],
      [0, "invalid"],
    ]);
    expect(reward_range).toEqual([0, 1]);
  });

  test("a spec may punish it more, and the range says so", async () => {
    const { rows, reward_range } = await judged({ ...signal, invalid: -0.5 });
    expect(rows).toEqual([
      [1, null],
      [0, null],
      [-0.5, "invalid"],
    ]);
    expect(reward_range).toEqual([-0.5, 1]);
  });

  test("no spec can pay for it: a policy would rather be invalid than wrong", async () => {
    const groups = [{ prompt: "How many?", reference: "3", rollouts: [{ text: "3" }] }];
    const spec = { signals: { right: { ...signal, invalid: 0.1 } } };
    const problem = await problemOf(await setUp().post("/v1/rewards", { groups, spec }));
    expect(problem.errors).toEqual([expect.objectContaining({ path: "spec.signals.right.invalid" })]);
  });

  test("of several samples most must say so", async () => {
    const split = { ...signal, judge: { preset: "compassverifier", samples: 3 }, invalid: -1 };
    const most: Script = (_, { sample }) => ["\\boxed{C}", "\\boxed{B}", "\\boxed{C}"][sample % 3] as string;
    const few: Script = (_, { sample }) => ["\\boxed{C}", "\\boxed{B}", "\\boxed{B}"][sample % 3] as string;
    expect((await judged(split, ["x apples"], most)).rows[0]?.[1]).toBe("invalid");
    expect((await judged(split, ["x apples"], few)).rows[0]?.[1]).toBeNull();
  });
});

test("no final answer at all is an invalid one, which the rules can tell", async () => {
  const { rows } = await judged({ kind: "reference", invalid: -0.5 }, ["1", ""]);
  expect(rows[1]).toEqual([-0.5, "invalid"]);
});

test("no preset's invalid label passes, and each is one that its parser reads", () => {
  const saying = Object.values(PRESETS).filter(({ invalid }) => invalid !== undefined);
  expect(saying.length).toBeGreaterThan(0);
  for (const { invalid = [], passing = [], parser } of saying) {
    expect(invalid.filter((label) => passing.includes(label))).toEqual([]);
    expect("labels" in parser && invalid.every((label) => parser.labels?.includes(label))).toBe(true);
  }
});
