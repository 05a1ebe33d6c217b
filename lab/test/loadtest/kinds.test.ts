// Each kind against the real thing: what is sent is what Kritai would ask, and what comes back is
// counted right.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSimulator } from "../../../gpu-backend/engines/simulator/server.ts";
import { startLocalGateway } from "../../../scripts/stack/gateway.ts";
import { LoadClient, type Outcome } from "../../loadtest/client.ts";
import { MARK, type Work } from "../../loadtest/kinds/kind.ts";
import { baseUrl, worksFor } from "../../loadtest/kinds/table.ts";
import type { Shape } from "../../loadtest/workload/shape.ts";
import { loadWorkload } from "../../loadtest/workload/source.ts";

const SHAPE: Shape = {
  mode: "pairwise",
  samples: 2,
  both_orders: true,
  max_tokens: null,
  groups_per_request: 1,
  group_size: null,
  deadline_ms: 20_000,
  marked: true,
};
const SIZE = { groups: 3, rollouts: 4, candidate_chars: 200 };
const workload = (shape: Partial<Shape> = {}) => loadWorkload("groups", "synthetic", { ...SHAPE, ...shape }, SIZE, 7);

let simulator: Awaited<ReturnType<typeof startSimulator>>;
let gateway: Awaited<ReturnType<typeof startLocalGateway>>;
beforeAll(async () => {
  simulator = await startSimulator({ model: "sim-14b", scale: "instant", noise: { parse_rate: 1 } });
  gateway = await startLocalGateway(simulator.url, "sim-14b");
});
afterAll(async () => {
  await gateway?.close();
  await simulator?.close();
});

async function sent(base_url: string, work: Work): Promise<Outcome> {
  const client = new LoadClient({ base_url, headers: {}, connections_max: 32, timeout_ms: 20_000 });
  try {
    return await new Promise((resolve) => client.send(work, "mark-1", performance.now(), resolve));
  } finally {
    await client.close();
  }
}

/** Every pair of 4, both orders, 2 samples. */
const ASKED = { comparisons: 12, generations: 24, rewards: 4, nulls: 0, failed: 0, fault: null };

it("accepts an address with or without /v1", () => {
  for (const given of ["http://h:1", "http://h:1/", "http://h:1/v1", "http://h:1/v1/"])
    expect(baseUrl("rewards", given)).toBe("http://h:1");
  expect(baseUrl("rerank", "http://h/under/v1")).toBe("http://h/under");
  expect(baseUrl("verdicts", "http://h/v10")).toBe("http://h/v10");
});

describe("engine", () => {
  it("sends every generation that Kritai would and reads tokens, verdicts and times", async () => {
    const [work] = worksFor("engine", workload(), 20_000, "sim-14b") as [Work];
    expect(work.calls.length).toBe(24);
    const { error, reading } = await sent(baseUrl("engine", simulator.url), work);
    expect(error).toBeNull();
    expect(reading).toMatchObject({ ...ASKED, unparsed: 24 - reading.parsed });
    // A generation that is cut by its length has no verdict; all others have one here.
    expect(reading.parsed).toBeGreaterThanOrEqual(23);
    expect(reading.completion_tokens).toBeGreaterThan(24);
    expect(reading.prompt_tokens).toBeGreaterThan(24 * 100);
    expect(reading.split.first_token).not.toBeNull();
    expect(reading.split.queue).toBeNull();
  });

  it("fails as a whole when one generation is refused: a group without a comparison has no reward", async () => {
    const [work] = worksFor("engine", workload(), 20_000, "sim-14b+fault:context-too-long") as [Work];
    const { error, reading } = await sent(baseUrl("engine", simulator.url), work);
    expect(error).toMatch(/^http_400/);
    expect(reading.rewards).toBe(0);
  });
});

describe("gateway", () => {
  it("sends the same generations in one request and reads queue, first token and generation", async () => {
    const [work] = worksFor("gateway", workload(), 20_000, "") as [Work];
    expect(work.calls.length).toBe(1);
    const { error, reading } = await sent(gateway.url, work);
    expect(error).toBeNull();
    expect(reading).toMatchObject(ASKED);
    expect(reading.parsed + reading.unparsed).toBe(24);
    expect(reading.parsed).toBeGreaterThanOrEqual(23);
    for (const part of ["queue", "first_token", "generation"] as const) expect(reading.split[part]).not.toBeNull();
  });
});

describe("rewards", () => {
  const reply = {
    spec_hash: "sha256:1",
    rewards: [[1, null, 0.5]],
    groups: [
      {
        verifier: {
          comparisons: 3,
          generations: 6,
          parsed: 4,
          unparsed: 1,
          failed: 1,
          prompt_tokens: 600,
          completion_tokens: 90,
        },
      },
    ],
    timing_ms: { total: 12, verifier: 10, overhead: 2 },
  };
  const read = (value: unknown) => {
    const [work] = worksFor("rewards", workload(), 20_000, "") as [Work];
    const reader = (work.calls[0] as Work["calls"][number]).open();
    // In two bites, after the white space that a slow reply begins with.
    const bytes = Buffer.from(`   ${JSON.stringify(value)}`);
    reader.push(bytes.subarray(0, 20), 1);
    reader.push(bytes.subarray(20), 2);
    return reader.finish({ server_timing: "total;dur=15, verifier;dur=9, store;dur=2.5", sent_at: 0, ended_at: 3 });
  };

  it("counts nulls apart from rewards and takes the time split from the reply and its header", () => {
    expect(read(reply)).toEqual({
      fault: null,
      rewards: 2,
      nulls: 1,
      comparisons: 3,
      generations: 6,
      parsed: 4,
      unparsed: 1,
      failed: 1,
      prompt_tokens: 600,
      completion_tokens: 90,
      split: { edge: 2, store: 2.5, verifier: 10, queue: null, first_token: null, generation: null },
      spec_hash: "sha256:1",
    });
  });

  it("treats a reply of another shape as a fault, never as rewards", () => {
    expect(read({ ...reply, rewards: [["1"]] })).toMatchObject({ fault: "bad_reply", rewards: 0 });
  });
});

describe("a workload", () => {
  it("has a place for each request's mark at the start of every prompt, except with --same-prompts", () => {
    for (const kind of ["rewards", "gateway", "engine"] as const) {
      const calls = worksFor(kind, workload(), 1000, "m").flatMap((work) => work.calls);
      expect(calls.every(({ body }) => body.length === 2)).toBe(true);
      const plain = worksFor(kind, workload({ marked: false }), 1000, "m").flatMap((work) => work.calls);
      expect(plain.every(({ body }) => body.length === 1)).toBe(true);
    }
  });

  it("is the same for the same seed, as requests of any sort, with the rollouts asked for", () => {
    expect(workload()).toEqual(workload());
    const rerank = loadWorkload("rerank", "examples", { ...SHAPE, group_size: 3 }, SIZE, 7);
    expect(rerank.items.length).toBe(14);
    expect(rerank.bodyType === "rerank" && rerank.items.every(({ documents }) => documents.length === 3)).toBe(true);
    expect(JSON.stringify(rerank.items[0])).toContain(MARK);
  });

  it("of one sort is not sent as another", () => {
    expect(() => worksFor("verdicts", workload(), 1000, "")).toThrow("a workload of groups cannot be sent as verdicts");
  });
});
