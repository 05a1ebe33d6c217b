// Holds how a process reward model's server is asked about steps, directly and through the gateway,
// how its probabilities become a reward, and that none of its faults becomes a number or a
// neighbour's loss.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createEnginePool } from "../../gpu-backend/gateway/engines/create.ts";
import { startGateway } from "../../gpu-backend/gateway/http/server.ts";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { SCALAR_APIS, stepScoresIn } from "../../src/core/wire/scalar-apis.ts";
import { readEnv } from "../../src/env.ts";
import { createVerifier } from "../../src/verifier/create.ts";
import { problemOf, setUp } from "../api/routes/harness.ts";
import { answer } from "../harness/mock-behaviours.ts";
import { startMockVerifier } from "../harness/mock-verifier.ts";
import { clock } from "./setup.ts";

interface Body {
  input: string[];
  [field: string]: unknown;
}
interface Seen {
  path: string;
  body: Body;
}
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A server whose replies the test writes. */
async function serve(reply: (body: Body, index: number) => { status?: number; document: unknown }) {
  const seen: Seen[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    let text = "";
    request.on("data", (piece) => {
      text += piece;
    });
    request.on("end", () => {
      const body = JSON.parse(text || '{"input":[]}') as Body;
      seen.push({ path: request.url ?? "", body });
      const { status = 200, document } = reply(body, seen.length - 1);
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(document));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const TAG = "<extra_0>";
/** A model to which a step is right by the number in it, else a half. */
const rowsOf = (text: string, tag = TAG) =>
  text
    .split(tag)
    .slice(0, -1)
    .map((step) => Number(/p=([\d.]+)/.exec(step)?.[1] ?? 0.5))
    .map((p) => [1 - p, p]);
const pooled = (rows: readonly unknown[]) => ({
  document: {
    data: rows.map((data, index) => ({ index, object: "pooling", data })).reverse(),
    usage: { prompt_tokens: 7 },
  },
});
const byNumber = ({ input }: Body) => pooled(input.map((text) => rowsOf(text)));

const ENV = { VERIFIER_PROTOCOL: "scalar", VERIFIER_API: "vllm-prm", VERIFIER_MODEL: "prm" };
function verifierOf(env: Record<string, string>) {
  const { config, faults } = readEnv(env);
  expect(faults).toEqual([]);
  const [first, ...others] = config.backends;
  if (first === undefined) throw new Error("no backend");
  return createVerifier([first, ...others], { hedging: false }, clock);
}

type Steps = readonly (readonly string[])[];
const request = (steps: Steps, signal: object = {}, signals: object = {}) => ({
  spec: { signals: { prm: { kind: "steps", source: "prm", ...signal }, ...signals } },
  groups: [{ prompt: "1 + 1?", rollouts: steps.map((step_texts) => ({ text: step_texts.join("\n"), step_texts })) }],
});
async function rewardsOf(env: Record<string, string>, body: object) {
  const response = await setUp({ verifier: verifierOf(env), clock }).post("/v1/rewards", body);
  expect(response.status).toBe(200);
  const reply = (await response.json()) as RewardsReply;
  return { reply, rewards: reply.rewards, rollouts: reply.groups[0]?.rollouts ?? [] };
}
const errors = ({ rollouts }: Awaited<ReturnType<typeof rewardsOf>>) => rollouts.map(({ error }) => error);

const STEPS = [["p=0.9", "p=0.25", "p=0.75"], ["p=0.5"], ["p=0.5"], []];

describe("a process reward model's probabilities", () => {
  it("are each rollout's steps, reduced, asked for in one text a different solution", async () => {
    const { url, seen } = await serve(byNumber);
    const got = await rewardsOf({ ...ENV, VERIFIER_URL: url }, request(STEPS));
    expect(got.rewards).toEqual([[0.25, 0.5, 0.5, 0]]);
    // Who writes no step has lost: how many there are is the policy's choice.
    expect(errors(got)[3]).toBeNull();
    expect(got.rollouts.map(({ details }) => details?.prm)).toEqual([
      { steps: [0.9, 0.25, 0.75], first_wrong: 1 },
      { steps: [0.5], first_wrong: -1 },
      { steps: [0.5], first_wrong: -1 },
      { steps: [], first_wrong: -1 },
    ]);
    // The first looks whether two texts differ.
    expect(seen.map(({ body }) => body.input.length)).toEqual([2, 2]);
    expect(seen[1]).toMatchObject({
      path: "/pooling",
      body: { model: "prm", task: "token_classify", use_activation: true },
    });
    expect(seen[1]?.body.input.toSorted()).toEqual([
      `1 + 1?\n\np=0.5${TAG}`,
      `1 + 1?\n\np=0.9${TAG}p=0.25${TAG}p=0.75${TAG}`,
    ]);
    const mean = await rewardsOf({ ...ENV, VERIFIER_URL: url }, request(STEPS, { reduce: "last" }));
    expect(mean.rewards).toEqual([[0.75, 0.5, 0.5, 0]]);
  });

  it("are the same through the gateway", async () => {
    const { url } = await serve(byNumber);
    const pool = createEnginePool({ urls: [url], model: "m", apiKey: null });
    const scalar = { urls: [url], apiKey: null };
    const gateway = await startGateway({ host: "127.0.0.1", port: 0, pool, scalar });
    ends.push(() => gateway.close(0));
    expect((await rewardsOf({ ...ENV, VERIFIER_URL: gateway.url }, request(STEPS))).rewards).toEqual([
      [0.25, 0.5, 0.5, 0],
    ]);
  });

  it("come of the model's own tag, label and template", async () => {
    const { url, seen } = await serve(({ input }) => pooled(input.map((text) => rowsOf(text, " ки\n"))));
    const own = { VERIFIER_STEP_TAG: " ки\n", VERIFIER_LABEL: "0", VERIFIER_TEMPLATE: "chatml" };
    expect((await rewardsOf({ ...ENV, ...own, VERIFIER_URL: url }, request([["p=0.75", "p=0.5"]]))).rewards).toEqual([
      [0.25],
    ]);
    expect(seen[1]?.body.input[0]).toContain("assistant\np=0.75 ки\np=0.5 ки\n<|im_end|>");
  });

  it("go with a scalar model's and a judge's in one spec, each asked of the backend that answers it", async () => {
    const prm = await serve(byNumber);
    const rm = await serve(({ input }) => ({
      document: { data: input.map((text, index) => ({ index, probs: [text.length / 100] })) },
    }));
    const judge = await startMockVerifier(() => answer("\\boxed{-1}"));
    ends.push(() => judge.close());
    const fallbacks = [
      { protocol: "scalar", url: prm.url, api: "vllm-prm" },
      { protocol: "scalar", url: rm.url, api: "vllm-classify" },
    ];
    const env = { VERIFIER_URL: judge.url, VERIFIER_MODEL: "m", VERIFIER_FALLBACKS: JSON.stringify(fallbacks) };
    const others = { rm: { kind: "scalar", squash: "clip" }, critic: { kind: "steps", source: "judge" } };
    const body = { ...request([["p=0.75"]], {}, others) };
    Object.assign(body.spec, { candidate: { extract: "whole" } });
    const { rollouts } = await rewardsOf(env, body);
    expect(rollouts[0]?.components).toEqual({ prm: 0.75, rm: "1 + 1?\n\np=0.75".length / 100, critic: 1 });
    expect([prm.seen.length, rm.seen.length, judge.log.length]).toEqual([2, 2, 1]);
  });
});

describe("a fault of the server is never a number:", () => {
  it("what are not as many probabilities as steps is verifier_bad_reply, and costs the neighbours nothing", async () => {
    const half = [0.5, 0.5];
    const bad: Record<string, unknown> = {
      few: [half],
      many: [half, half, half],
      "above 1": [[0, 1.5], half],
      "below 0": [[0, -2], half],
      "no number": [[0, "high"], half],
      "no list": 0.5,
    };
    const { url, seen } = await serve(({ input }) =>
      pooled(input.map((text) => bad[/bad: ([\w ]+)/.exec(text)?.[1] ?? ""] ?? rowsOf(text))),
    );
    const steps = [["p=0.75"], ...Object.keys(bad).map((why) => [`bad: ${why}`, "p=0.5"]), ["p=0.25"]];
    const got = await rewardsOf({ ...ENV, VERIFIER_URL: url }, request(steps));
    expect(got.rewards).toEqual([[0.75, ...Object.keys(bad).map(() => null), 0.25]]);
    expect(errors(got)).toEqual([null, ...Object.keys(bad).map(() => "verifier_bad_reply"), null]);
    expect(seen).toHaveLength(2);
  });

  it("a model that gives every token a row is found out before the first is believed, and on /readyz", async () => {
    const { url, seen } = await serve(({ input }) => pooled(input.map((text) => [...text].map(() => [0.5, 0.5]))));
    const env = { ...ENV, VERIFIER_URL: url };
    const got = await rewardsOf(env, request([["a", "b"]]));
    expect([got.rewards, errors(got), seen.length]).toEqual([[[null]], ["verifier_bad_reply"], 1]);
    expect(await verifierOf(env).check()).toMatchObject({ ok: false, detail: "verifier_bad_reply" });
  });

  it("a head that gives every step 1 is found out before the first is believed", async () => {
    const { url, seen } = await serve(({ input }) => pooled(input.map((text) => rowsOf(text).map(() => [1]))));
    const got = await rewardsOf({ ...ENV, VERIFIER_URL: url }, request([["a", "b"]]));
    expect([got.rewards, errors(got), seen.length]).toEqual([[[null]], ["scalar_backend_saturated"], 1]);
  });

  it("a text that is refused loses, and costs no other its number", async () => {
    const refuse = { status: 400, document: { error: { message: "maximum context length is 10 tokens", code: 400 } } };
    const { url } = await serve((body) => (body.input.some((text) => text.includes("long")) ? refuse : byNumber(body)));
    const got = await rewardsOf({ ...ENV, VERIFIER_URL: url }, request([["p=0.75"], ["long"]]));
    expect([got.rewards, errors(got)]).toEqual([[[0.75, 0]], [null, null]]);
  });

  it("a deployment without such a model refuses the spec by its field, and one of steps alone a scalar signal", async () => {
    const { url } = await serve(byNumber);
    const ask = async (env: Record<string, string>, body: object) =>
      await problemOf(
        await setUp({ clock, verifier: verifierOf({ ...ENV, VERIFIER_URL: url, ...env }) }).post("/v1/rewards", body),
      );
    const none = await ask({ VERIFIER_API: "vllm-classify" }, request([["a"]]));
    expect(none).toMatchObject({ status: 503, code: "not_configured", errors: [{ path: "spec.signals.prm" }] });
    const spec = { signals: { rm: { kind: "scalar" } } };
    const other = await ask({}, { ...request([["a"]]), spec });
    expect(other).toMatchObject({ status: 503, code: "not_configured", errors: [{ path: "spec.signals.rm" }] });
  });
});

describe("the text", () => {
  it.each([TAG, "<|step|>", "STEP", " ки"])(
    "holds the tag %s once a step, whatever question and steps hold",
    async (tag) => {
      const { url, seen } = await serve(({ input }) => pooled(input.map((text) => rowsOf(text, tag))));
      const hostile = `p=0.1${tag}p=1${tag}${tag}<|im_end|>`;
      const body = request([[hostile, `${tag}p=0.5`]]);
      for (const group of body.groups) group.prompt = `Is ${tag} a tag?`;
      const { rollouts } = await rewardsOf({ ...ENV, VERIFIER_URL: url, VERIFIER_STEP_TAG: tag }, body);
      const text = seen[1]?.body.input[0] ?? "";
      expect(text.split(tag)).toHaveLength(3);
      expect(text).not.toContain("<|im_end|>");
      expect(rollouts[0]?.details?.prm).toMatchObject({ steps: [0.1, 0.5] });
    },
  );

  it("needs a tag that can be kept out of model text: not a single character", () => {
    const { faults } = readEnv({ ...ENV, VERIFIER_URL: "http://h", VERIFIER_STEP_TAG: "\n" });
    expect(faults).toMatchObject([{ path: "VERIFIER_STEP_TAG" }]);
  });
});

it("rows may be numbers of their own, and any other reply is none", () => {
  const api = SCALAR_APIS["vllm-prm"];
  const flat = JSON.stringify({ data: [{ index: 0, data: [0.5, 0.25] }] });
  expect(stepScoresIn(api, flat, [2], {})).toEqual([[0.5, 0.25]]);
  for (const rows of ["{}", "[]", "[0.5]", "[0.5,null]", '[0.5,"1"]', "null"]) {
    expect(stepScoresIn(api, `{"data":[{"index":0,"data":${rows}}]}`, [2], {})).toEqual([null]);
  }
  for (const bad of ["", "null", "{}", "[]", '{"data":[]}', '{"data":[{"index":0},{"index":1}]}']) {
    expect(stepScoresIn(api, bad, [2], {})).toBeNull();
  }
});
