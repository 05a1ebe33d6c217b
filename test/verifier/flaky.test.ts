// Holds that a backend that fails now and then, or for a while, bends no reward while there is time
// left, and what it costs the backend.
import { describe, expect, it } from "vitest";
import { createEnginePool } from "../../gpu-backend/gateway/engines/create.ts";
import { createGatewayServer } from "../../gpu-backend/gateway/http/server.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import type { Clock, Verifier } from "../../src/ports/ports.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import { Backend } from "../../src/verifier/fan-out/backend.ts";
import { createFallbackVerifier } from "../../src/verifier/fan-out/fallback.ts";
import { createGatewayVerifier } from "../../src/verifier/gateway/adapter.ts";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import { answer, answerEvents, reset, status } from "../harness/mock-behaviours.ts";
import { startMockVerifier } from "../harness/mock-verifier.ts";
import { VirtualTime } from "../harness/virtual-time.ts";
import { judged, pairsJob } from "../port-contracts/verifier.contract.ts";
import { clock } from "./setup.ts";

const GROUPS = 20;
const ROLLOUTS = 5;
const QUESTIONS = (GROUPS * ROLLOUTS * (ROLLOUTS - 1)) / 2;

const REQUEST = RewardsRequestSchema.parse({
  deadline_ms: 120_000,
  groups: Array.from({ length: GROUPS }, (_, g) => ({
    prompt: `Print a number above ${g}.`,
    rollouts: Array.from({ length: ROLLOUTS }, (_, r) => ({
      text: `\`\`\`python\nprint(${(r * 7 + g) % 11})\n\`\`\``,
    })),
  })),
});

/** The letter by a hash of the question, so that a reward depends on every verdict. */
const letterOf = (body: { seed: number }) => `\\boxed{${hashText(body.seed)[0] % 2 === 0 ? "A" : "B"}}`;

async function rewardsOf(verifier: Verifier, time: Clock) {
  const spec = SpecSchema.parse({});
  const batch = { request: REQUEST, spec, started_ms: time.now(), signal: new AbortController().signal };
  const { reply, session } = await scoreBatch({ verifier, clock: time }, batch);
  return { rewards: reply.rewards, groups: reply.groups, session };
}

/** The fault of a request sent at `now`, the `attempt`-th of its question. */
type Fault = (about: { now: number; seed: number; attempt: number }) => "503" | "500" | "reset" | "cut" | null;

const sse = (events: readonly string[]) =>
  new Response(events.join(""), { headers: { "content-type": "text/event-stream" } });

/** An engine in virtual time, its answers 200 ms long. */
function engineIn(time: VirtualTime, fault: Fault) {
  const counts = { requests: 0, faults: 0 };
  const attempts = new Map<number, number>();
  const fetcher: typeof fetch = async (_, init) => {
    const { seed } = JSON.parse(String(init?.body)) as { seed: number };
    const attempt = (attempts.get(seed) ?? 0) + 1;
    attempts.set(seed, attempt);
    counts.requests++;
    const met = fault({ now: time.clock.now(), seed, attempt });
    await time.sleep(met === null ? 200 : 3);
    if (met === null) return sse(answerEvents(letterOf({ seed })));
    counts.faults++;
    if (met === "reset") throw new TypeError("connection reset");
    return met === "cut" ? sse(answerEvents("so far").slice(0, 2)) : new Response("no", { status: Number(met) });
  };
  return { counts, fetcher };
}

function openAiOn(time: VirtualTime, fault: Fault, name = "verifier") {
  const { counts, fetcher } = engineIn(time, fault);
  const backend = new Backend({ name, hedging: false });
  const config = { url: `http://${name}`, model: "m", apiKey: null, backend, fetch: fetcher };
  const random = createRandom([5, 6, 7, 8]);
  const { schedule } = time;
  return { counts, verifier: createOpenAiVerifier({ ...config, schedule, random }, time.clock) };
}

const faultless = async () => {
  const time = new VirtualTime(0);
  const { verifier } = openAiOn(time, () => null);
  return (await time.until(() => rewardsOf(verifier, time.clock))).rewards;
};

/** The same share of all requests, drawn by question and attempt. */
const share =
  (percent: number, kind: "503" | "500" | "reset" | "cut"): Fault =>
  ({ seed, attempt }) =>
    hashText("fault", seed, attempt)[0] % 100 < percent ? kind : null;

describe("a verifier that fails now and then (openai)", () => {
  it.each([
    [10, "503"],
    [25, "503"],
    [25, "500"],
    [25, "reset"],
    [25, "cut"],
  ] as const)(
    "at %i per cent of calls (%s): no reward is other than the right one, and none is null",
    async (percent, kind) => {
      const time = new VirtualTime(0);
      const { counts, verifier } = openAiOn(time, share(percent, kind));
      const { rewards, groups } = await time.until(() => rewardsOf(verifier, time.clock));
      expect(rewards).toEqual(await faultless());
      expect(groups.every(({ status, verifier: { failed } }) => status === "ok" && failed === 0)).toBe(true);
      expect(counts.faults).toBeGreaterThan((QUESTIONS * percent) / 150);
      expect(counts.requests - counts.faults).toBe(QUESTIONS);
      expect(time.clock.now()).toBeLessThan(120_000);
    },
  );
});

describe("a verifier that is gone for a while (openai)", () => {
  it.each([
    [2_500, "reset"],
    [15_000, "reset"],
    [60_000, "reset"],
    [15_000, "503"],
    [60_000, "500"],
  ] as const)(
    "%i ms (%s): everything is asked again once it is back, at once, and little before",
    async (gone_ms, kind) => {
      const time = new VirtualTime(0);
      let firstGood: number | null = null;
      const { counts, verifier } = openAiOn(time, ({ now }) => {
        if (now < gone_ms) return kind;
        firstGood ??= now;
        return null;
      });
      const { rewards } = await time.until(() => rewardsOf(verifier, time.clock));
      expect(rewards).toEqual(await faultless());
      expect((firstGood ?? Number.NaN) - gone_ms).toBeLessThanOrEqual(1_000);
      expect(counts.requests - counts.faults).toBe(QUESTIONS);
      // A burst, then the budget's two a second.
      expect(counts.faults).toBeLessThanOrEqual(40 + gone_ms / 500);
    },
  );

  it("says at the deadline why there is no verdict", async () => {
    const time = new VirtualTime(0);
    const controller = new AbortController();
    const { verifier } = openAiOn(time, () => "reset");
    const session = verifier.session({
      ...{ form: "exact_match", model: null, temperature: 1, top_p: 1, max_tokens: 9, seed: 1 },
      signal: controller.signal,
      deadline_at: 20_000,
    });
    time.schedule(() => controller.abort("deadline"), 20_000);
    const codes: (string | null)[] = [];
    const questions = Array.from({ length: 60 }, (_, id) => ({ id, shown: [0, 1], samples: 1 }));
    const about = { to: "chat", preset: "code-select" } as const;
    const job = { ...about, question: "?", language: null, candidates: ["a", "b"], questions };
    await time.until(() => session.judge(job, ({ error }) => codes.push(error)));
    expect(time.clock.now()).toBeGreaterThanOrEqual(18_000);
    expect(new Set(codes)).toEqual(new Set(["verifier_unavailable"]));
  });
});

describe("a question that fails by itself (openai)", () => {
  it.each([
    ["a 400", "400", 1],
    ["a 500 while others are answered", "500", LIMITS.question_failures_max],
  ] as const)("by %s is given up, and its neighbours are not hurt", async (_, code, tries) => {
    const time = new VirtualTime(0);
    const poison = new Map<number, number>();
    const { fetcher } = engineIn(time, () => null);
    const poisoned: typeof fetch = async (url, init) => {
      const body = JSON.parse(String(init?.body)) as { seed: number; messages: { content: string }[] };
      if (!body.messages.at(-1)?.content.includes("print(3)")) return fetcher(url, init);
      poison.set(body.seed, (poison.get(body.seed) ?? 0) + 1);
      await time.sleep(3);
      return new Response("no", { status: Number(code) });
    };
    const backend = new Backend({ name: "verifier", hedging: false });
    const { schedule } = time;
    const config = { url: "http://v", model: "m", apiKey: null, backend, fetch: poisoned, schedule };
    const verifier = createOpenAiVerifier({ ...config, random: createRandom(3) }, time.clock);
    // Other requests on the same backend; with an open breaker they fail at once.
    let over = false;
    const neighbour = async (name: string) => {
      for (let n = 0; !over; n++) {
        await judged(verifier, pairsJob(2, 1, `${name} ${n}`));
        await time.sleep(1);
      }
    };
    const neighbours = Promise.all(["a", "b", "c"].map(neighbour));
    const { groups } = await time.until(() => rewardsOf(verifier, time.clock));
    over = true;
    await time.until(neighbours);
    const errors = groups.flatMap(({ rollouts }) => rollouts.map(({ error }) => error));
    expect(errors).toContain(code === "400" ? "verifier_rejected" : "verifier_unavailable");
    expect(errors).toContain(null);
    expect(poison.size).toBeGreaterThan(10);
    // Only a failure since which another question was answered counts.
    expect(Math.min(...poison.values())).toBeGreaterThanOrEqual(tries);
    expect(Math.max(...poison.values())).toBeLessThan(2 * tries);
    // Given up before the deadline.
    expect(time.clock.now()).toBeLessThan(120_000);
  });
});

describe("two backends", () => {
  it("are asked in turn until one is back, when both are gone", async () => {
    const time = new VirtualTime(0);
    const fault =
      (back_ms: number): Fault =>
      ({ now }) =>
        now < back_ms ? "reset" : null;
    const first = openAiOn(time, fault(20_000), "first");
    const second = openAiOn(time, fault(Number.POSITIVE_INFINITY), "second");
    const verifier = createFallbackVerifier([first.verifier, second.verifier], time.clock, time.schedule);
    const { rewards } = await time.until(() => rewardsOf(verifier, time.clock));
    expect(rewards).toEqual(await faultless());
    expect(time.clock.now()).toBeLessThan(40_000);
  });
});

describe("a verifier that fails now and then (verify)", () => {
  it.each([
    [10, "503"],
    [25, "503"],
    [25, "500"],
    [25, "reset"],
  ] as const)(
    "at %i per cent of the engine's calls (%s): no reward is other than the right one, and none is null",
    async (percent, kind) => {
      const faults = { "503": status(503), "500": status(500), reset: reset(), cut: reset() };
      let struck = 0;
      const engine = await startMockVerifier(({ body, attempt }) => {
        const met = share(percent, kind)({ now: 0, seed: body.seed, attempt });
        if (met !== null) struck++;
        return met === null ? answer(letterOf(body)) : faults[met];
      });
      const pool = createEnginePool({ urls: [engine.url], model: "m", apiKey: null, random: createRandom(4) });
      const { server } = createGatewayServer({ pool });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = server.address();
      const port = typeof address === "object" ? address?.port : null;
      try {
        const verifier = createGatewayVerifier({ url: `http://127.0.0.1:${port}`, model: null, apiKey: null }, clock);
        const { rewards, session } = await rewardsOf(verifier, clock);
        expect(rewards).toEqual(await faultless());
        expect(struck).toBeGreaterThan((QUESTIONS * percent) / 150);
        expect(engine.log.length - struck).toBe(QUESTIONS);
        // It is the gateway that asks again: the edge sends each group once.
        expect(session).toMatchObject({ requests: GROUPS, retries: 0 });
      } finally {
        await pool.close();
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
        await engine.close();
      }
    },
  );
});
