// Holds that a scalar reward model and a process reward model served by a real vLLM give the
// rewards that their own numbers mean, asked directly and through the gateway's relay.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deadline_ms, edge, post, type Reply, withEngines } from "./vllm-edge.ts";
import { killAllServers, startVllm, tokenId, VLLM, type VllmServer } from "./vllm-server.ts";

const STEP_TAG = "<extra_0>";
const PROMPT = "What is two plus two?";

describe.skipIf(VLLM === null)("a real vLLM of reward models", () => {
  let scoring: VllmServer;
  let stepping: VllmServer;
  beforeAll(async () => {
    const tag = ["--pooler-config", JSON.stringify({ step_tag_id: tokenId("stepping", STEP_TAG) })];
    [scoring, stepping] = await Promise.all([
      startVllm("scoring", { pooling: [] }),
      startVllm("stepping", { pooling: tag }),
    ]);
  });
  afterAll(killAllServers);

  /** Directly, and through a gateway beside whose engines the server stands. */
  async function eachWay(server: VllmServer, test: (url: string) => Promise<void>): Promise<void> {
    await test(server.url);
    await withEngines({ urls: [server.url], model: "none", scalar: [server.url] }, ({ url }) => test(url));
  }

  it("gives scalar rewards: the sigmoid of what /classify says", async () => {
    const texts = ["It is four.", "It is five, I think.", "Four"];
    const groups = [{ prompt: PROMPT, rollouts: texts.map((text) => ({ text })) }];
    const spec = { candidate: { extract: "whole" }, signals: { rm: { kind: "scalar", squash: "sigmoid" } } };
    const input = texts.map((text) => `${PROMPT}\n\n${text}`);
    const asked = await post(`${scoring.url}/classify`, { model: "scoring", input, use_activation: false });
    const { data } = (await asked.json()) as { data: { probs: number[] }[] };
    for (const api of ["vllm-classify", "vllm-pooling"]) {
      await eachWay(scoring, async (url) => {
        const app = edge({ protocol: "scalar", template: "plain", url, api, model: "scoring" });
        expect((await app.call("/readyz")).status).toBe(200);
        const { rewards } = (await (await app.post("/v1/rewards", { deadline_ms, spec, groups })).json()) as Reply;
        data.forEach(({ probs }, i) => {
          expect(rewards[0]?.[i]).toBeCloseTo(1 / (1 + Math.exp(-(probs[0] as number))), 5);
        });
        expect(new Set(rewards[0]).size).toBe(3);
      });
    }
  });

  const STEPS = [
    ["Two and two are two more than two.", "So it is four."],
    ["It is five."],
    ["Two is even.", "So is four.", "The answer is four."],
  ];
  const spec = (reduce: string) => ({ signals: { prm: { kind: "steps", source: "prm", reduce } } });
  const groups = [
    { prompt: PROMPT, rollouts: STEPS.map((step_texts) => ({ text: step_texts.join("\n"), step_texts })) },
  ];
  const prm = (url: string, model: string) =>
    edge({ protocol: "scalar", template: "plain", url, api: "vllm-prm", model, step_tag: STEP_TAG });

  it("gives a process reward model's probabilities: the softmax of its two logits at each step's tag", async () => {
    const input = STEPS.map((steps) => `${PROMPT}\n\n${steps.map((step) => step + STEP_TAG).join("")}`);
    const task = "token_classify";
    const asked = await post(`${stepping.url}/pooling`, { model: "stepping", input, task, use_activation: false });
    const { data } = (await asked.json()) as { data: { data: [number, number][] }[] };
    const right = data.map((one) => one.data.map(([bad, good]) => 1 / (1 + Math.exp(bad - good))));
    expect(right.map(({ length }) => length)).toEqual(STEPS.map(({ length }) => length));
    expect(new Set(right.flat().map((one) => one.toFixed(6))).size).toBe(6);
    await eachWay(stepping, async (url) => {
      const app = prm(url, "stepping");
      expect((await app.call("/readyz")).status).toBe(200);
      const { rewards } = (await (
        await app.post("/v1/rewards", { deadline_ms, spec: spec("min"), groups })
      ).json()) as Reply;
      right.forEach((steps, i) => {
        expect(rewards[0]?.[i]).toBeCloseTo(Math.min(...steps), 5);
      });
    });
  });

  it("makes no step's number of a model that has none to give", async () => {
    const app = prm(scoring.url, "scoring");
    expect((await app.call("/readyz")).status).toBe(503);
    const reply = (await (await app.post("/v1/rewards", { deadline_ms, spec: spec("min"), groups })).json()) as Reply;
    expect(reply.rewards).toEqual([[null, null, null]]);
    expect(reply.groups[0]?.rollouts.map(({ error }) => error)).toEqual(Array(3).fill("verifier_rejected"));
  });
});
