// Holds the effects of a real vLLM's troubles while answers of random length are under way: tokens of cut
// answers are counted, an engine that is killed or shuts down costs its group nothing, and one that comes
// back gets work again.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collect, eventsOf } from "../../gateway/replies.ts";
import { comparison, group, only, pairs, request } from "../../gateway/requests.ts";
import { withGateway } from "./setup.ts";
import { deadline_ms, edge, post, type Reply, rollouts, withEngines } from "./vllm-edge.ts";
import { killAllServers, startVllm, until, VLLM, type VllmServer } from "./vllm-server.ts";

const MODEL = "rambling";
/** Tokens of one event of a stream, as the launch script has it. */
const STREAM_TOKENS = 256;
const JUDGE = { temperature: 1, top_p: 1, max_tokens: 3_000 };
/** Long enough for answers that outlast all that a test looks at. */
const SETTINGS = { CONTEXT_TOKENS: "32768", ANSWER_TOKENS: "32000" };
const HOLDING = { temperature: 1, min_tokens: 30_000, max_tokens: 30_000, stream: true };
/** Requests at once: one alone is over within a minute on a quiet machine. */
const HELD = 8;

describe.skipIf(VLLM === null)("a real vLLM in trouble", () => {
  let first: VllmServer;
  let second: VllmServer;
  const start = (port?: number) => startVllm(MODEL, { settings: SETTINGS, ...(port !== undefined && { port }) });
  beforeAll(async () => {
    [first, second] = await Promise.all([start(), start()]);
  });
  afterAll(killAllServers);

  const running = (server: VllmServer) => server.metric("vllm:num_requests_running");
  const generated = (server: VllmServer) => server.metric("vllm:generation_tokens_total");
  /** Groups of four, of six generations each, that no cache holds. */
  let asked = 0;
  const groupsOf = (n: number) =>
    Array.from({ length: n }, () => ({ prompt: `Print the sum. Task ${asked++}.`, rollouts: rollouts(4) }));
  const body = (n: number) => ({ deadline_ms, spec: { judge: JUDGE }, groups: groupsOf(n) });

  /** Every generation of every group was answered, in good form, and every rollout has a reward. */
  function expectNothingLost({ rewards, groups }: Reply): void {
    for (const { verifier } of groups) expect(verifier).toMatchObject({ generations: 6, parsed: 6, failed: 0 });
    for (const row of rewards) expect(row.reduce<number>((sum, one) => sum + (one ?? Number.NaN), 0)).toBeCloseTo(2, 9);
  }

  it("has as many tokens as the gateway counts, where none is cut", () =>
    withGateway({ url: first.url, model: MODEL }, async (url) => {
      const before = await generated(first);
      const asks = request([group("g", 2, [comparison(0, [0, 1], { samples: 8 })])], {
        deadline_ms,
        sampling: { ...JUDGE, seed: 1 },
      });
      const events = await collect(eventsOf((await post(`${url}/v1/verify`, asks)).body));
      expect(only(events, "verdict")).toHaveLength(8);
      expect(only(events, "done")[0]?.usage.completion_tokens).toBe((await generated(first)) - before);
    }));

  it("is counted to the last event that came of answers that a majority cut", () =>
    withGateway({ url: first.url, model: MODEL }, async (url) => {
      const uncounted: number[] = [];
      // The best of three: the tokens that an engine generates until it learns of the end depend on the
      // machine.
      for (let seed = 1; seed <= 3 && uncounted.every((tokens) => tokens > 2 * STREAM_TOKENS); seed++) {
        const before = await generated(first);
        const question = comparison(0, [0, 1], { samples: 15, stop: "majority" });
        const asks = request([group("g", 2, [question])], { deadline_ms, sampling: { ...JUDGE, seed } });
        const events = await collect(eventsOf((await post(`${url}/v1/verify`, asks)).body));
        const cut = 15 - only(events, "verdict").length;
        expect(cut).toBeGreaterThan(0);
        await until(async () => (await running(first)) === 0);
        const [tokens, counted] = [
          (await generated(first)) - before,
          only(events, "done")[0]?.usage.completion_tokens ?? 0,
        ];
        expect(counted).toBeLessThanOrEqual(tokens);
        uncounted.push((tokens - counted) / cut);
        console.log(
          `${cut} cut: ${counted} of ${tokens} tokens counted, ${uncounted.at(-1)?.toFixed(1)} a cut answer not`,
        );
      }
      expect(Math.min(...uncounted)).toBeLessThanOrEqual(2 * STREAM_TOKENS);
    }));

  it("dies in mid-stream, and its backend's fallback answers all of it", async () => {
    const backends = [first, second].map(({ url }) => ({ protocol: "openai", url, model: MODEL }));
    const app = edge(...(backends as [(typeof backends)[0]]));
    const asking = app.post("/v1/rewards", body(2));
    await until(async () => (await running(first)) >= 6);
    first.killEngine();
    const reply = (await (await asking).json()) as Reply;
    expectNothingLost(reply);
    const rows = app.runLog.entries[0]?.groups.flatMap(({ verdicts }) => verdicts) ?? [];
    expect(rows.filter(({ backend }) => backend === "fallback-1").length).toBeGreaterThan(0);
    console.log(`answered by ${rows.map(({ backend }) => (backend === "verifier" ? "1" : "2")).join("")}`);
    await first.kill();
    first = await start(first.port);
  });

  const chat = (server: VllmServer, more: object, signal?: AbortSignal) => {
    const messages = [{ role: "user", content: "Are you there?" }];
    return post(`${server.url}/v1/chat/completions`, { model: MODEL, messages, max_tokens: 1, ...more }, signal);
  };

  /** Has a server shut down that cannot, for what it still generates, until the test has looked. */
  async function whileShuttingDown(server: VllmServer, look: () => Promise<void>): Promise<void> {
    const hold = new AbortController();
    // Read, or it would be dropped with everything unreferenced.
    const holding = await Promise.all(Array.from({ length: HELD }, () => chat(server, HOLDING, hold.signal)));
    expect(holding.map(({ status }) => status)).toEqual(holding.map(() => 200));
    const held = Promise.all(holding.map((response) => response.text().catch(() => "gone")));
    server.terminate();
    await until(async () => (await chat(server, {})).status >= 500);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    await look();
    hold.abort();
    expect(await held).toContain("gone");
    await server.ended();
  }

  it("shuts down: gets next to no questions, is called failing, and is asked again when it is back", () =>
    withEngines({ urls: [first.url, second.url], model: MODEL }, async ({ url, ready }) => {
      const app = edge({ protocol: "verify", url });
      const judged = async (n: number) =>
        expectNothingLost((await (await app.post("/v1/rewards", body(n))).json()) as Reply);
      const refused = () => first.metric("http_requests_total", 'status="5xx"');
      const begun = judged(3);
      await until(async () => (await running(first)) >= 4);
      await whileShuttingDown(first, async () => {
        await until(async () => {
          await judged(3);
          const { detail } = await ready();
          if (!first.running) throw new Error(`it had gone before it was called failing: ${detail}`);
          // On a busy machine its checks come too late as well.
          return /^1 of 2 engines serve the model \((failing|unhealthy)\)$/.test(detail ?? "");
        });
        const before = await refused();
        await judged(6);
        // One question after each rest, and the rests grow.
        const more = (await refused()) - before;
        console.log(`${more} of 36 questions went to the engine that shuts down`);
        expect(more).toBeLessThanOrEqual(3);
        await begun;
      });
      first = await start(first.port);
      await until(async () => {
        await judged(3);
        return (await first.metric("vllm:request_success_total")) > 3;
      });
      expect((await ready()).detail).toBe("2 of 2 engines serve the model");
    }));

  it("is killed in mid-stream, and the gateway's other engine answers all of it", () =>
    withEngines({ urls: [first.url, second.url], model: MODEL }, async ({ url }) => {
      const asking = edge({ protocol: "verify", url }).post("/v1/rewards", body(4));
      await until(async () => (await running(first)) >= 4);
      await first.kill();
      expectNothingLost((await (await asking).json()) as Reply);
    }));

  it("shuts down alone: the gateway is not ready once questions have failed", () =>
    withEngines({ urls: [second.url], model: MODEL }, ({ url, ready }) =>
      whileShuttingDown(second, () =>
        until(async () => {
          const sampling = { ...JUDGE, seed: 1 };
          const asks = request([group(`g${asked++}`, 3, pairs(3))], { sampling });
          const events = await collect(eventsOf((await post(`${url}/v1/verify`, asks)).body));
          expect(only(events, "verdict")).toEqual([]);
          const { ok, detail } = await ready();
          if (!second.running) throw new Error(`it had gone before it was called failing: ${detail}`);
          return !ok && /^0 of 1 engines serve the model \((failing|unhealthy)\)$/.test(detail ?? "");
        }),
      ),
    ));
});
