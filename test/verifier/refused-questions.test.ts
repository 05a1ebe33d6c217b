// Holds that a caller learns why an engine refuses everything, through either protocol: the engine's own
// sentence, the variable of a bad key, a context that is too short.
import { afterEach, describe, expect, it } from "vitest";
import { createEnginePool } from "../../gpu-backend/gateway/engines/create.ts";
import { startGateway } from "../../gpu-backend/gateway/http/server.ts";
import { DEFAULT_SPEC } from "../../src/core/contract/spec.ts";
import type { Verifier } from "../../src/ports/ports.ts";
import { createVerifier } from "../../src/verifier/create.ts";
import { setUp, twoRollouts } from "../api/routes/harness.ts";
import { answer, status } from "../harness/mock-behaviours.ts";
import { type Behaviour, type MockOptions, startMockVerifier } from "../harness/mock-verifier.ts";
import { clock } from "./setup.ts";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const PROTOCOLS = ["openai", "verify"] as const;
type Line = Record<string, unknown>;

/** A verifier over that protocol on an engine that behaves so. */
async function behind(protocol: (typeof PROTOCOLS)[number], behaviour: Behaviour, mock: MockOptions = {}) {
  const engine = await startMockVerifier(() => behaviour, mock);
  ends.push(() => engine.close());
  const lines: Line[] = [];
  const of = (url: string, api_key?: string): Verifier =>
    createVerifier([{ protocol, url, model: "mock-model", api_key }], { hedging: false }, clock);
  if (protocol === "openai") return { verifier: of(engine.url), lines };
  const pool = createEnginePool({ urls: [engine.url], model: "mock-model", apiKey: null });
  const report = (line: Line) => lines.push(line);
  const gateway = await startGateway({ pool, host: "127.0.0.1", port: 0, report, apiKey: "good" });
  ends.push(() => gateway.close(0));
  return { verifier: of(gateway.url, "good"), badly: of(gateway.url, "bad"), lines };
}

const SENTENCE = "max_tokens=16384 cannot be greater than max_model_len=4096. Please request fewer output tokens.";

describe.each(PROTOCOLS)("through %s", (protocol) => {
  it("the engine's own sentence is in the reply and in the log, once", async () => {
    const { verifier, lines } = await behind(protocol, status(400, {}, { message: SENTENCE }));
    const reported: Line[] = [];
    const { post } = setUp({ verifier, report: (line) => reported.push(line) });
    for (let i = 0; i < 2; i++) {
      // The whole reply, so that a failure shows what was said instead.
      expect(await (await post("/v1/rewards", twoRollouts())).json()).toMatchObject({
        rewards: [[null, null]],
        warnings: expect.arrayContaining([`verifier_refused: ${SENTENCE}`]),
      });
    }
    const said = reported.filter(({ event }) => event === "verifier_refused");
    expect(said).toMatchObject(Array(2).fill({ level: "warn", reasons: [SENTENCE] }));
    if (protocol === "verify") {
      expect(lines).toEqual([{ level: "warn", event: "engine_refused", reason: SENTENCE }]);
    }
  });

  it("a refused key is told by the variable that holds it", async () => {
    const { verifier } = await behind(protocol, status(401), { health_status: 401 });
    const variable = protocol === "openai" ? "VERIFIER_API_KEY" : "ENGINE_API_KEY";
    expect((await verifier.check()).detail).toContain(`key refused: ${variable}`);
    const { post } = setUp({ verifier });
    expect(await (await post("/v1/rewards", twoRollouts())).json()).toMatchObject({
      warnings: expect.arrayContaining([`verifier_refused: status 401, key refused: ${variable}`]),
    });
  });

  it("a context without room for the built-in spec's answers is told by /readyz, which is 200 all the same", async () => {
    const list = (max_model_len: number) => ({ data: [{ id: "mock-model", max_model_len }] });
    const detailOf = async (context: number) => {
      const pages = { "/v1/models": { status: 200, body: list(context) } };
      const { verifier } = await behind(protocol, answer("x"), { pages });
      const response = await setUp({ verifier }).call("/readyz");
      expect(response.status).toBe(200);
      const { checks } = (await response.json()) as {
        checks: { verifier: { context_tokens: number; detail?: string } };
      };
      expect(checks.verifier.context_tokens).toBe(context);
      return checks.verifier.detail;
    };
    const { max_tokens } = DEFAULT_SPEC.judge;
    expect(await detailOf(max_tokens)).toContain(`leaves no room for a prompt with judge.max_tokens = ${max_tokens}`);
    expect(await detailOf(max_tokens + 1)).toBeUndefined();
  });
});

it("the gateway's own refusal of a key names the edge's variable, and a fallback's its own", async () => {
  const { badly } = await behind("verify", answer("\\boxed{A}"));
  const { post } = setUp({ verifier: badly as Verifier });
  const { warnings } = (await (await post("/v1/rewards", twoRollouts())).json()) as { warnings: string[] };
  expect(warnings).toContain("verifier_refused: status 401, key refused: VERIFIER_API_KEY");
  const closed = await startMockVerifier(() => status(401), { health_status: 401 });
  ends.push(() => closed.close());
  const backend = { protocol: "openai", url: closed.url, model: "mock-model" };
  const both = createVerifier(
    [
      { ...backend, name: "a" },
      { ...backend, name: "b" },
    ],
    { hedging: false },
    clock,
  );
  expect((await both.check()).backends?.map(({ detail }) => detail)).toEqual([
    "key refused: VERIFIER_API_KEY",
    "key refused: VERIFIER_FALLBACKS[0].api_key",
  ]);
});
