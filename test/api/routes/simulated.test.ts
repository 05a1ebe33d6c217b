// Holds that a stand-in's verdicts are never taken for a judge's: each route that scores says
// `simulated`, in its body or in a header, by what the deployment says of its verifier and by the
// model's name that the stand-in signs with.

import { afterEach, describe, expect, it, test } from "vitest";
import { type RunningSimulator, startSimulator } from "../../../gpu-backend/engines/simulator/server.ts";
import { createEnginePool } from "../../../gpu-backend/gateway/engines/create.ts";
import { startGateway } from "../../../gpu-backend/gateway/http/server.ts";
import * as native from "../../../scripts/build/openapi/examples.ts";
import { systemClock } from "../../../src/platform/clock.ts";
import type { Verifier } from "../../../src/ports/ports.ts";
import { createGatewayVerifier } from "../../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../../src/verifier/openai/adapter.ts";
import { fakeVerifier } from "../../harness/fakes.ts";
import * as contracts from "../contracts/examples.ts";
import { longest, setUp } from "./harness.ts";

const ALONE = "?group_window_ms=0&on_failure=0";
const chat = { ...contracts.chat, stream: true };
const REQUESTS: [path: string, body: object, headers?: Record<string, string>][] = [
  ["/v1/rewards", native.rewardsRequest],
  ["/v1/rewards", native.rewardsRequest, { accept: "application/x-ndjson" }],
  ["/v1/score_batch", contracts.scoreBatch],
  ["/v1/rerank", contracts.rerank],
  ["/v2/rerank", contracts.rerank],
  ["/rerank", contracts.tei],
  ["/rerank", contracts.rerank],
  ["/infinity/rerank", contracts.infinity],
  ["/mixedbread/v1/reranking", contracts.mixedbread],
  ["/pinecone/rerank", contracts.pinecone],
  ["/voyage/v1/rerank", contracts.voyage],
  ["/score", contracts.score],
  ["/classify", contracts.classify],
  ["/v1/chat/completions", contracts.chat],
  ["/v1/chat/completions", chat],
  ["/openai/deployments/default/chat/completions", contracts.chat],
  ["/v1/responses", contracts.responses],
  ["/v1/responses", { ...contracts.responses, stream: true }],
  ["/ruler/v1/chat/completions", contracts.ruler],
  ["/nemo-gym/compare", contracts.nemoGymCompare],
  [`/nemo-gym/verify${ALONE}`, contracts.nemoGym],
  [`/openrlhf/get_reward${ALONE}`, contracts.openRlhf],
  [`/slime/reward${ALONE}`, contracts.slime],
  [`/verl/compute_score${ALONE}`, contracts.verl],
  [`/evaluate${ALONE}`, contracts.evalProtocol],
];

/** The fake judge under a model's name. */
function judgeNamed(model: string, simulated?: boolean): Verifier {
  const verifier = fakeVerifier(longest);
  return {
    ...verifier,
    ...(simulated !== undefined && { simulated }),
    session(call) {
      const session = verifier.session(call);
      return {
        stats: session.stats,
        judge: (job, sink) => session.judge(job, (generation) => sink({ ...generation, model })),
      };
    },
  };
}

/** Requests whose reply says `simulated`, and those whose reply does not. */
async function split(verifier: Verifier): Promise<{ warned: string[]; silent: string[] }> {
  const [warned, silent]: [string[], string[]] = [[], []];
  for (const [path, body, headers = {}] of REQUESTS) {
    const reply = await setUp({ verifier }).post(path, body, headers);
    const text = await reply.text();
    expect([path, reply.status, text.slice(0, 200)]).toEqual([path, 200, text.slice(0, 200)]);
    const says = /"simulated: /.test(text) || (reply.headers.get("x-kritai-warnings") ?? "").includes("simulated: ");
    (says ? warned : silent).push(`${path} ${JSON.stringify(headers)}`);
  }
  return { warned, silent };
}

describe("a stand-in's verdicts", () => {
  it("are warned of by every route that scores, where the deployment says so", async () => {
    expect((await split(judgeNamed("m", true))).silent).toEqual([]);
  });

  it("are warned of by every route that scores, where the model's name says so", async () => {
    // A sample alone in its group is compared with nothing, so no answer has a name.
    const { silent } = await split(judgeNamed("simulated-sim-14b"));
    expect(silent.filter((request) => !request.includes(ALONE))).toEqual([]);
  });

  it("are none where a judge answers", async () => {
    expect((await split(judgeNamed("sim-14b"))).warned).toEqual([]);
  });

  it("are not warned of where no judge is asked", async () => {
    const spec = { signals: { right: { kind: "reference" } } };
    const groups = [{ prompt: "2+2?", reference: "4", rollouts: [{ text: "\\boxed{4}" }, { text: "\\boxed{5}" }] }];
    const reply = await setUp({ verifier: judgeNamed("m", true) }).post("/v1/rewards", { spec, groups });
    expect(await reply.json()).toMatchObject({ rewards: [[1, 0]], warnings: [] });
  });

  it("are named so in the log", async () => {
    const { post, runLog } = setUp({ verifier: judgeNamed("simulated-sim-14b") });
    await post("/v1/rewards", native.rewardsRequest);
    const [entry] = runLog.entries;
    expect(entry?.warnings).toContainEqual(expect.stringMatching(/^simulated: /));
    expect(entry?.groups[0]?.verdicts[0]?.model).toBe("simulated-sim-14b");
  });
});

describe("the engine simulator", () => {
  const running: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const part of running.splice(0).reverse()) await part.close();
  });
  const clock = systemClock;
  const simulator = async (): Promise<RunningSimulator> => {
    const engine = await startSimulator({ scale: "instant" });
    running.push(engine);
    return engine;
  };
  const warningsOf = async (verifier: Verifier) => {
    const reply = await setUp({ verifier, clock }).post("/v1/rewards", native.rewardsRequest);
    const { warnings, groups } = (await reply.json()) as {
      warnings: string[];
      groups: { verifier: { models: string[] } }[];
    };
    return { codes: warnings.map((text) => text.split(":")[0]), models: groups[0]?.verifier.models };
  };

  test.each(["sim-14b", "simulated-sim-14b"])(
    "signs its answers, asked for as %s by nobody who knows of it",
    async (model) => {
      const { url } = await simulator();
      const told = await warningsOf(createOpenAiVerifier({ url, model, apiKey: null }, clock));
      expect(told).toEqual({ codes: expect.arrayContaining(["simulated"]), models: ["simulated-sim-14b"] });
    },
  );

  it("signs them through a gateway that was not told of it", async () => {
    const { url } = await simulator();
    const pool = createEnginePool({ urls: [url], model: "sim-14b", apiKey: null });
    const gateway = await startGateway({ host: "127.0.0.1", port: 0, pool });
    running.push({ close: () => gateway.close(0) });
    const told = await warningsOf(createGatewayVerifier({ url: gateway.url, model: null, apiKey: null }, clock));
    expect(told).toEqual({ codes: expect.arrayContaining(["simulated"]), models: ["simulated-sim-14b"] });
  });

  it("says so beside its models and in each reply", async () => {
    const { url } = await simulator();
    const models = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string; owned_by: string }[] };
    expect(models.data.map(({ id, owned_by }) => [id, owned_by])).toEqual([
      ["simulated-sim-14b", "simulator"],
      ["sim-14b", "simulator"],
    ]);
    const body = JSON.stringify({ model: "sim-14b", messages: [{ role: "user", content: "hi" }], max_tokens: 8 });
    const headers = { "content-type": "application/json" };
    const reply = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
    expect(await reply.json()).toMatchObject({ model: "simulated-sim-14b", system_fingerprint: "simulated" });
  });
});
