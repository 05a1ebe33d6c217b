// Who is served next: shares of requests and parties, priorities.
import { describe, expect, it } from "vitest";
import { FairRing } from "../../gpu-backend/gateway/scheduling/fair-ring.ts";
import { voteFor } from "./fake-pool.ts";
import { comparison, group, request } from "./requests.ts";
import { setUp, shown } from "./scheduler-setup.ts";

describe("fairness", () => {
  it("lets a request of 4 generations through within 2 service times beside a batch of 10,000", async () => {
    const { pool, submit, round } = setUp(64);
    const batch = submit(
      request([
        group(
          "big",
          2,
          [...Array(200)].map((_, i) => comparison(i, [0, 1], { samples: 50 })),
        ),
      ]),
    );
    await round();
    const small = submit(request([group("small", 2, [comparison(0, [0, 1], { samples: 4 })])]));
    let rounds = 0;
    for (; small.job.open > 0; rounds++) await round();
    expect(rounds).toBeLessThanOrEqual(2);
    expect(batch.job.open).toBeGreaterThan(9_500);
    expect(pool.open).toHaveLength(64);
  });

  it("shares the engine equally by tokens between equal requests", async () => {
    const { submit, round } = setUp(32);
    const many = () => [...Array(40)].map((_, i) => comparison(i, [0, 1], { samples: 50 }));
    const long = group("long", 2, many());
    long.candidates = long.candidates.map((text) => text + "x".repeat(6_000));
    const dear = submit(request([long]));
    const cheap = submit(request([group("cheap", 2, many())]));
    for (let i = 0; i < 20; i++) await round();
    const sent = [dear, cheap].map(({ job }) => 2_000 - job.unsent) as [number, number];
    // 3,200 prompt tokens against 210, and some 10 to generate in both: the cheap one gets as many
    // tokens, so more samples.
    expect(sent[1] / sent[0]).toBeGreaterThan(8);
    expect(sent[0]).toBeGreaterThan(20);
  });

  it("gives one share to all requests of a party, the first of them first", async () => {
    const { pool, submit, round } = setUp(16);
    const many = (id: string) =>
      request([
        group(
          id,
          2,
          [...Array(40)].map((_, i) => comparison(i, [0, 1], { samples: 50 })),
        ),
      ]);
    const edge = [
      submit(many("one"), { party: "edge" }),
      submit(many("two"), { party: "edge" }),
      submit(many("three"), { party: "edge" }),
    ];
    const other = submit(many("other"));
    for (let i = 0; i < 60; i++) await round();
    const sent = [...edge, other].map(({ job }) => 2_000 - job.unsent);
    expect((sent[0] as number) / (sent[3] as number)).toBeCloseTo(1, 1);
    expect(sent.slice(1, 3)).toEqual([0, 0]);
    expect(pool.open).toHaveLength(16);
  });

  it("sends what a party's earlier request needs anew before its later requests", async () => {
    const { pool, submit } = setUp(10);
    const majority = (id: string) => request([group(id, 2, [comparison(0, [0, 1], { samples: 8, stop: "majority" })])]);
    submit(majority("one"), { party: "edge" });
    submit(majority("two"), { party: "edge" });
    submit(majority("three"), { party: "edge" });
    for (const [at, letter] of ["A", "B", "A"].entries()) pool.calls[at]?.answer(voteFor(letter));
    await new Promise((resolve) => setImmediate(resolve));
    expect(pool.calls.slice(10).map(({ prompt }) => shown(prompt)[0])).toEqual(["three0", "one0", "three0"]);
  });

  it("serves a lower priority number first and the others when it has nothing left", async () => {
    const { pool, submit, round } = setUp(2);
    submit(request([group("plain", 2, [comparison(0, [0, 1], { samples: 4 })])]));
    submit(request([group("urgent", 2, [comparison(0, [0, 1], { samples: 3 })])], { priority: -1 }));
    await round();
    await round();
    expect(pool.calls.map(({ prompt }) => shown(prompt)[0])).toEqual([
      "plain0",
      "plain0",
      "urgent0",
      "urgent0",
      "urgent0",
      "plain0",
    ]);
  });

  it("gives every member the same cost over time, also when one piece is dearer than a turn", () => {
    const ring = new FairRing<string>(10, (party) => ({ tenant: party, rank: 0 }));
    const costs: Record<string, number> = { small: 3, large: 25 };
    const spent: Record<string, number> = { small: 0, large: 0 };
    for (const name of Object.keys(costs)) ring.add(name);
    for (let i = 0; i < 1_000; i++) {
      const name = ring.next((item) => costs[item] as number) as string;
      spent[name] = (spent[name] as number) + (costs[name] as number);
    }
    expect((spent.small as number) / (spent.large as number)).toBeCloseTo(1, 1);
    expect(ring.next(() => null)).toBeNull();
    expect(ring.size).toBe(0);
  });
});
