// The guarantee of docs/systems.jsonl: each spec of its table is taken as it stands and gives the better
// rollout the greater reward, each reward for training a verifier is what the row says, and each command is
// one that there is.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import * as formulas from "../../clients/typescript/src/formulas.ts";
import { promptOf, TEMPLATES } from "../../lab/templates/index.ts";
import { type System, systems } from "../../scripts/build/systems/rows.ts";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { ITEM_ERRORS } from "../../src/core/faults/errors.ts";
import { compileSpec } from "../../src/core/reward/compiled-spec.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import { setUp } from "../api/routes/harness.ts";
import { EVERY_BACKEND, fakeVerifier, type Script } from "../harness/fakes.ts";
import { type Carried, groupFor, knowing, type Signals } from "./knowing-verifier.ts";

/** The needs of a row's test that the page does not show. */
interface Check extends Carried {
  /** The four rollouts' rewards, where they can be computed by hand. */
  rewards?: (number | null)[];
  /** Where no direction is meant: a penalty that all of them escape, an arm of chance. */
  order?: "none";
}

const checkOf = ({ check }: System): Check => (check ?? {}) as Check;
const STEP = 10;

let script: Script;
const verifier = {
  ...fakeVerifier((...asked) => script(...asked)),
  takes: EVERY_BACKEND,
};
const { post } = setUp({ verifier });

/** The spec with each template of lab/templates in place of its name. */
const resolved = (spec: object): unknown =>
  JSON.parse(JSON.stringify(spec), (key, value) => {
    if (key !== "judge" || TEMPLATES[value.preset] === undefined) return value;
    const { preset, ...judge } = value;
    return { ...judge, prompt: promptOf(preset) };
  });

const rounded = (rewards: readonly (number | null)[]) => rewards.map((reward) => reward && Number(reward.toFixed(6)));

async function rewarded(system: System): Promise<RewardsReply> {
  const { spec } = system as { spec: { signals?: Signals } };
  const carried = checkOf(system);
  script = knowing(spec.signals ?? {}, carried);
  // The facts that `POST /v1/specs/check` names.
  const { facts } = compileSpec(SpecSchema.parse(resolved(spec)));
  const group = groupFor(spec.signals ?? {}, facts, carried);
  const groups = facts.includes("group.twin") ? [group, { ...group, twin: 0, prompt: "Seven times six is?" }] : [group];
  const response = await post("/v1/rewards", { spec, step: STEP, groups });
  if (response.status !== 200) throw new Error(await response.text());
  return (await response.json()) as RewardsReply;
}

type Formula = (...args: unknown[]) => formulas.FormulaReward;
const FORMULAS: Readonly<Record<string, Formula>> = {
  judgelrm: formulas.judgelrm as Formula,
  patch_multiselect: formulas.patchMultiselect as Formula,
  pair_labels: formulas.pairLabels as Formula,
};

const rows = systems();
const having = (field: "spec" | "verdicts" | "formula" | "command") =>
  rows.filter((system) => system[field] !== undefined).map((system) => [system.name, system] as const);

describe("a spec of the table gives rewards:", () => {
  test.each(having("spec"))("%s", async (_, system) => {
    const { rewards, groups, reward_range } = await rewarded(system);
    const [low, high] = reward_range as [number, number];
    const { rewards: expected, order } = checkOf(system);
    const [found = []] = rewards;
    for (const [i, reward] of found.entries()) {
      if (reward === null) expect(ITEM_ERRORS).toHaveProperty(groups[0]?.rollouts[i]?.error as string);
      else expect(reward >= low && reward <= high).toBe(true);
    }
    expect(found.filter((reward) => reward !== null)).not.toEqual([]);
    const [bad, , ...good] = found.map((reward) => reward ?? Number.NEGATIVE_INFINITY);
    if (order === undefined) expect(Math.max(...good)).toBeGreaterThan(bad as number);
    if (expected === undefined) return;
    expect(rounded(found)).toEqual(expected);
  });
});

describe("a reward for training a verifier is as its row says:", () => {
  test.each(having("verdicts"))("%s", async (_, { verdicts, check }) => {
    const response = await post("/v1/verdicts", verdicts);
    const reply = (await response.json()) as { rewards: number[] };
    if (response.status !== 200) throw new Error(JSON.stringify(reply));
    expect(rounded(reply.rewards)).toEqual((check as Check | undefined)?.rewards);
  });
});

describe("a formula of the clients gives what its row says:", () => {
  test.each(having("formula"))("%s", (_, { formula, check }) => {
    const { name, calls } = formula as NonNullable<System["formula"]>;
    const found = calls.map((args) => (FORMULAS[name] as Formula)(...args));
    expect(rounded(found.map(({ content, format }) => content + format))).toEqual((check as Check).rewards);
  });
});

test("every command of the table is on the page of commands", () => {
  const page = readFileSync(new URL("../../docs/commands.md", import.meta.url), "utf8");
  const words = having("command").map(
    ([, { command = "" }]) => /^npm (?:run|test)[^A-Z/{]*\b[a-z-]+/.exec(command)?.[0] ?? command,
  );
  expect(words.filter((command) => !page.includes(command))).toEqual([]);
});

test("the table has 126 rows or more, none twice, and at most ten that do a part", () => {
  expect(rows.length).toBeGreaterThanOrEqual(126);
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  expect(new Set(rows.map(({ source, name }) => `${source} ${name}`)).size).toBe(rows.length);
  expect(rows.filter(({ state }) => state === "partly").length).toBeLessThanOrEqual(10);
  for (const { name, state, spec, verdicts, formula, command, why } of rows) {
    const done = [spec, verdicts, formula, command].some((way) => way !== undefined);
    expect([name, done]).toEqual([name, state !== "out of scope"]);
    if (state !== "the same") expect([name, why]).toEqual([name, expect.stringMatching(/\w{3}/)]);
  }
});
