// Holds that the production bundle asks Workers AI through the binding `AI` as it asks the REST API, that no
// variable but VERIFIER_PROTOCOL is needed for it, and that its errors become the same codes.
import { createHash } from "node:crypto";
import { Miniflare } from "miniflare";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type DecisionFaults,
  type DecisionSimulator,
  startDecisionSimulator,
} from "../../scripts/stack/decision-simulator.ts";
import { COMPATIBILITY } from "../../scripts/stack/edge.ts";
import { MAIN } from "../../scripts/stack/worker-modules.ts";
import { readEnv } from "../../src/env.ts";
import { BINDING_URL, bindingFetch } from "../../src/verifier/decision/binding.ts";
import { bundleLimitedWorker, expectWithinLimits } from "../harness/production-limits.ts";

const CLEF = "@cf/cloudflare/clef-flash";
const strengthOf = (text: string) => Number(/answer (\d+)/.exec(text)?.[1] ?? 0) / 4;

/** `env.AI` made up: hands each call to the simulator's REST API, and throws as the binding does. */
const aiWorker = (url: string) => `import { WorkerEntrypoint } from "cloudflare:workers";
export default class extends WorkerEntrypoint {
  async run(model, input) {
    const reply = await fetch("${url}/accounts/1/ai/run/" + model, { method: "POST", body: JSON.stringify(input) });
    const { result, errors } = await reply.json();
    if (!reply.ok) throw new Error(errors[0].code + ": " + errors[0].message);
    return result;
  }
}`;

const text = (value: string) => ({ type: "text", value });

/** Variables of a deployment that reaches Workers AI by the binding, and by its REST API. */
const DEPLOYMENTS = {
  "the binding": () => ({ AI: { type: "worker", worker: "ai" } }),
  "the REST API": (url: string) => ({
    VERIFIER_API: text("workers-ai"),
    VERIFIER_URL: text(`${url}/accounts/1/ai`),
    VERIFIER_MODEL: text(CLEF),
    VERIFIER_API_KEY: text("secret"),
  }),
};

describe.each(Object.entries(DEPLOYMENTS))("the production bundle by %s", (_, variables) => {
  let model: DecisionSimulator;
  let miniflare: Miniflare;
  let origin: string;
  beforeAll(async () => {
    model = await startDecisionSimulator(strengthOf, "clef-flash");
    const { [MAIN]: main = "", ...others } = await bundleLimitedWorker();
    const modules = Object.fromEntries(
      Object.entries({ [MAIN]: main, ...others }).map(([name, contents]) => [name, { type: "esm", contents }]),
    );
    // The true binding runs in the Worker's own process, where a signal needs no copy.
    const compatibilityFlags = [...COMPATIBILITY.flags, "enable_abortsignal_rpc"];
    const common = { compatibilityDate: COMPATIBILITY.date, compatibilityFlags };
    const env = {
      API_KEYS: text(`k:${createHash("sha256").update("key").digest("hex")}`),
      VERIFIER_PROTOCOL: text("decision"),
      ...variables(model.url),
    };
    const ai = { mainModule: "ai.mjs", modules: { "ai.mjs": { type: "esm", contents: aiWorker(model.url) } } };
    miniflare = new Miniflare({
      cf: false,
      telemetry: { enabled: false },
      workers: [
        { config: { ...common, name: "kritai", manifest: { mainModule: MAIN, modules }, env } },
        { config: { ...common, name: "ai", manifest: ai } },
      ],
    } as unknown as ConstructorParameters<typeof Miniflare>[0]);
    origin = (await miniflare.ready).origin;
  });
  afterEach(() => {
    for (const name of Object.keys(model.faults)) delete model.faults[name as keyof DecisionFaults];
    model.states.length = 0;
  });
  afterAll(async () => {
    await expectWithinLimits(origin);
    await miniflare?.dispose();
    await model?.close();
  });

  const rewarded = async (deadline_ms = 60_000) => {
    const reply = await fetch(`${origin}/v1/rewards`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer key" },
      body: JSON.stringify({
        deadline_ms,
        groups: [{ prompt: "p", rollouts: [3, 1, 15, 9].map((number) => ({ text: `answer ${number}` })) }],
      }),
    });
    expect(reply.status, await reply.clone().text()).toBe(200);
    return (await reply.json()) as {
      rewards: (number | null)[][];
      groups: { rollouts: { error: string | null }[] }[];
    };
  };

  it("judges a group in one call, by decide-pair and clef-flash", async () => {
    const { rewards } = await rewarded();
    const [row] = rewards as [number[]];
    expect([3, 1, 15, 9].map((_, i) => [...row].sort((a, b) => a - b).indexOf(row[i] as number))).toEqual([1, 0, 3, 2]);
    expect(model.states).toHaveLength(1);
  });

  it("gives null with the code of an error", async () => {
    model.faults.status = () => ({ status: 429, body: { errors: [{ code: 3040, message: "Capacity exceeded" }] } });
    const { rewards, groups } = await rewarded(600);
    expect(rewards[0]).toEqual([null, null, null, null]);
    expect(groups[0]?.rollouts.map(({ error }) => error)).toEqual(Array(4).fill("verifier_overloaded"));
  });
});

describe("the binding as a fetch of the REST API", () => {
  const ask = (run: () => Promise<unknown>, signal = new AbortController().signal) =>
    bindingFetch({ run })(`${BINDING_URL}/run/${CLEF}`, { method: "POST", body: "{}", signal });

  it.each([
    ["3040: Capacity temporarily exceeded, please try again.", 429],
    ["AiError: 3021: Too many requests", 429],
    ["4006: you have used up your daily free allocation", 429],
    ["InferenceUpstreamError: 5021: too long", 413],
    ["3006: Request is too large", 413],
    ["5006: Error: oneOf at '/' not met", 400],
    ["5012: invalid questions", 422],
    ["5012: inference failed", 529],
    ["3007: Request timeout", 408],
    ["5007: No such model", 404],
    ["3041: not allowed", 403],
    ["10000: Authentication error", 401],
  ])("an error %j is a reply with the status %i", async (message, status) => {
    const reply = await ask(() => Promise.reject(new Error(message)));
    expect(reply.status).toBe(status);
    expect(await reply.json()).toMatchObject({ errors: [{ message }] });
  });

  it.each(["Network connection lost.", "9999: unheard of", ""])("an error %j breaks the call", async (message) => {
    await expect(ask(() => Promise.reject(new Error(message)))).rejects.toThrow(message);
  });

  it("ends when its signal does, whether or not the binding heeds it", async () => {
    const stopped = new AbortController();
    const asked = ask(() => new Promise(() => {}), stopped.signal);
    stopped.abort("deadline");
    await expect(asked).rejects.toBe("deadline");
    let runs = 0;
    await expect(ask(async () => runs++, stopped.signal)).rejects.toBe("deadline");
    expect(runs).toBe(0);
  });
});

describe("the configuration", () => {
  const AI = { run: async () => ({}) };
  const filled = { protocol: "decision", url: BINDING_URL, api: "workers-ai", model: CLEF };

  it("takes the binding where VERIFIER_PROTOCOL is decision and no URL is set", () => {
    const { config, faults } = readEnv({ AI, VERIFIER_PROTOCOL: "decision" });
    expect(faults).toEqual([]);
    expect(config).toMatchObject({ backends: [filled], DEFAULT_JUDGE: "decide-pair" });
  });

  it("takes a URL, another model and another default judge where they are set", () => {
    const clef = { AI, VERIFIER_PROTOCOL: "decision", VERIFIER_MODEL: "@cf/cloudflare/clef" };
    expect(readEnv(clef).config.backends).toMatchObject([{ ...filled, model: "@cf/cloudflare/clef" }]);
    const url = { ...clef, VERIFIER_URL: "https://jev.example/v1", VERIFIER_API: "systemone" };
    expect(readEnv(url).config.backends).toMatchObject([{ url: "https://jev.example/v1", api: "systemone" }]);
    expect(readEnv({ ...clef, DEFAULT_JUDGE: "decide-grade" }).config.DEFAULT_JUDGE).toBe("decide-grade");
  });

  it("takes it as a fallback, and asks nobody through it unless it is told to", () => {
    const fallback = { protocol: "decision", url: BINDING_URL, api: "workers-ai", model: CLEF };
    const chat = { AI, VERIFIER_URL: "https://chat.example/v1", VERIFIER_MODEL: "m" };
    const { config, faults } = readEnv({ ...chat, VERIFIER_FALLBACKS: JSON.stringify([fallback]) });
    expect([faults, config.backends.map(({ url }) => url)]).toEqual([[], ["https://chat.example/v1", BINDING_URL]]);
    expect(readEnv({ AI }).config.backends).toEqual([]);
    expect(readEnv({ AI, VERIFIER_PROTOCOL: "openai" }).config.backends).toEqual([]);
  });

  it("says that the binding is missing where its URL is set", () => {
    const { faults } = readEnv({ VERIFIER_PROTOCOL: "decision", VERIFIER_URL: BINDING_URL });
    expect(faults).toEqual([{ path: "AI", message: "the Workers AI binding is required by the URL binding:AI" }]);
  });
});
