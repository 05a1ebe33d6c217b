// Holds what the verify adapter guarantees when things go wrong: refusals, cut and silent streams.
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import type { Generation, VerifierJob } from "../../src/core/wire/questions.ts";
import { reset, silence, status } from "../harness/mock-behaviours.ts";
import {
  accepted,
  answers,
  broken,
  done,
  events,
  failure,
  heartbeat,
  line,
  samplesOf,
  verdict,
} from "../harness/mock-gateway.ts";
import type { Behaviour } from "../harness/mock-verifier.ts";
import { callWith, expectedKeys, judged, pairsJob, reportedKeys } from "../port-contracts/verifier.contract.ts";
import { ManualTime, withGateway } from "./gateway-setup.ts";
import { clock, gate, instantTimer } from "./setup.ts";

const anySignal = () => new AbortController().signal;

const withMajority = (job: VerifierJob): VerifierJob => ({
  ...job,
  questions: job.questions.map((question) => ({ ...question, stop: "majority" })),
});

const codesOf = (reported: readonly Generation[]) => reported.map(({ error }) => error);

describe("a refusal", () => {
  it.each<[string, Behaviour]>([
    ["429", status(429)],
    ["502", status(502)],
    ["503", status(503)],
    ["504", status(504)],
    ["a reset before the headers", reset()],
  ])("by %s is asked again, and the answer counts", async (_, behaviour) => {
    const { schedule } = instantTimer();
    await withGateway(
      (asked, index) => (index < LIMITS.retries_max ? behaviour : answers(asked)),
      async (gateway, verifier) => {
        const { reported, stats } = await judged(verifier, pairsJob(3));
        expect(codesOf(reported)).toEqual([null, null, null]);
        expect(stats).toMatchObject({ requests: 3, retries: 2 });
        expect(gateway.requests[2]?.groups).toEqual(gateway.requests[0]?.groups);
      },
      { schedule },
    );
  });

  it.each<[Behaviour, string]>([
    [status(429), "verifier_overloaded"],
    [status(502), "verifier_unavailable"],
    [reset(), "verifier_unavailable"],
  ])("that never ends is given up after retries_max and named", async (behaviour, error) => {
    const { schedule } = instantTimer();
    await withGateway(
      () => behaviour,
      async (gateway, verifier) => {
        const { reported } = await judged(verifier, pairsJob(3));
        expect(codesOf(reported)).toEqual([error, error, error]);
        expect(gateway.mock.log).toHaveLength(1 + LIMITS.retries_max);
      },
      { schedule },
    );
  });

  it("is waited out as long as Retry-After says, where the deadline allows, else not at all", async () => {
    const { schedule, waits } = instantTimer();
    await withGateway(
      (asked, index) => (index % 2 === 0 ? status(429, { "retry-after": "7" }) : answers(asked)),
      async (gateway, verifier) => {
        expect((await judged(verifier, pairsJob(2))).reported).toMatchObject([{ error: null }]);
        expect(waits).toEqual([7000]);
        const reported: Generation[] = [];
        const call = callWith(anySignal(), { deadline_at: clock.now() + 6_000 });
        await verifier.session(call).judge(pairsJob(2), (generation) => reported.push(generation));
        expect(codesOf(reported)).toEqual(["verifier_overloaded"]);
        expect(gateway.requests).toHaveLength(3);
      },
      { schedule, random: () => 0 },
    );
  });

  it("of one group leaves its neighbours alone", () =>
    withGateway(
      (asked) => (asked.groups[0]?.question.includes("bad") ? status(400) : answers(asked)),
      async (_, verifier) => {
        const session = verifier.session(callWith(anySignal()));
        const codes = await Promise.all(
          ["good", "bad", "fine"].map(async (name) => {
            const own: Generation[] = [];
            await session.judge(pairsJob(2, 1, name), (generation) => own.push(generation));
            return own[0]?.error;
          }),
        );
        expect(codes).toEqual([null, "verifier_rejected", null]);
      },
    ));
});

describe("a reply that breaks off", () => {
  /** Verdicts on the first `count` samples, then the end by `how`. */
  const partial =
    (how: Parameters<typeof broken>[0], count: number) =>
    (asked: Parameters<typeof accepted>[0]): Behaviour => {
      const given = samplesOf(asked).slice(0, count);
      return broken(how, [accepted(asked), ...given.map((sample) => verdict(sample))]);
    };

  it.each(["reset", "end"] as const)("by %s: only what is missing is asked once more", async (how) => {
    const { schedule } = instantTimer();
    await withGateway(
      (asked, index) => (index === 0 ? partial(how, 4)(asked) : answers(asked)),
      async (gateway, verifier) => {
        const job = withMajority(pairsJob(3, 3));
        const { reported, stats } = await judged(verifier, job);
        expect(reportedKeys(reported).sort()).toEqual(expectedKeys(job).sort());
        expect(codesOf(reported)).toEqual(Array(9).fill(null));
        expect(stats).toMatchObject({ requests: 2, retries: 1 });
        const [first, second] = gateway.requests.map(({ groups }) => groups[0]);
        expect(first?.comparisons.map(({ stop }) => stop)).toEqual(["majority", "majority", "majority"]);
        // One sample of the second comparison is known: the gateway cannot count it, so it must run
        // the other two.
        expect(second?.comparisons).toEqual([
          { id: 0, order: [0, 2], samples: 2, first_sample: 1, stop: "all" },
          { id: 1, order: [1, 2], samples: 3, first_sample: 0, stop: "majority" },
        ]);
      },
      { schedule },
    );
  });

  it("twice is given up: what came is kept, the rest named", async () => {
    const { schedule } = instantTimer();
    for (const [how, code] of [
      ["reset", "verifier_unavailable"],
      ["end", "verifier_bad_reply"],
    ] as const) {
      await withGateway(
        (asked) => partial(how, 1)(asked),
        async (gateway, verifier) => {
          const { reported } = await judged(verifier, pairsJob(3));
          expect(codesOf(reported)).toEqual([null, null, code]);
          expect(gateway.requests).toHaveLength(2);
        },
        { schedule },
      );
    }
  });

  it("after its last verdict has cost nothing", () =>
    withGateway(partial("reset", 3), async (gateway, verifier) => {
      expect(codesOf((await judged(verifier, pairsJob(3))).reported)).toEqual([null, null, null]);
      expect(gateway.requests).toHaveLength(1);
    }));

  it("is not asked again where the deadline leaves no time", async () => {
    const { schedule } = instantTimer();
    await withGateway(
      partial("reset", 1),
      async (gateway, verifier) => {
        const reported: Generation[] = [];
        const call = callWith(anySignal(), { deadline_at: clock.now() + 20 });
        await verifier.session(call).judge(pairsJob(2, 2), (generation) => reported.push(generation));
        expect(codesOf(reported)).toEqual([null, "verifier_unavailable"]);
        expect(gateway.requests).toHaveLength(1);
      },
      { schedule, random: () => 0.999 },
    );
  });
});

describe("failures that the gateway calls retryable", () => {
  it("are asked once more, and then are final", async () => {
    const { schedule } = instantTimer();
    await withGateway(
      (asked, index) => {
        const [a, b, c] = samplesOf(asked) as [never, never, never];
        if (index > 0) return events([failure(a, "verifier_overloaded", true), verdict(b), done]);
        return events([
          failure(a, "verifier_unavailable", true),
          failure(b, "verifier_unavailable", true),
          failure(c, "verifier_rejected"),
          done,
        ]);
      },
      async (gateway, verifier) => {
        const { reported } = await judged(verifier, pairsJob(3));
        const codes = Object.fromEntries(reported.map(({ question, error }) => [question, error]));
        expect(codes).toEqual({ 0: "verifier_overloaded", 1: null, 2: "verifier_rejected" });
        expect(gateway.requests).toHaveLength(2);
      },
      { schedule },
    );
  });

  it("keep the gateway's word where they cannot be asked again", async () => {
    const { schedule } = instantTimer();
    await withGateway(
      (asked, index) => {
        const [a, b] = samplesOf(asked) as [never, never];
        return index > 0 ? status(502) : events([failure(a, "verifier_overloaded", true), verdict(b), done]);
      },
      async (_, verifier) => {
        const { reported } = await judged(verifier, pairsJob(2, 2));
        expect(codesOf(reported)).toEqual([null, "verifier_overloaded"]);
      },
      { schedule },
    );
  });
});

describe("a gateway that falls silent", () => {
  it("is dead after 15 s without a line: its connection is closed and the rest asked once more; heartbeats keep it alive", async () => {
    const time = new ManualTime();
    const [first, second] = [gate(), gate()];
    await withGateway(
      (asked, index) => async (reply) => {
        if (index > 0) return answers(asked)(reply);
        const [a] = samplesOf(asked) as [never];
        reply.head(200, { "content-type": "application/x-ndjson" });
        await first.opened;
        reply.write(line(heartbeat) + line(verdict(a)));
        await second.opened;
      },
      async (gateway, verifier) => {
        const session = verifier.session(callWith(anySignal()));
        const reported: Generation[] = [];
        const got = Promise.withResolvers<void>();
        const judging = session.judge(pairsJob(2, 2), (generation) => {
          reported.push(generation);
          got.resolve();
        });
        await time.armed(15_000);
        time.pass(14_000);
        first.open();
        await got.promise;
        time.pass(1_000);
        time.fire();
        // Set when the headers came, it finds that the last line is 1 s old.
        expect(time.pending.map(({ ms }) => ms)).toEqual([14_000]);
        time.pass(14_000);
        time.fire();
        await judging;
        await gateway.mock.until(({ counters }) => counters.client_closed === 1);
        expect(codesOf(reported)).toEqual([null, null]);
        expect(gateway.requests[1]?.groups[0]?.comparisons).toMatchObject([{ samples: 1, first_sample: 1 }]);
        expect(time.pending).toEqual([]);
        second.open();
      },
      { watch: time.schedule, clock: time.clock, schedule: instantTimer().schedule },
    );
  });

  it("before its headers has as long as it gives itself for reading a body", async () => {
    const time = new ManualTime();
    await withGateway(
      () => silence(),
      async (gateway, verifier) => {
        const judging = judged(verifier, pairsJob(2));
        for (let attempt = 0; attempt <= LIMITS.retries_max; attempt++) {
          await gateway.mock.until(({ log }) => log.length === attempt + 1);
          expect(time.pending.map(({ ms }) => ms)).toEqual([LIMITS.body_read_ms]);
          time.pass(LIMITS.body_read_ms);
          time.fire();
        }
        expect(codesOf((await judging).reported)).toEqual(["verifier_unavailable"]);
        expect(time.pending).toEqual([]);
      },
      { watch: time.schedule, clock: time.clock, schedule: instantTimer().schedule },
    );
  });
});
