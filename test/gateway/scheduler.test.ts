// In which order a request's comparisons go, and what happens to each sample.
import { describe, expect, it } from "vitest";
import { type FakePool, failing, voteFor } from "./fake-pool.ts";
import { asked, comparison, group, only, pairs, reported, request } from "./requests.ts";
import { setUp, shown } from "./scheduler-setup.ts";

describe("order", () => {
  it("is that of the prefix cache, whatever the order received: same question, then same first candidate, together", () => {
    const { pool, submit } = setUp(100);
    const mixed = (id: string, question: string) =>
      group(
        id,
        3,
        [
          [2, 0],
          [0, 1],
          [2, 1],
          [0, 2],
          [1, 0],
        ].map((order, i) => comparison(i, order)),
        question,
      );
    submit(request([mixed("x", "first"), mixed("y", "second"), mixed("z", "first")]));
    const order = pool.calls.map(({ prompt }) => shown(prompt).join(" "));
    const inOne = (id: string) => ["01", "02", "10", "20", "21"].map((pair) => `${id}${pair[0]} ${id}${pair[1]}`);
    expect(order).toEqual([...inOne("x"), ...inOne("z"), ...inOne("y")]);
  });

  it("is that of the request where it says so: what is there at the deadline is its beginning", () => {
    const { pool, submit } = setUp(100);
    const orders = [
      [2, 0],
      [1, 3],
      [0, 1],
      [3, 2],
    ];
    const line = orders.map((order, i) => comparison(i, order));
    submit(request([group("x", 4, line)], { in_order: true }));
    const order = pool.calls.map(({ prompt }) => shown(prompt).join(" "));
    expect(order).toEqual(orders.map((pair) => pair.map((one) => `x${one}`).join(" ")));
  });

  it("sends calls of one question with one affinity and different questions with different ones", () => {
    const { pool, submit } = setUp(100);
    submit(request([group("x", 3, pairs(3), "first"), group("y", 2, pairs(2), "first"), group("z", 2, pairs(2))]));
    const affinities = pool.calls.map(({ call }) => call.affinity);
    expect(new Set(affinities.slice(0, 4)).size).toBe(1);
    expect(new Set(affinities).size).toBe(2);
  });

  it("gives each sample its own seed, and equal work an equal seed in another request", () => {
    const { pool, submit } = setUp(100);
    submit(request([group("x", 2, [comparison(0, [0, 1], { samples: 3, first_sample: 5 })])]));
    submit(request([group("x", 2, [comparison(9, [0, 1], { samples: 3, first_sample: 5 })])]));
    const seeds = pool.calls.map(({ call }) => call.seed);
    expect(new Set(seeds.slice(0, 3)).size).toBe(3);
    expect(seeds.slice(3)).toEqual(seeds.slice(0, 3));
  });

  it("gives each comparison its own tokens, else the request's, and the seeds that it has either way", () => {
    const { pool, submit } = setUp(100);
    submit(request([group("x", 2, [comparison(0, [0, 1], { max_tokens: 9 }), comparison(1, [0, 1])])]));
    expect(pool.calls.map(({ call }) => call.max_tokens)).toEqual([9, 1024]);
    expect(pool.calls[0]?.call.seed).toBe(pool.calls[1]?.call.seed);
  });

  it("asks for the letters' probabilities exactly when they are wanted", () => {
    const { pool, submit } = setUp(100);
    submit(request([group("x", 3, [comparison(0, [2, 0, 1])])], { soft: true }));
    submit(request([group("x", 3, [comparison(0, [2, 0, 1])])]));
    expect(pool.calls.map(({ call }) => call.anchor?.labels)).toEqual([["A", "B", "C"], undefined]);
  });
});

describe("early stop in the schedule", () => {
  const eight = comparison(0, [0, 1], { samples: 8, stop: "majority" });

  it("with room sends every sample at once, cuts the rest when it is decided, and reports them once as saved", async () => {
    const { pool, submit } = setUp(100);
    const { events } = submit(request([group("g", 2, [eight])]));
    expect(pool.open).toHaveLength(8);
    for (const call of pool.calls.slice(0, 5)) call.answer(voteFor("B"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(pool.calls.filter(({ aborted }) => aborted)).toHaveLength(3);
    expect(only(events, "saved")).toEqual([
      { type: "saved", group_id: "g", comparison: 0, samples: [5, 6, 7], completion_tokens: 3 * pool.cut_tokens },
    ]);
    expect(only(events, "done")).toEqual([
      {
        type: "done",
        usage: { generations: 8, saved: 3, failed: 0, prompt_tokens: 500, completion_tokens: 59, in_flight_max: 8 },
      },
    ]);
  });

  /** `comparison/samples` of the calls so far, in the order in which comparisons first came. */
  const sent = (pool: FakePool) => {
    const counts = new Map<string, number>();
    for (const { prompt } of pool.calls) counts.set(shown(prompt).join(), (counts.get(shown(prompt).join()) ?? 0) + 1);
    return [...counts.values()];
  };
  const votes = async (pool: FakePool, letters: string) => {
    const open = pool.open.slice(0, letters.length);
    open.forEach((call, i) => void call.answer(voteFor(letters[i] as string)));
    await new Promise((resolve) => setImmediate(resolve));
  };

  it("without room sends of each comparison only what an undisputed majority needs", async () => {
    const { pool, submit, round } = setUp(8);
    const { events } = submit(request([group("g", 3, pairs(3, { samples: 8, stop: "majority" }))]));
    expect(sent(pool)).toEqual([5, 3]);
    while (pool.open.length > 0) await round();
    expect(pool.calls).toHaveLength(15);
    expect(only(events, "saved").map(({ samples }) => samples)).toEqual([
      [5, 6, 7],
      [5, 6, 7],
      [5, 6, 7],
    ]);
    expect(only(events, "done")).toHaveLength(1);
  });

  it("sends one sample more for each dissent, before it begins another comparison", async () => {
    const { pool, submit } = setUp(10);
    submit(request([group("g", 3, pairs(3, { samples: 8, stop: "majority" }))]));
    expect(sent(pool)).toEqual([5, 5]);
    await votes(pool, "AB");
    expect(sent(pool)).toEqual([6, 5, 1]);
    await votes(pool, "AB");
    expect(sent(pool)).toEqual([7, 5, 2]);
  });

  it("sends spare samples while fewer than an eighth of the places are taken", async () => {
    const { pool, submit } = setUp(48);
    submit(request([group("g", 3, pairs(3, { samples: 8, stop: "majority" }))]));
    expect(sent(pool)).toEqual([5, 5, 5]);
    await votes(pool, "AAAAAAAA");
    expect(pool.open).toHaveLength(7);
    await votes(pool, "A");
    expect(pool.open).toHaveLength(6);
    await votes(pool, "A");
    expect(pool.open).toHaveLength(6);
    expect(sent(pool)).toEqual([5, 5, 6]);
  });

  it("counts an answer that comes with the cut as saved, not as a verdict", async () => {
    const { pool, submit } = setUp(24);
    pool.answers_aborts = false;
    const { events } = submit(request([group("g", 2, [comparison(0, [0, 1], { samples: 3, stop: "majority" })])]));
    pool.calls[0]?.answer(voteFor("A"));
    pool.calls[1]?.answer(voteFor("A"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(pool.calls[2]?.aborted).toBe(true);
    expect(only(events, "saved")).toEqual([]);
    pool.calls[2]?.answer(voteFor("B"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(only(events, "saved")).toMatchObject([{ samples: [2], completion_tokens: 10 }]);
    expect(only(events, "verdict")).toHaveLength(2);
    expect(only(events, "done")).toHaveLength(1);
  });
});

describe("room", () => {
  it("never has more generations at the engine than its capacity, and fills what it gains", async () => {
    const { pool, submit, round } = setUp(3);
    submit(request([group("g", 6, pairs(6))]));
    expect(pool.open).toHaveLength(3);
    pool.capacity = 5;
    expect(pool.open).toHaveLength(5);
    pool.capacity = 1;
    await round();
    expect(pool.open).toHaveLength(1);
  });

  it("takes what is of the same party along to a better priority, what came later too", async () => {
    const { pool, submit, round } = setUp(1);
    const asks = (name: string, priority: number) => request([group(name, 3, pairs(3))], { priority });
    submit(asks("early", 1), { party: "one" });
    submit(asks("other", 0), { party: "two" });
    submit(asks("whole", 0), { party: "one" });
    submit(asks("later", 1), { party: "one" });
    submit(asks("last", 1), { party: "three" });
    const sent: string[] = [];
    while (pool.open.length > 0) {
      sent.push(...pool.open.map(({ prompt }) => (shown(prompt)[0] as string).slice(0, -1)));
      await round();
    }
    // The job that ran when the others came, then both parties by turns.
    expect(sent[0]).toBe("early");
    expect(sent.slice(-3)).toEqual(["last", "last", "last"]);
    expect(new Set(sent.slice(1, 5)).size).toBe(2);
  });

  it("sends nothing new for a reader that is too slow, and goes on when it has caught up", async () => {
    const { pool, scheduler, submit, round } = setUp(2);
    const reader = { full: false };
    const { job, events } = submit(request([group("g", 4, pairs(4))]), { reader });
    reader.full = true;
    await round();
    expect(pool.open).toHaveLength(0);
    const other = submit(request([group("h", 2, pairs(2))]));
    await round();
    expect(other.job.open).toBe(0);
    reader.full = false;
    scheduler.wake(job);
    for (let i = 0; i < 2; i++) await round();
    expect(only(events, "done")).toHaveLength(1);
  });
});

describe("a request's end", () => {
  const asks = request([group("g", 3, pairs(3, { samples: 5, stop: "majority" })), group("h", 3, pairs(3))]);

  it("at its deadline names every sample left, saved ones as saved, and aborts what runs", async () => {
    const { pool, submit } = setUp(4);
    pool.answers_aborts = false;
    const { job, events } = submit(asks);
    for (const call of pool.calls.slice(0, 3)) call.answer(voteFor("A"));
    await new Promise((resolve) => setImmediate(resolve));
    job.stop("deadline");
    expect(reported(events)).toEqual(asked(asks));
    expect(only(events, "saved")).toMatchObject([{ comparison: 0, samples: [3, 4] }]);
    expect(only(events, "error").every(({ code, retryable }) => code === "deadline" && !retryable)).toBe(true);
    expect(pool.open.every(({ aborted }) => aborted)).toBe(true);
    for (const call of pool.open) call.answer(voteFor("A"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(events.at(-1)?.type).toBe("done");
    expect(pool.open).toHaveLength(0);
  });

  it("by cancellation aborts every running generation and sends none any more", async () => {
    const { pool, submit } = setUp(4);
    const { job, events } = submit(asks);
    job.stop(null);
    await new Promise((resolve) => setImmediate(resolve));
    expect(pool.calls).toHaveLength(4);
    expect(pool.calls.every(({ aborted }) => aborted)).toBe(true);
    expect(only(events, "done")).toEqual([]);
  });

  it("names an engine's failure for each sample it befell, with what the pool said of trying again", async () => {
    const { pool, submit } = setUp(4);
    const { events } = submit(request([group("g", 2, [comparison(0, [0, 1], { samples: 2 })])]));
    pool.calls[0]?.answer(failing("verifier_rejected", { retryable: false }));
    pool.calls[1]?.answer(failing("verifier_overloaded"));
    await new Promise((resolve) => setImmediate(resolve));
    expect(only(events, "error")).toEqual([
      { type: "error", group_id: "g", comparison: 0, sample: 0, code: "verifier_rejected", retryable: false },
      { type: "error", group_id: "g", comparison: 0, sample: 1, code: "verifier_overloaded", retryable: true },
    ]);
    expect(only(events, "done")[0]?.usage).toMatchObject({ generations: 2, failed: 2, saved: 0 });
  });

  it("comes also when the pool breaks its promise never to reject", async () => {
    const { pool, submit } = setUp(1);
    pool.generate = () => Promise.reject(new Error("a bug"));
    const { events } = submit(request([group("g", 2, pairs(2))]));
    await new Promise((resolve) => setImmediate(resolve));
    expect(only(events, "error")).toMatchObject([{ code: "verifier_unavailable" }]);
    expect(only(events, "done")).toHaveLength(1);
  });
});
