// Holds what the verify adapter guarantees of its connections: closed when cancelled, bounded in
// number, used again, and few against a dead gateway.
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import type { Generation } from "../../src/core/wire/questions.ts";
import { createGatewayVerifier } from "../../src/verifier/gateway/adapter.ts";
import { silence } from "../harness/mock-behaviours.ts";
import { accepted, answers, broken, done, events, failure, line, samplesOf, verdict } from "../harness/mock-gateway.ts";
import type { Behaviour } from "../harness/mock-verifier.ts";
import { callWith, expectedKeys, pairsJob, reportedKeys } from "../port-contracts/verifier.contract.ts";
import { ManualTime, withGateway } from "./gateway-setup.ts";
import { clock, deadUrl, gate } from "./setup.ts";

const anySignal = () => new AbortController().signal;

const codesOf = (reported: readonly Generation[]) => reported.map(({ error }) => error);

describe("cancellation", () => {
  it.each<[string, Behaviour | null]>([
    ["waits for headers", silence()],
    ["is in the middle of its reply", null],
  ])("closes the connection of a gateway that %s", (_, behaviour) =>
    withGateway(
      (asked) => behaviour ?? broken("silence", [accepted(asked)]),
      async (gateway, verifier) => {
        const controller = new AbortController();
        const session = verifier.session(callWith(controller.signal));
        const codes: (string | null)[] = [];
        const judging = Promise.all(
          ["x", "y"].map((name) => session.judge(pairsJob(3, 1, name), ({ error }) => codes.push(error))),
        );
        await gateway.mock.until(({ counters }) => counters.open === 2);
        controller.abort(new Error("cancelled"));
        await judging;
        expect(codes).toEqual(Array(6).fill("cancelled"));
        await gateway.mock.until(({ counters }) => counters.client_closed === 2);
      },
    ),
  );

  it("keeps what came before, and gives the rest the abort's reason, a second request pending or not", async () => {
    const time = new ManualTime();
    await withGateway(
      (asked) => {
        const [a, b] = samplesOf(asked) as [never, never];
        return events([verdict(a), failure(b, "verifier_unavailable", true), done]);
      },
      async (_, verifier) => {
        const controller = new AbortController();
        const reported: Generation[] = [];
        const judging = verifier
          .session(callWith(controller.signal))
          .judge(pairsJob(2, 2), (generation) => reported.push(generation));
        await time.armed(0);
        controller.abort("deadline");
        await judging;
        expect(codesOf(reported)).toEqual([null, "deadline"]);
        expect(time.pending).toEqual([]);
      },
      // A random number of 0 makes the back-off 0 ms long.
      { schedule: time.schedule, random: () => 0 },
    );
  });

  it("of one job by a sink that throws closes its connection and leaves the others alone", () =>
    withGateway(
      (asked) => {
        if (asked.groups[0]?.question.includes("good")) return answers(asked);
        const [a] = samplesOf(asked) as [never];
        return broken("silence", [verdict(a)]);
      },
      async (gateway, verifier) => {
        const session = verifier.session(callWith(anySignal()));
        const failing = session.judge(pairsJob(2, 2, "bad"), () => {
          throw new Error("sink");
        });
        const good: Generation[] = [];
        await Promise.all([
          expect(failing).rejects.toThrow("sink"),
          session.judge(pairsJob(3, 1, "good"), (generation) => good.push(generation)),
        ]);
        expect(codesOf(good)).toEqual([null, null, null]);
        await gateway.mock.until(({ counters }) => counters.client_closed === 1);
      },
    ));
});

describe("bounds", () => {
  it("256 groups at once: never more than 6 wait for headers, then all are open together, each sample reported once", () => {
    const { opened, open } = gate();
    return withGateway(
      (asked) => async (reply) => {
        reply.head(200, { "content-type": "application/x-ndjson" });
        await opened;
        reply.end([accepted(asked), ...samplesOf(asked).map((sample) => verdict(sample)), done].map(line).join(""));
      },
      async (gateway, verifier) => {
        const session = verifier.session(callWith(anySignal()));
        const judging = Promise.all(
          Array.from({ length: LIMITS.groups_max }, async (_, g) => {
            const job = pairsJob(4, 1, `group ${g}`);
            const own: Generation[] = [];
            await session.judge(job, (generation) => own.push(generation));
            expect(reportedKeys(own).sort()).toEqual(expectedKeys(job).sort());
          }),
        );
        await gateway.mock.until(({ counters }) => counters.open === LIMITS.groups_max);
        open();
        await judging;
        expect(session.stats).toMatchObject({ requests: 256, retries: 0, in_flight_max: 256 });
        expect(session.stats.headers_waiting_max).toBe(LIMITS.headers_waiting_max);
        expect(gateway.mock.counters.waiting_for_headers_max).toBeLessThanOrEqual(LIMITS.headers_waiting_max);
      },
    );
  });

  it("connections are used again, since every reply is read to its end", () =>
    withGateway(
      (asked) => answers(asked),
      async (gateway, verifier) => {
        const session = verifier.session(callWith(anySignal()));
        for (let g = 0; g < 20; g++) await session.judge(pairsJob(4, 1, `group ${g}`), () => {});
        // Node's client may open a second one before the first is back in its pool.
        expect(gateway.mock.counters.connections).toBeLessThanOrEqual(2);
      },
    ));

  it("64 groups against a dead host end after a handful of attempts", async () => {
    const verifier = createGatewayVerifier({ url: await deadUrl(), model: null, apiKey: null }, clock);
    const session = verifier.session(callWith(anySignal()));
    const codes = new Map<string | null, number>();
    await Promise.all(
      Array.from({ length: 64 }, () =>
        session.judge(pairsJob(16), ({ error }) => {
          codes.set(error, (codes.get(error) ?? 0) + 1);
        }),
      ),
    );
    expect([...codes]).toEqual([["verifier_unavailable", 7680]]);
    expect(session.stats.requests).toBeLessThanOrEqual(60);
  });
});
