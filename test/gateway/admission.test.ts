// What is refused at the door, and why: the queue's bound, deadlines that cannot be met, shutting
// down.
import { describe, expect, it } from "vitest";
import { GATEWAY_LIMIT_RELATIONS, GATEWAY_LIMITS } from "../../gpu-backend/gateway/limits/gateway-limits.ts";
import { Admission } from "../../gpu-backend/gateway/scheduling/admission.ts";
import { Job } from "../../gpu-backend/gateway/scheduling/job.ts";
import { ServiceEstimate } from "../../gpu-backend/gateway/scheduling/service-estimate.ts";
import { ApiError } from "../../src/core/faults/errors.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import type { VerifyRequest } from "../../src/core/wire/verify-protocol.ts";
import { comparison, group, request } from "./requests.ts";

const many = (samples: number, stop: "majority" | "all" = "all", count = 1) =>
  [...Array(count)].map((_, i) => comparison(i, [0, 1], { samples, stop }));

function setUp({ queue_tokens_max = 10_000_000, capacity = 10 } = {}) {
  const clock = { now: 0 };
  const now = () => clock.now;
  const estimate = new ServiceEstimate(now);
  const pool = { capacity, in_flight: 0 };
  const admission = new Admission({ queue_tokens_max, estimate, pool, now });
  let callers = 0;
  const job = (asks: VerifyRequest, party = `caller ${++callers}`) =>
    new Job(asks, { tenant: party, arrived_at: clock.now, now, emit: () => {}, full: () => false });
  /** The service takes `ms` a generation, seen often enough. */
  const measure = (ms: number, tokens = 1_000) => {
    for (let i = 0; i < GATEWAY_LIMITS.estimate_answers_min; i++) estimate.record(ms, tokens);
  };
  return { clock, pool, admission, job, measure };
}

function refusalOf(run: () => void): { code: string; detail: string; retry_after: number } {
  try {
    run();
  } catch (fault) {
    if (!(fault instanceof ApiError)) throw fault;
    return { code: fault.code, detail: fault.message, retry_after: Number(fault.headers["retry-after"]) };
  }
  throw new Error("was admitted");
}

describe("the queue's bound", () => {
  it("counts the estimated prompt tokens of all requests, and refuses the one that would exceed it", () => {
    const { admission, job } = setUp({ queue_tokens_max: 10_000 });
    const asks = request([group("g", 2, many(20))]);
    const first = job(asks);
    admission.admit(first);
    expect(admission.queue_tokens).toBe(first.unsent_tokens);
    expect(first.unsent_tokens).toBeGreaterThan(20 * 200);
    admission.admit(job(asks));
    const refusal = refusalOf(() => admission.admit(job(asks)));
    expect(refusal.code).toBe("overloaded");
    expect(refusal.detail).toContain("10000");
    expect(refusal.retry_after).toBeGreaterThanOrEqual(1);
    admission.leave(first);
    admission.admit(job(asks));
  });

  it("leaves half of the tokens and of the places to what is of no lower priority than 0", () => {
    const { admission, job } = setUp({ queue_tokens_max: 12_000 });
    const asks = (priority: number) => request([group("g", 2, many(20))], { priority });
    admission.admit(job(asks(1)));
    expect(refusalOf(() => admission.admit(job(asks(1)))).code).toBe("overloaded");
    admission.admit(job(asks(0)));
    const wide = setUp({ queue_tokens_max: Number.MAX_SAFE_INTEGER });
    for (let i = 0; i < GATEWAY_LIMITS.requests_open_max / 2; i++) wide.admission.admit(wide.job(asks(1)));
    expect(refusalOf(() => wide.admission.admit(wide.job(asks(1)))).code).toBe("overloaded");
    wide.admission.admit(wide.job(asks(0)));
  });

  it("lets one request alone be larger than it", () => {
    const { admission, job } = setUp({ queue_tokens_max: 100 });
    admission.admit(job(request([group("g", 2, many(20))])));
    expect(admission.queue_depth).toBe(20);
  });

  it("holds for the number of requests too, those whose body is still coming included", () => {
    const { admission } = setUp();
    const left = [...Array(GATEWAY_LIMITS.requests_open_max)].map(() => admission.enter());
    expect(refusalOf(() => admission.enter()).detail).toContain("requests_open_max");
    left[0]?.();
    expect(() => admission.enter()).not.toThrow();
  });
});

describe("deadlines", () => {
  const large = (deadline_ms: number, more: Partial<VerifyRequest> = {}) =>
    request([group("g", 2, many(10, "all", 10))], { deadline_ms, ...more });

  it("refuse what cannot finish at the measured rate, with the reason", () => {
    const { admission, job, measure } = setUp();
    measure(1_000);
    // 100 generations, 10 at a time, 1 s each.
    admission.admit(job(large(10_000)));
    admission.leave([...admission.jobs][0] as Job);
    const refusal = refusalOf(() => admission.admit(job(large(9_000))));
    expect(refusal).toMatchObject({ code: "overloaded", retry_after: GATEWAY_LIMITS.retry_after_max_s });
    expect(refusal.detail).toContain("10000 ms, but its deadline leaves 9000 ms");
    expect(refusal.detail).toContain("even on an idle gateway");
  });

  it("say when to come again where others are in the way", () => {
    const { admission, job, measure } = setUp();
    measure(1_000);
    admission.admit(job(large(60_000)));
    const refusal = refusalOf(() => admission.admit(job(large(12_000))));
    expect(refusal.retry_after).toBe(8);
    expect(refusal.detail).toContain("less busy");
  });

  it("count only what goes before: a small request beside a huge one is admitted, an urgent one too", () => {
    const { admission, job, measure } = setUp();
    measure(1_000);
    const huge = request([group("huge", 2, many(50, "all", 200))], { deadline_ms: LIMITS.deadline_ms_max });
    expect(refusalOf(() => admission.admit(job(huge))).detail).toContain("1000000 ms");
    admission.admit(job({ ...huge, groups: [group("big", 2, many(50, "all", 100))] }));
    admission.admit(job(request([group("small", 2, many(4))], { deadline_ms: 1_000 })));
    expect(refusalOf(() => admission.admit(job(large(15_000)))).code).toBe("overloaded");
    admission.admit(job(large(15_000, { priority: -1 })));
  });

  it("count all earlier requests of the same caller, and of other callers together as many as that", () => {
    const { admission, job, measure } = setUp();
    measure(1_000);
    const hundred = (deadline_ms: number) => request([group("g", 2, many(50, "all", 2))], { deadline_ms });
    for (let i = 0; i < 3; i++) admission.admit(job(hundred(60_000), "edge"));
    // 10 places and 1 s each: its own 100, the 300 before it; another caller's 100 beside the 300
    // of the edge.
    expect(refusalOf(() => admission.admit(job(hundred(39_000), "edge"))).detail).toContain("needs 40000 ms");
    expect(refusalOf(() => admission.admit(job(hundred(19_000), "other"))).detail).toContain("needs 20000 ms");
    admission.admit(job(hundred(20_000), "other"));
    expect(refusalOf(() => admission.admit(job(hundred(49_000), "edge"))).detail).toContain("needs 50000 ms");
  });

  it("ask of a request whose beginning is of use for time to show everyone once", () => {
    const { admission, job, measure } = setUp();
    measure(1_000);
    const ranking = (deadline_ms: number) =>
      request([group("g", 20, many(10, "all", 10))], { deadline_ms, in_order: true });
    // 20 candidates, 10 at a time, 1 s each.
    admission.admit(job(ranking(2_000)));
    admission.leave([...admission.jobs][0] as Job);
    expect(refusalOf(() => admission.admit(job(ranking(1_900)))).detail).toContain("needs 2000 ms");
  });

  it("count a majority at its earliest end", () => {
    const { admission, job, measure } = setUp();
    measure(1_000);
    const asks = (stop: "majority" | "all") => request([group("g", 2, many(8, stop, 10))], { deadline_ms: 6_000 });
    expect(refusalOf(() => admission.admit(job(asks("all")))).code).toBe("overloaded");
    admission.admit(job(asks("majority")));
  });

  it("expect less time of generations that may generate less", () => {
    const { admission, job, measure } = setUp();
    measure(1_000, 4_000);
    expect(refusalOf(() => admission.admit(job(large(5_000, { sampling: sampling(4_000) })))).code).toBe("overloaded");
    admission.admit(job(large(5_000, { sampling: sampling(1_000) })));
  });

  it("count comparisons by the tokens that each may take", () => {
    const { admission, job, measure } = setUp();
    measure(1_000);
    const hasty = (max_tokens?: number) => {
      const asked = large(100);
      const groups = asked.groups.map((one) => ({
        ...one,
        comparisons: one.comparisons.map((own) => ({ ...own, ...(max_tokens !== undefined && { max_tokens }) })),
      }));
      return job({ ...asked, groups });
    };
    expect(refusalOf(() => admission.admit(hasty())).code).toBe("overloaded");
    admission.admit(hasty(1));
  });

  it("refuse nobody for what was measured too seldom or too long ago", () => {
    const { clock, admission, job, measure } = setUp();
    const hasty = () => job(large(100));
    admission.admit(hasty());
    measure(1_000);
    expect(refusalOf(() => admission.admit(hasty())).code).toBe("overloaded");
    clock.now += GATEWAY_LIMITS.estimate_age_max_ms + 1;
    admission.admit(hasty());
  });
});

const sampling = (max_tokens: number) => ({ temperature: 0, top_p: 1, max_tokens, seed: 0 });

describe("shutting down", () => {
  it("refuses what comes and ends when the last one before has ended", async () => {
    const { admission, job } = setUp();
    const running = job(request([group("g", 2, many(1))]));
    admission.admit(running);
    let drained = false;
    const done = admission.drain().then(() => {
      drained = true;
    });
    expect(refusalOf(() => admission.enter()).code).toBe("not_ready");
    expect(refusalOf(() => admission.admit(job(running.request))).code).toBe("not_ready");
    await Promise.resolve();
    expect(drained).toBe(false);
    admission.leave(running);
    await done;
    expect(drained).toBe(true);
  });
});

describe("limits", () => {
  it("stand in their stated relations", () => {
    expect(GATEWAY_LIMIT_RELATIONS.filter(([, holds]) => !holds)).toEqual([]);
  });
});
