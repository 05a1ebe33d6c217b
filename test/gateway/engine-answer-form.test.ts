// Holds that an engine whose stream brings few tokens an event is asked for answers whole, and is asked
// for streams again where that does not work.
import { describe, expect, it } from "vitest";
import type { EnginePool } from "../../gpu-backend/gateway/engines/port.ts";
import { SUCCESSES_TO_RETURN } from "../../gpu-backend/gateway/engines/replica-health.ts";
import { boxAnchor } from "../../src/core/judges/parsers/boxed.ts";
import { answer, chunk, cut, document, event, silence, status, usageChunk } from "../harness/mock-behaviours.ts";
import type { Behaviour, MockOptions, MockVerifier } from "../harness/mock-verifier.ts";
import { callWith, HEALTH_MS, type ManualTimers, withPool } from "./engine-setup.ts";

const FINE_ANSWERS = 8;
const LABEL = "\\boxed{A}";
/** One token an event, as engines stream by default. */
const fine: Behaviour = answer(`${"a b c d ".repeat(20)}${LABEL}`, { piece: 2, usage: null });
const whole = document({ content: LABEL });

/** Runs a test against a pool of one engine that answers whole as `asked` says, once it is asked so. */
async function asksWhole(
  asked: Behaviour,
  test: (pool: EnginePool, mock: MockVerifier, timers: ManualTimers) => Promise<void>,
  mock: MockOptions = {},
): Promise<void> {
  await withPool(
    ({ body }) => (body.stream ? fine : asked),
    async (pool, [engine], timers) => {
      for (let i = 0; i < FINE_ANSWERS; i++) {
        expect(await pool.generate(callWith({ seed: i }))).toMatchObject({ error: null });
      }
      await test(pool, engine as MockVerifier, timers);
    },
    { mock },
  );
}

const streamed = ({ log }: MockVerifier, from = FINE_ANSWERS) => log.slice(from).map(({ body }) => body.stream);

describe("an engine that sends one token an event", () => {
  it("is asked for answers whole after a few, and the readiness says so", () =>
    asksWhole(whole, async (pool, mock) => {
      expect(streamed(mock, 0)).toEqual(Array(FINE_ANSWERS).fill(true));
      const got = await pool.generate(callWith());
      expect(got).toMatchObject({ answer: LABEL, error: null, prompt_tokens: 5, completion_tokens: 3 });
      expect(got.first_token_ms).toBeNull();
      const last = mock.log.at(-1)?.body;
      expect(last?.stream).toBe(false);
      expect(last).not.toHaveProperty("stream_options");
      const { ok, detail } = await pool.ready();
      expect(ok).toBe(true);
      expect(detail).toContain("--stream-interval 256");
    }));

  it("is asked for a stream where probabilities are read", () =>
    asksWhole(whole, async (pool, mock) => {
      await pool.generate(callWith({ anchor: boxAnchor(["A", "B"]) }));
      expect(streamed(mock)).toEqual([true]);
    }));

  it("whose probabilities alone are read is asked for streams, and the readiness says no other", async () => {
    const token = { token: "A", logprob: 0, top_logprobs: [{ token: "A", logprob: 0 }] };
    const piece = event({ choices: [{ index: 0, delta: { content: "A" }, logprobs: { content: [token] } }] });
    const soft: Behaviour = (reply) =>
      reply.whole(200, { "content-type": "text/event-stream" }, `${piece.repeat(9)}${chunk({}, "stop")}`);
    await withPool(
      () => soft,
      async (pool) => {
        for (let seed = 0; seed < 2 * FINE_ANSWERS; seed++) {
          const anchor = boxAnchor(["A", "B"]);
          expect(await pool.generate(callWith({ seed, anchor }))).toMatchObject({ error: null });
        }
        expect((await pool.ready()).detail).not.toContain("--stream-interval");
      },
    );
  });

  it("whose answer is longer than was asked for has been cut", () =>
    asksWhole(whole, async (pool) => {
      expect(await pool.generate(callWith({ max_tokens: 2 }))).toMatchObject({ finish_reason: "length" });
    }));

  it.each([
    ["breaks off a whole answer", cut("reset")],
    ["answers it by a gateway's time-out", status(504)],
    ["refuses it", status(400, {}, { message: "only stream mode is supported" })],
  ])("and %s is asked for streams again", (_, refuses) =>
    asksWhole(refuses, async (pool, mock, timers) => {
      const running = pool.generate(callWith());
      while (pool.in_flight > 0) {
        timers.fire(50);
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(await running).toMatchObject({ error: null });
      for (let i = 0; i < 2 * FINE_ANSWERS; i++) await pool.generate(callWith({ seed: 100 + i }));
      expect(streamed(mock)).toEqual([false, ...Array(2 * FINE_ANSWERS + 1).fill(true)]);
    }),
  );

  it("and refuses a question in either form is asked for others whole", async () => {
    const refused = status(400, {}, { message: "no such image" });
    await withPool(
      ({ body }) => (body.seed === 99 ? refused : body.stream ? fine : whole),
      async (pool, [mock]) => {
        for (let i = 0; i < FINE_ANSWERS; i++) await pool.generate(callWith({ seed: i }));
        expect(await pool.generate(callWith({ seed: 99 }))).toMatchObject({ error: "verifier_rejected" });
        await pool.generate(callWith());
        expect(streamed(mock as MockVerifier)).toEqual([false, true, false]);
      },
    );
  });

  it("is waited for while it passes its checks, and given up when it fails them for long", async () => {
    const health = { health_status: 200 };
    await asksWhole(
      silence(),
      async (pool, mock, timers) => {
        const running = pool.generate(callWith());
        await mock.until(({ log }) => log.length > FINE_ANSWERS);
        for (let i = 0; i < 100; i++) await timers.turn(HEALTH_MS);
        expect(pool.in_flight).toBe(1);
        health.health_status = 503;
        for (let i = 0; i < 16; i++) await timers.turn(HEALTH_MS);
        await mock.until(({ counters }) => counters.client_closed === 1);
        health.health_status = 200;
        await timers.armed(50);
        timers.fire(50);
        for (let i = 0; i < SUCCESSES_TO_RETURN; i++) await timers.turn(HEALTH_MS);
        expect(await running).toMatchObject({ error: null });
        expect(streamed(mock)).toEqual([false, true]);
      },
      health,
    );
  });
});

it("an engine that sends many tokens an event is asked for streams", async () => {
  const events = [chunk({ content: "a" }), chunk({ content: "b" }), chunk({ content: LABEL }, "stop")];
  const coarse: Behaviour = (reply) =>
    reply.whole(
      200,
      { "content-type": "text/event-stream" },
      [...events, usageChunk(9, 300), event("[DONE]")].join(""),
    );
  await withPool(
    () => coarse,
    async (pool, [mock]) => {
      for (let i = 0; i < 3 * FINE_ANSWERS; i++) await pool.generate(callWith({ seed: i }));
      expect(streamed(mock as MockVerifier, 0)).toEqual(Array(3 * FINE_ANSWERS).fill(true));
      expect((await pool.ready()).detail).not.toContain("--stream-interval");
    },
  );
});
