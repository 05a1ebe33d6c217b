// Length and the first place as terms of strengths: stated, or learnt from a run's earlier steps; the
// same for all of a step, counted once, gone with the run, and never a reward by what was not reached.
import { describe, expect, test } from "vitest";
import type { RewardsReply } from "../../../src/core/contract/replies.ts";
import { createRandom } from "../../../src/core/math/random.ts";
import { createLocalRunObjects, type RunObjects } from "../../../src/objects/run-objects/run-objects.ts";
import { fakeVerifier, type Script } from "../../harness/fakes.ts";
import { setUp } from "./harness.ts";

type Covariates = string[] | { length?: number; position?: number };

const specOf = (covariates?: Covariates, more: object = {}) => ({
  candidate: { extract: "whole" },
  signals: {
    r: {
      kind: "tournament",
      judge: { preset: "letter-select", vote: "soft" },
      score: "strength",
      ...(covariates && { covariates }),
      ...more,
    },
  },
});

/** Its text is as long as its worth says, or not; the judge likes long ones, and the first. */
const text = (worth: number, chars: number) => `${worth.toFixed(3)} ${"x".repeat(Math.round(chars))}`;
const likes: Script = (shown) => {
  const [a = "", b = ""] = shown;
  const odds = 2 * (Number.parseFloat(a) - Number.parseFloat(b)) + Math.log2(a.length / b.length) + 1;
  const share = 1 / (1 + Math.exp(-odds));
  return { answer: share > 0.5 ? "A" : "B", soft: { letters: { A: share, B: 1 - share }, coverage: 1, written: "A" } };
};

/** Groups of four of drawn worth and length. */
function groupsOf(count: number, seed: number) {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, g) => ({
    prompt: `Question ${seed} ${g}?`,
    rollouts: Array.from({ length: 4 }, () => ({ text: text(random(), 100 * 2 ** (3 * random())) })),
  }));
}

function world(runObjects: RunObjects = createLocalRunObjects()) {
  const app = setUp({ verifier: fakeVerifier(likes), runObjects });
  const judge = async (request: object) => {
    const response = await app.post("/v1/rewards", request);
    return {
      status: response.status,
      reply: (await response.json()) as RewardsReply & { code?: string; detail?: string },
    };
  };
  const step = (at: number, count = 80, more: object = {}) =>
    judge({ run_id: "r", step: at, spec: specOf(["length", "position"]), groups: groupsOf(count, at + 1), ...more });
  return { ...app, judge, step };
}

describe("covariates", () => {
  test("stated as numbers are taken out: of two of equal worth the longer is no better", async () => {
    const { judge } = world();
    const groups = [{ prompt: "Which?", rollouts: [{ text: text(1, 100) }, { text: text(1, 800) }] }];
    const rewards = async (covariates?: Covariates) =>
      (await judge({ spec: specOf(covariates), groups })).reply.rewards[0];
    const [short = 0, long = 0] = (await rewards()) as number[];
    const [less = 0, more = 0] = (await rewards({ length: 0.5 })) as number[];
    expect(long - short).toBeGreaterThan(0.1);
    expect(more - less).toBeLessThan(long - short);
    expect(await rewards({ length: 0, position: 0 })).toEqual([short, long]);
    const warned = async (covariates: Covariates) => (await judge({ spec: specOf(covariates), groups })).reply.warnings;
    expect(await warned({ length: 0.5 })).toContainEqual(expect.stringMatching(/^length_taken_out: 0\.500 /));
    expect(await warned({ position: 0.5 })).toEqual([]);
    // What a length earns ends two doublings from the group's mean: nobody wins by being tiny.
    const far = [{ prompt: "Which?", rollouts: [{ text: text(1, 1) }, { text: text(1, 9_000) }] }];
    const near = [{ prompt: "Which?", rollouts: [{ text: text(1, 30) }, { text: text(1, 3_000) }] }];
    const spread = async (of: object[]) => {
      const plain = (await judge({ spec: specOf(), groups: of })).reply.rewards[0] as number[];
      const taken = (await judge({ spec: specOf({ length: 0.5 }), groups: of })).reply.rewards[0] as number[];
      const odds = (p: number) => Math.log(p / (1 - p));
      return odds(plain[1] as number) - odds(taken[1] as number);
    };
    expect(await spread(far)).toBeCloseTo(1, 9);
    expect(await spread(near)).toBeCloseTo(1, 9);
  });

  test("by name are learnt from the steps before, alike for all requests of a step, and told in the spec", async () => {
    const { step, runLog } = world();
    const [first, again] = [await step(0), await step(0)];
    expect(again.reply.rewards).toEqual(first.reply.rewards);
    expect(again.reply.spec_hash).toBe(first.reply.spec_hash);
    const [next, beside] = [await step(1), await step(1, 3)];
    expect(next.reply.spec_hash).not.toBe(first.reply.spec_hash);
    expect(beside.reply.spec_hash).toBe(next.reply.spec_hash);
    const late = await step(0);
    expect(late.reply.rewards).toEqual(first.reply.rewards);
    const specs = (await runLog.run({ run_id: "r", owner: "" }))?.specs.map(({ spec }) => spec) as ReturnType<
      typeof specOf
    >[];
    const told = specs.map(({ signals }) => signals.r.covariates as { length: number; position: number });
    expect(told[0]).toEqual({ length: 0, position: 0 });
    expect(told[1]?.length).toBeGreaterThan(0.5);
    expect(told[1]?.length).toBeLessThan(1.1);
    expect(told[1]?.position).toBeGreaterThan(0.6);
    expect(told[1]?.position).toBeLessThan(1.1);
  });

  test("are begun anew once the run was deleted, and by another judge", async () => {
    const { step, call } = world();
    const first = await step(0);
    await step(1, 3);
    const other = specOf(["length", "position"]);
    other.signals.r.judge = {
      ...other.signals.r.judge,
      preset: "letter-select",
      vote: "soft",
      temperature: 0.1,
    } as never;
    const unknown = await step(2, 3, { spec: other });
    const stated = { ...other, signals: { r: { ...other.signals.r, covariates: { length: 0, position: 0 } } } };
    const zero = await step(2, 3, { spec: stated });
    expect(unknown.reply.spec_hash).toBe(zero.reply.spec_hash);
    expect((await call("/v1/runs/r", { method: "DELETE" })).status).toBe(200);
    expect((await step(3, 3)).reply.spec_hash).toBe(first.reply.spec_hash);
  });

  test.each([
    ["a step", { run_id: "r" }],
    ["a run", { step: 1 }],
  ])("by name without %s are refused by their path", async (_, of) => {
    const { judge } = world();
    const { status, reply } = await judge({ ...of, spec: specOf(["length"]), groups: groupsOf(1, 0) });
    expect([status, reply.code]).toEqual([400, "invalid_request"]);
    expect(JSON.stringify(reply)).toContain("spec.signals.r.covariates");
  });

  test("that cannot be reached fail the request, whose rewards would be others without them", async () => {
    const broken = { ...createLocalRunObjects(), termsAt: () => Promise.reject(new Error("gone")) };
    const { status } = await world(broken).step(0, 1);
    expect(status).toBe(500);
  });

  test.each([
    ["another score", { score: "win_rate" }, "covariates"],
    ["a schedule that asks again", { schedule: { name: "active", again: true } }, "covariates"],
    [
      "a judge asked first",
      { judge: { preset: "letter-select", vote: "soft", first: { close: [0.1, 0.9] } } },
      "covariates",
    ],
    ["a term that there is not", { covariates: ["style"] }, "covariates"],
    ["more than can be", { covariates: { length: 1001 } }, "covariates"],
    ["no number", { covariates: { length: null } }, "covariates"],
  ])("do not go with %s", async (_, more, path) => {
    const { judge } = world();
    const { status, reply } = await judge({
      spec: specOf(["length"], more),
      groups: groupsOf(1, 0),
      run_id: "r",
      step: 0,
    });
    expect(status).toBe(400);
    expect(JSON.stringify(reply)).toContain(path);
  });
});
