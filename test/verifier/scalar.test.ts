// Holds what a scalar model's server is asked, how its numbers are read, and that none of its
// faults becomes a number or a neighbour's loss.
import { describe, expect, it } from "vitest";
import { setUp } from "../api/routes/harness.ts";
import { answer } from "../harness/mock-behaviours.ts";
import { startMockVerifier } from "../harness/mock-verifier.ts";
import {
  classified,
  closingServers,
  ENV,
  ends,
  type Reply,
  request,
  rewardsOf,
  type Seen,
  serve,
  textsOf,
  verifierOf,
} from "./scalar-setup.ts";

closingServers();

/** A model whose number is the length of the text behind the question, in thousandths. */
const length = (text: string) => text.split("\n\n")[1]?.length ?? 0;

const byLength = ({ body }: Seen) => classified(textsOf(body).map((text) => length(text) / 10));

const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

describe("a scalar model's number", () => {
  it("is each rollout's reward, squashed, with what it asked for in batches and duplicates asked once", async () => {
    const { url, seen } = await serve(byLength);
    const texts = [...Array.from({ length: 40 }, (_, i) => "x".repeat(i + 1)), "x"];
    const { rewards, reward_range, groups } = await rewardsOf({ ...ENV, VERIFIER_URL: url }, request(texts));
    expect(rewards).toEqual([texts.map((text) => sigmoid(text.length / 10))]);
    expect(reward_range).toEqual([0, 1]);
    const [probe, ...batches] = seen.map(({ body }) => textsOf(body));
    expect(probe).toHaveLength(2);
    expect(batches.map(({ length }) => length)).toEqual([32, 8]);
    // In an order by contents: a deadline's cut does not depend on places.
    expect(batches.flat().sort()).toEqual([...new Set(texts)].map((text) => `Say something.\n\n${text}`).sort());
    expect(seen[0]).toMatchObject({ path: "/classify", body: { model: "rm", use_activation: false } });
    expect(groups[0]?.verifier.prompt_tokens).toBe(10);
  });

  it.each([
    [{ squash: "clip", low: -1, high: 0.25 }, [0.1, 0.25, 0.25], [-1, 0.25]],
    [{ squash: "par" }, [sigmoid(0.1 - 0.3), sigmoid(0), sigmoid(0.5 - 0.3)], [0, 1]],
  ])("is squashed as %j says", async (signal, rewards, range) => {
    const { url } = await serve(byLength);
    const got = await rewardsOf({ ...ENV, VERIFIER_URL: url }, request(["x", "xxx", "xxxxx"], signal));
    got.rewards[0]?.forEach((reward, i) => {
      expect(reward).toBeCloseTo(rewards[i] as number, 12);
    });
    expect(got.reward_range).toEqual(range);
  });

  it("is the lowest there is where there is nothing to look at", async () => {
    const { url } = await serve(byLength);
    const body = { ...request(["no code", "```python\nx\n```"]) };
    body.spec.candidate = { extract: "last_code_block" };
    const { rewards } = await rewardsOf({ ...ENV, VERIFIER_URL: url }, body);
    expect(rewards[0]?.[0]).toBe(0);
    expect(rewards[0]?.[1]).toBeGreaterThan(0.5);
  });

  it("goes with a tournament's in one spec, each to the backend that answers it", async () => {
    const { url, seen } = await serve(byLength);
    const judge = await startMockVerifier(() => answer("\\boxed{A}"));
    ends.push(() => judge.close());
    const fallbacks = [{ protocol: "scalar", url, api: "vllm-classify", model: "rm" }];
    const env = { VERIFIER_URL: judge.url, VERIFIER_MODEL: "m", VERIFIER_FALLBACKS: JSON.stringify(fallbacks) };
    const body = request(["x", "xxx"]);
    Object.assign(body.spec.signals, { base: { kind: "tournament" } });
    const { rewards } = await rewardsOf(env, body);
    expect(rewards[0]?.reduce<number>((sum, reward) => sum + (reward ?? 0), 0)).toBeCloseTo(
      1 + sigmoid(0.1) + sigmoid(0.3),
    );
    expect([judge.log.length, seen.length]).toEqual([1, 2]);
  });
});

describe("a fault of the server is never a number:", () => {
  const codes = ({ groups }: Reply) => groups[0]?.rollouts.map(({ error }) => error);

  it("a head that gives every text 1 is found out before the first is believed, and on /readyz", async () => {
    const { url, seen } = await serve(({ body }) => classified(textsOf(body).map(() => 1)));
    const env = { ...ENV, VERIFIER_URL: url };
    const got = await rewardsOf(env, request(["a", "bb"]));
    expect([got.rewards, codes(got)]).toEqual([[[null, null]], Array(2).fill("scalar_backend_saturated")]);
    expect(seen).toHaveLength(1);
    expect(await verifierOf(env).check()).toMatchObject({ ok: false, detail: expect.stringContaining("softmax") });
  });

  it.each<[string, (texts: string[]) => unknown]>([
    ["too few numbers", (texts) => classified(texts.slice(1).map(() => 0.5)).document],
    ["no numbers", (texts) => ({ data: texts.map((_, index) => ({ index, probs: ["high"] })) })],
    ["null", (texts) => ({ data: texts.map((_, index) => ({ index, probs: [null] })) })],
    ["another shape", () => ({ hello: 1 })],
  ])("%s", async (_, reply) => {
    const { url } = await serve(({ body }, index) =>
      index === 0 ? byLength({ path: "", body }) : { document: reply(textsOf(body)) },
    );
    const got = await rewardsOf({ ...ENV, VERIFIER_URL: url }, { ...request(["a"]), deadline_ms: 20_000 });
    expect([got.rewards, codes(got)]).toEqual([[[null]], ["verifier_bad_reply"]]);
  });

  it("a text that is refused loses alone, also out of par's mean, and is null where the spec says so", async () => {
    const refuse = { status: 400, document: { error: { message: "maximum context length is 10 tokens", code: 400 } } };
    const { url } = await serve((seen) =>
      textsOf(seen.body).some((text) => text.includes("zzzz")) ? refuse : byLength(seen),
    );
    // The probe's text holds three.
    const texts = ["a", "bb", "zzzz", "dddd"];
    const got = await rewardsOf({ ...ENV, VERIFIER_URL: url }, request(texts));
    expect(got.rewards).toEqual([[sigmoid(0.1), sigmoid(0.2), 0, sigmoid(0.4)]]);
    expect(codes(got)).toEqual([null, null, null, null]);
    const told = await rewardsOf({ ...ENV, VERIFIER_URL: url }, request(texts, { unreadable: "null" }));
    expect(codes(told)).toEqual([null, null, "context_exceeded", null]);
    const par = await rewardsOf({ ...ENV, VERIFIER_URL: url }, request(texts, { squash: "par" }));
    const mean = 0.7 / 3;
    const near = (x: number) => expect.closeTo(sigmoid(x - mean), 12);
    expect(par.rewards).toEqual([[near(0.1), near(0.2), 0, near(0.4)]]);
  });

  it("a server that is away for a moment is asked again", async () => {
    const { url } = await serve((seen, index) => (index < 2 ? { status: 503, document: {} } : byLength(seen)));
    expect((await rewardsOf({ ...ENV, VERIFIER_URL: url }, request(["a", "bb"]))).rewards).toEqual([
      [sigmoid(0.1), sigmoid(0.2)],
    ]);
  });

  it("a deployment without such a server refuses the spec by its field, and one without a judge a tournament", async () => {
    const { url } = await serve(byLength);
    const judge = verifierOf({ VERIFIER_URL: url, VERIFIER_MODEL: "m" });
    const refused = await setUp({ verifier: judge }).post("/v1/rewards", request(["a", "bb"]));
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ code: "not_configured", errors: [{ path: "spec.signals.rm" }] });
    const scalar = verifierOf({ ...ENV, VERIFIER_URL: url });
    const groups = [{ prompt: "p", rollouts: [{ text: "a" }, { text: "b" }] }];
    const other = await setUp({ verifier: scalar }).post("/v1/rewards", { groups });
    expect(await other.json()).toMatchObject({ code: "not_configured", errors: [{ path: "spec.judge" }] });
  });
});
