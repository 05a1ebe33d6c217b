import { describe, expect, it } from "vitest";
import type { ScoredBatch } from "../../src/scoring/score-batch.ts";
import { type FakeVerifier, fakeVerifier, type Script } from "../harness/fakes.ts";

import { byValue, printed, program, rolloutsOf, score, scoreOne } from "./score-setup.ts";

describe("log_texts", () => {
  it("stores no texts of a request whose texts are over the limit, and says so", async () => {
    const long = "x".repeat(500_000);
    const rollouts = rolloutsOf(Array.from({ length: 9 }, (_, i) => long + program(i)));
    const { entry, reply } = await score([{ rollouts }], { spec: { log_texts: true } });
    expect(reply.warnings).toEqual(["texts_not_logged"]);
    expect(entry.groups[0]?.rollouts.map(({ text }) => text)).toEqual(Array(9).fill(null));
    const within = await score([{ rollouts: rollouts.slice(0, 8) }], { spec: { log_texts: true } });
    expect(within.reply.warnings).toEqual([]);
    expect(within.entry.groups[0]?.rollouts[0]?.text).toBe(long + program(0));
  });
});

describe("whether wins go in a circle", () => {
  const circle: Script = ([a = "", b = ""]) => ((printed(a) + 1) % 3 === printed(b) ? "\\boxed{A}" : "\\boxed{B}");
  const logged = async (values: readonly number[], verifier: FakeVerifier) =>
    (await score([{ rollouts: rolloutsOf(values.map(program)) }], { verifier })).entry.groups[0]?.circles;

  it("is logged of every compared group, without a word of it in a plain spec's reply", async () => {
    expect(await logged([0, 1, 2], fakeVerifier(circle))).toEqual({ triples: 1, circles: 1 });
    expect(await logged([0, 1, 2], fakeVerifier(byValue))).toEqual({ triples: 1, circles: 0 });
    const group = await scoreOne([0, 1, 2].map(program), { verifier: fakeVerifier(circle) });
    expect(group.metrics).not.toHaveProperty("cyclic");
  });

  it("counts no triple of fewer than three different candidates, of which none can", async () => {
    for (const values of [
      [0, 1],
      [0, 1, 1, 0],
    ]) {
      expect(await logged(values, fakeVerifier(byValue))).toEqual({ triples: 0, circles: 0 });
    }
  });
});

describe("log_verdicts", () => {
  const spec = { log_verdicts: true } as const;
  const logged = ({ entry }: ScoredBatch) => entry.groups.flatMap(({ verdicts }) => verdicts.map(({ text }) => text));

  it("logs what the verifier wrote, and decides nothing: rewards, hash and logged spec are those without", async () => {
    const groups = [{ rollouts: rolloutsOf([1, 2, 3].map(program)) }];
    const [told, silent] = [await score(groups, { spec }), await score(groups)];
    expect(logged(told)).toEqual(new Array(3).fill(expect.stringContaining("\\boxed")));
    expect(logged(silent)).toEqual([undefined, undefined, undefined]);
    expect(told.reply).toEqual(silent.reply);
    expect(told.entry.spec).toBe(silent.entry.spec);
  });

  it("cuts a long text in its middle, where the verdict does not stand", async () => {
    const long: Script = () => `${"a".repeat(3_000)}${"b".repeat(3_000)}\\boxed{A}`;
    const [text] = logged(
      await score([{ rollouts: rolloutsOf([1, 2].map(program)) }], { spec, verifier: fakeVerifier(long) }),
    );
    expect(text).toMatch(/^a{1000}\n\[2009 characters left out\]\nb+\\boxed\{A\}$/);
  });

  it("says so when all texts together are too long, and keeps the first", async () => {
    const long: Script = () => `${"a".repeat(4_100)}\\boxed{A}`;
    const rollouts = rolloutsOf(Array.from({ length: 34 }, (_, i) => program(i)));
    const { reply, entry } = await score([{ rollouts }], { spec, verifier: fakeVerifier(long) });
    expect(reply.warnings).toContain("verdicts_not_logged");
    const texts = entry.groups.flatMap(({ verdicts }) => verdicts.flatMap(({ text }) => text ?? []));
    const chars = texts.reduce((sum, text) => sum + text.length, 0);
    expect(chars).toBeLessThanOrEqual(2_097_152);
    expect(chars).toBeGreaterThan(2_090_000);
  });

  it("logs the reason of a verifier that refuses, in its place", async () => {
    const refusing: Script = () => ({ error: "verifier_bad_reply", reason: "model not loaded" });
    const batch = await score([{ rollouts: rolloutsOf([1, 2].map(program)) }], {
      spec,
      verifier: fakeVerifier(refusing),
    });
    expect(logged(batch)).toEqual(["model not loaded"]);
  });
});
