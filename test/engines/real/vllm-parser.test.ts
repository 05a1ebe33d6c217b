// Holds the effects of a reasoning parser on a real vLLM whose model never thinks: reported at the gateway's
// start where it takes whole answers for thoughts, and verdicts without one.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deadline_ms, edge, type Reply, rollouts, withEngines } from "./vllm-edge.ts";
import { killAllServers, startVllm, until, VLLM, type VllmServer } from "./vllm-server.ts";

describe.skipIf(VLLM === null)("a real vLLM whose model writes no think tags", () => {
  let parsed: VllmServer;
  let unparsed: VllmServer;
  beforeAll(async () => {
    const setting = (REASONING_PARSER: string) => ({ settings: { REASONING_PARSER } });
    [parsed, unparsed] = await Promise.all([
      startVllm("plain", setting("deepseek-r1")),
      startVllm("plain", setting("none")),
    ]);
  });
  afterAll(killAllServers);

  const spec = { judge: { temperature: 1, top_p: 1, max_tokens: 64 } };
  const groups = [{ prompt: "Read a number and print it.", rollouts: rollouts(3) }];
  const judged = async (url: string) =>
    (await (
      await edge({ protocol: "verify", url }).post("/v1/rewards", { deadline_ms, spec, groups })
    ).json()) as Reply;

  it("is told of as unfit under a parser that waits for the end of thoughts, and decides nothing", () =>
    withEngines({ urls: [parsed.url], model: "plain" }, async ({ url, ready, lines }) => {
      await until(async () => lines.length > 0);
      const reason = expect.stringContaining("its reasoning parser takes whole answers for thoughts");
      expect(lines).toEqual([expect.objectContaining({ level: "warn", event: "engine_unfit", reason })]);
      expect((await ready()).detail).toContain("--reasoning-parser");
      const { rewards, groups: said } = await judged(url);
      expect(rewards).toEqual([[null, null, null]]);
      expect(said[0]?.verifier).toMatchObject({ parsed: 0, failed: 0 });
    }));

  it("is read right without one, and nothing is said against it", () =>
    withEngines({ urls: [unparsed.url], model: "plain" }, async ({ url, ready, lines }) => {
      const { rewards, groups: said } = await judged(url);
      expect(said[0]?.verifier).toMatchObject({ generations: 3, parsed: 3, failed: 0 });
      expect(rewards[0]?.reduce<number>((sum, reward) => sum + (reward ?? Number.NaN), 0)).toBeCloseTo(1.5, 9);
      expect(lines).toEqual([]);
      expect((await ready()).detail).toBe("1 of 1 engines serve the model");
    }));
});
