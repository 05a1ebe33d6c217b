// Verdicts that a run's later requests know: asked once, worth the same, counted, bounded, deleted.
import { describe, expect, test } from "vitest";
import type { RewardsReply } from "../../../src/core/contract/replies.ts";
import { createLocalRunObjects } from "../../../src/objects/run-objects/run-objects.ts";
import { fakeVerifier, type Script } from "../../harness/fakes.ts";
import { fenced, longest, setUp } from "./harness.ts";

const TEXTS = ["short", "somewhat longer", "the very longest"].map(fenced);
const SPEC = { judge: { cache: "verdicts" } };
const RUN = { run_id: "r", spec: SPEC };

function world(script: Script = longest, runObjects = createLocalRunObjects()) {
  const verifier = fakeVerifier(script);
  const app = setUp({ verifier, runObjects, log_requests: true });
  const asked = () => verifier.jobs.reduce((sum, { questions }) => sum + questions.length, 0);
  const judge = async (request: object = RUN, texts = TEXTS, prompt = "Write it.") => {
    const before = asked();
    const groups = [{ prompt, rollouts: texts.map((text) => ({ text })) }];
    const reply = (await (await app.post("/v1/rewards", { groups, ...request })).json()) as RewardsReply;
    return { reply, asked: asked() - before, use: reply.groups[0]?.verifier };
  };
  return { ...app, judge };
}

describe("judge.cache", () => {
  test("asks an equal question once within a run, for the same rewards", async () => {
    const { judge, lines } = world();
    const [first, again] = [await judge(), await judge()];
    expect([first.asked, again.asked]).toEqual([3, 0]);
    expect(again.reply.rewards).toEqual(first.reply.rewards);
    expect(again.reply.spec_hash).toBe(first.reply.spec_hash);
    expect(first.use).toMatchObject({ generations: 3, saved: 0 });
    expect(first.use).not.toHaveProperty("cached");
    expect(again.use).toMatchObject({ generations: 0, saved: 3, cached: 3, prompt_tokens: 0 });
    expect(lines.filter(({ cached }) => cached !== undefined)).toEqual([expect.objectContaining({ cached: 3 })]);
  });

  test("asks what is new beside what is known, whatever the order of the rollouts", async () => {
    const { judge } = world();
    await judge();
    const more = await judge(RUN, [fenced("a newcomer, the longest of all"), ...TEXTS.toReversed()]);
    expect([more.asked, more.use?.cached]).toEqual([3, 3]);
  });

  test.each([
    ["another run", { ...RUN, run_id: "other" }, "Write it."],
    ["another prompt", RUN, "Write it again."],
    ["another seed", { ...RUN, spec: { ...SPEC, seed: 1 } }, "Write it."],
    ["another temperature", { ...RUN, spec: { judge: { ...SPEC.judge, temperature: 0.1 } } }, "Write it."],
    ["a request without a run", { spec: SPEC }, "Write it."],
    ["a judge that does not cache", { run_id: "r" }, "Write it."],
  ])("is not for %s", async (_, request, prompt) => {
    const { judge } = world();
    await judge();
    expect((await judge(request, TEXTS, prompt)).asked).toBe(3);
  });

  test.each([
    ["a failure", { error: "verifier_rejected" as const }],
    ["an answer that cannot be read", "I cannot say."],
  ])("never keeps %s", async (_, answer) => {
    let broken = true;
    const { judge } = world((...of) => (broken ? answer : longest(...of)));
    await judge();
    broken = false;
    const again = await judge();
    expect(again.reply.rewards).toEqual([[0, 0.5, 1]]);
    expect(again.use).not.toHaveProperty("cached");
  });

  test("a lost or broken cache costs a question and changes no reward", async () => {
    const broken = async () => {
      throw new Error("gone");
    };
    const { judge, lines } = world(longest, { ...createLocalRunObjects(), known: broken, remember: broken });
    const [first, again] = [await judge(), await judge()];
    expect(again.asked).toBe(3);
    expect(again.reply.rewards).toEqual(first.reply.rewards);
    expect(lines.map(({ event }) => event)).toContain("verdict_cache_failed");
  });

  test("goes with its run", async () => {
    const { judge, call } = world();
    await judge();
    expect((await call("/v1/runs/r", { method: "DELETE" })).status).toBe(200);
    expect((await judge()).asked).toBe(3);
  });

  test("serves the signals alone whose judges cache", async () => {
    const { judge } = world();
    const signals = {
      kept: { kind: "tournament", judge: SPEC.judge },
      asked: { kind: "tournament" },
    };
    await judge({ run_id: "r", spec: { signals } });
    expect((await judge({ run_id: "r", spec: { signals } })).asked).toBe(3);
  });
});
