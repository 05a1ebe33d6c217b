// A run beside another over HTTP: paired by prompt over the steps that both have, in rewards and in
// tau-b, with what keeps the two runs' owners apart.
import { createHash } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { readEnv } from "../../../src/env.ts";
import type { GroupEntry } from "../../../src/ports/run-log.ts";
import { preferring } from "../../harness/fakes.ts";
import { fenced, longest, problemOf, setUp } from "./harness.ts";

const LABELS = [0, 0.5, 1];
const groupsOf = (prompts: readonly string[], labelled = true) =>
  prompts.map((prompt) => ({
    prompt,
    rollouts: LABELS.map((pass_rate, r) => ({
      text: fenced(`${"x".repeat(r + 1)}`),
      ...(labelled && { pass_rate }),
    })),
  }));

let world: ReturnType<typeof setUp>;
const log = async (
  run_id: string,
  step: number | undefined,
  prompts: readonly string[],
  spec: object = {},
  labelled = true,
) => {
  const response = await world.post("/v1/rewards", { run_id, step, spec, groups: groupsOf(prompts, labelled) });
  expect(response.status).toBe(200);
};
const compare = async (query: string) => (await world.call(`/v1/runs/one/compare?${query}`)).json();

describe("two runs compared", () => {
  beforeEach(async () => {
    const shortest = preferring((candidate) => -candidate.length);
    // The longest is right; the judge of the run `other` prefers the shortest.
    world = setUp({
      script: (shown, about) => (about.job.preset === "code-select-cot" ? shortest : longest)(shown, about),
    });
    for (const step of [1, 2, 3]) await log("one", step, [`a${step}`, `b${step}`]);
    for (const step of [2, 3, 4])
      await log("other", step, [`a${step}`, `c${step}`], { judge: { prompt: "code-select-cot" } });
  });

  test("differ by the prompts that both have at the steps that both have, each with its interval", async () => {
    const told = await compare("with=other");
    expect(told).toMatchObject({ run_id: "one", owner: null, with: { run_id: "other", owner: null }, steps: [2, 3] });
    expect(told.spec_hashes).toHaveLength(2);
    // Mean rewards of a group are the same, whoever wins; the orders are opposite.
    expect(told.rewards).toEqual({ prompts: 2, one: 0.5, other: 0.5, difference: 0, ci95: [0, 0] });
    expect(told.tau_b).toEqual({ prompts: 2, one: 1, other: -1, difference: 2, ci95: [2, 2] });
    expect(await compare("with=other")).toEqual(told);
    expect(await compare("with=other&steps=1")).toMatchObject({ steps: [3], tau_b: { prompts: 1, ci95: null } });
  });

  test("without labels have no tau-b to compare, and without common steps nothing", async () => {
    await log("bare", 3, ["a3"], {}, false);
    expect(await compare("with=bare")).toMatchObject({
      rewards: { prompts: 1, difference: 0 },
      tau_b: { prompts: 0, one: null, other: null, difference: null, ci95: null },
    });
    await log("late", 9, ["a3"]);
    expect(await compare("with=late")).toMatchObject({ steps: [], rewards: { prompts: 0, difference: null } });
  });

  test("of which one tells no step are compared by windows of all groups of each, however long they are", async () => {
    for (const nth of [1, 2]) await log("bare", undefined, [`a${nth}`, `b${nth}`]);
    const told = await compare("with=bare&window_groups=2");
    expect(told).toMatchObject({ by: "window", window_groups: 2, steps: [0, 1], rewards: { prompts: 4 } });
    expect(await compare("with=bare")).toMatchObject({ by: "window", window_groups: 16, steps: [0] });
    expect(await compare("with=bare&by=step")).toMatchObject({ by: "step", window_groups: null, steps: [] });
    expect(await compare("with=other&by=window&window_groups=2")).toMatchObject({ steps: [0, 1, 2] });
    expect(await compare("with=other")).toMatchObject({ by: "step", window_groups: null, steps: [2, 3] });
    const bare = await (await world.call("/v1/runs/bare/compare?with=one&window_groups=2")).json();
    expect(bare.rewards).toMatchObject({ prompts: 4, one: told.rewards.other, other: told.rewards.one });
  });

  test("are compared by complete groups alone: of another the rewards rest on a part of its rollouts", async () => {
    await log("part", 2, ["a2", "b2"]);
    const group = world.runLog.entries.at(-1)?.groups[0] as GroupEntry;
    Object.assign(group, { result: { ...group.result, status: "partial" } });
    const told = await compare("with=part");
    expect(told).toMatchObject({ steps: [2], rewards: { prompts: 1 }, tau_b: { prompts: 1 } });
  });

  test.each([
    ["with", ""],
    ["with", "with=nobody"],
    ["steps", "with=other&steps=0"],
    ["steps", "with=other&steps=51"],
  ])("are refused at %s for ?%s", async (path, query) => {
    const problem = await problemOf(await world.call(`/v1/runs/one/compare?${query}`));
    expect(problem).toMatchObject({ status: 400, errors: [{ path }] });
  });

  test("an unknown run is not found", async () => {
    expect((await problemOf(await world.call("/v1/runs/nobody/compare?with=one"))).code).toBe("not_found");
  });
});

describe("two runs of several keys", () => {
  const digest = (key: string) => createHash("sha256").update(key).digest("hex");
  const { config } = readEnv({ API_KEYS: `a:${digest("a")},b:${digest("b")},all:${digest("all")}:logs:all` });
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

  beforeEach(async () => {
    world = setUp({ keys: config.API_KEYS ?? [] });
    const logged = [
      ["a", "one"],
      ["a", "other"],
      ["b", "one"],
      ["b", "shared"],
      ["a", "shared"],
    ] as const;
    for (const [key, run_id] of logged) {
      const groups = groupsOf(["p", key]);
      expect((await world.post("/v1/rewards", { run_id, step: 1, groups }, bearer(key))).status).toBe(200);
    }
  });
  const as = (key: string, query: string) => world.call(`/v1/runs/one/compare?${query}`, { headers: bearer(key) });

  test("are each its owner's: another key's run is not there, under its name or without", async () => {
    expect(await (await as("a", "with=other")).json()).toMatchObject({ owner: "a", with: { owner: "a" } });
    for (const query of ["with=other", "with=other&with_owner=a"]) {
      expect(await problemOf(await as("b", query))).toMatchObject({ status: 400, errors: [{ path: "with" }] });
    }
    expect((await problemOf(await as("b", "owner=a&with=shared"))).code).toBe("not_found");
    // The same id is each key's own run.
    expect(await (await as("b", "with=shared")).json()).toMatchObject({
      with: { owner: "b" },
      rewards: { prompts: 2 },
    });
  });

  test("are named by their owners where a key reads everybody's", async () => {
    const told = await (await as("all", "owner=b&with=shared&with_owner=a")).json();
    expect(told).toMatchObject({ owner: "b", with: { run_id: "shared", owner: "a" }, rewards: { prompts: 1 } });
    expect(await problemOf(await as("all", "with=other"))).toMatchObject({ errors: [{ path: "owner" }] });
    expect(await problemOf(await as("all", "owner=a&with=shared"))).toMatchObject({ errors: [{ path: "with_owner" }] });
    expect(await (await as("all", "owner=a&with=other")).json()).toMatchObject({ with: { owner: "a" } });
  });
});
