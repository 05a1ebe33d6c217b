// Holds that a gateway says at its start why an engine's answers will never hold a verdict.
import { describe, expect, it } from "vitest";
import { answer, status } from "../harness/mock-behaviours.ts";
import type { Behaviour } from "../harness/mock-verifier.ts";
import { HEALTH_MS, withPool } from "./engine-setup.ts";

/** What is reported of an engine that answers so, and the readiness then. */
async function tried(behaviour: Behaviour) {
  const told = Promise.withResolvers<Record<string, unknown>>();
  let found: { lines: Record<string, unknown>[]; detail: string; ok: boolean } | undefined;
  const lines: Record<string, unknown>[] = [];
  const report = (line: Record<string, unknown>) => {
    lines.push(line);
    told.resolve(line);
  };
  await withPool(
    () => behaviour,
    async (pool, [mock], timers) => {
      await timers.turn(HEALTH_MS);
      await mock?.until(({ log }) => log.length === 1 && log[0]?.end === "finished");
      // The answer is read before a page that is asked for after it.
      for (let i = 0; i < 20 && lines.length === 0; i++) await pool.models();
      const { ok, detail } = await pool.ready();
      found = { lines, detail, ok };
      await timers.turn(HEALTH_MS);
      expect(mock?.log).toHaveLength(1);
    },
    { report },
  );
  return found;
}

describe("an engine that comes up is asked something easy", () => {
  it("and told of, where all that it says counts as a thought", async () => {
    const hidden = answer("", { reasoning: "The letter is A.", reasoning_field: "reasoning" });
    const got = await tried(hidden);
    expect(got?.lines).toMatchObject([
      { event: "engine_unfit", reason: expect.stringContaining("--reasoning-parser") },
    ]);
    expect(got?.detail).toContain("--reasoning-parser");
    expect(got?.ok).toBe(true);
  });

  it("and told of in its own words, where it refuses", async () => {
    const got = await tried(status(400, {}, { message: "this model has no chat template" }));
    expect(got?.lines).toMatchObject([{ event: "engine_unfit", reason: "this model has no chat template" }]);
  });

  it.each([
    ["it thinks and answers", answer("A", { reasoning: "hm" })],
    ["it answers", answer("A")],
    ["its thought was cut", answer("", { reasoning: "hm", finish_reason: "length" })],
    ["it fails", status(500)],
  ])("and nothing is told where %s", async (_, behaviour) => {
    expect(await tried(behaviour)).toMatchObject({ lines: [], detail: "1 of 1 engines serve the model" });
  });
});
