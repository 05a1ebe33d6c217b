// Byte-identical requests to a room, through the port: retries, twins, and distinguishing them. Tests that
// depend on a window are on the clock of test/harness/virtual-time.ts.
import { describe, expect, it } from "vitest";
import { preferring } from "../../harness/fakes.ts";
import { inVirtualTime } from "../../harness/virtual-time.ts";
import { codes, open } from "./local-setup.ts";
import { heldProbe, never, sampleOf } from "./setup.ts";

describe("a byte-identical request", () => {
  it("gets the answer that is there when its client went before it had it, and adds no member", async () => {
    const { deps, join } = open();
    const cut = new AbortController();
    const [, second] = await Promise.all(["a", "bb"].map((code) => join(code, { group_size: 2 }, cut.signal)));
    cut.abort();
    expect(await join("bb", { group_size: 2, window_ms: 60_000 })).toEqual({ ...second, attached: true });
    expect(deps.runLog.entries).toHaveLength(1);
  });

  it("whose client had the answer gets it again when nothing else comes, unasked and unlogged", async () => {
    const { deps, join } = open();
    const [, second] = await Promise.all(["a", "bb"].map((code) => join(code, { group_size: 2 })));
    expect(await join("bb", { group_size: 2, window_ms: 60_000 })).toEqual({ ...second, attached: true });
    expect([deps.runLog.entries.length, deps.verifier.jobs.length]).toEqual([1, 1]);
    // A repetition takes no sample in: the next samples are a separate group.
    const next = await Promise.all(["ccc", "dddd"].map((code) => join(code, { group_size: 2 })));
    expect(next.map(({ members, late, result }) => [members, late, result.reward])).toEqual([
      [2, false, 0],
      [2, false, 1],
    ]);
  });

  it.each([0, 3, 7])(
    "an epoch later is a member of the new group, whether it comes first or as number %i",
    async (at) => {
      await inVirtualTime(async (time) => {
        const { join } = open(undefined, undefined, time.clock);
        const eight = { group_size: 8, window_ms: 60_000 };
        const first = codes(8);
        const epoch = await Promise.all(first.map((code) => join(code, eight)));
        expect(epoch.map(({ result }) => result.wins)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
        // The repeating sample is the longest of both epochs; the others come a little after the first.
        const second = Array.from({ length: 8 }, (_, i) => (i === at ? (first[7] as string) : `y${"y".repeat(i)}`));
        const [early, ...rest] = second as [string, ...string[]];
        const waiting = join(early, eight);
        await time.sleep(50);
        const got = await Promise.all([waiting, ...rest.map((code) => join(code, eight))]);
        expect(got.map(({ members, closed, attached }) => [members, closed, attached])).toEqual(
          Array(8).fill([8, "full", false]),
        );
        expect(got[at]?.result.wins).toBe(7);
      });
    },
  );

  it("attaches to the sample whose client has gone, while the group gathers", async () => {
    const { join } = open();
    const client = new AbortController();
    const cut = join("a", { group_size: 2, window_ms: 5000 }, client.signal);
    client.abort();
    expect((await cut).result).toMatchObject({ reward: null, error: "cancelled" });
    const retry = join("a", { group_size: 2, window_ms: 5000 });
    const other = join("bb", { group_size: 2, window_ms: 5000 });
    expect(await retry).toMatchObject({ members: 2, attached: true, result: { reward: 0 } });
    expect(await other).toMatchObject({ members: 2, attached: false, result: { reward: 1 } });
  });

  it("is a second member when the first one's client proves to be there", async () => {
    const { rooms } = open();
    const alive = async () => true;
    const three = ["a", "a", "bb"].map((code) => rooms.join(sampleOf(code, { group_size: 3 }), never(), alive));
    expect((await Promise.all(three)).map(({ members, attached }) => [members, attached])).toEqual([
      [3, false],
      [3, false],
      [3, false],
    ]);
  });

  it("is refused as its twin is when the verifier has no reward for their text, and nobody had to prove anything", async () => {
    await inVirtualTime(async (time) => {
      const { rooms, deps } = open(() => ({ error: "verifier_rejected" }), undefined, time.clock);
      let probes = 0;
      const probe = async () => {
        probes++;
        return true;
      };
      const times = { group_size: 3, answer_within_ms: 6_000 };
      const three = ["a", "a", "bb"].map((code) => rooms.join(sampleOf(code, times), never(), probe));
      const errors = (await Promise.all(three)).map(({ result }) => [result.reward, result.error]);
      expect(errors).toEqual(Array(3).fill([null, "verifier_rejected"]));
      expect(probes).toBe(0);
      expect(deps.runLog.entries).toHaveLength(1);
    });
  });

  it("refused with its twin keeps its place: who asks again is judged with both, whoever comes first", async () => {
    await inVirtualTime(async (time) => {
      let broken = true;
      const better = preferring((candidate) => candidate.length);
      const { rooms } = open(
        (...given) => (broken ? { error: "verifier_unavailable" } : better(...given)),
        undefined,
        time.clock,
      );
      const alive = async () => true;
      const ask = (code: string) =>
        rooms.join(
          sampleOf(code, { group_size: 3, window_ms: 60_000, answer_within_ms: broken ? 300 : 10_000 }),
          never(),
          alive,
        );
      const refused = await Promise.all(["a", "bb", "a"].map(ask));
      expect(refused.map(({ result }) => result.error)).toEqual(Array(3).fill("verifier_unavailable"));
      broken = false;
      const [first, ...rest] = ["bb", "a", "a"].map(ask);
      const got = await Promise.all([first, ...rest]);
      expect(got.map((reward) => [reward?.members, reward?.result.wins, reward?.result.ties])).toEqual([
        [3, 2, 0],
        [3, 0, 1],
        [3, 0, 1],
      ]);
    });
  });

  it("costs the verifier nothing twice: what was asked before they were told apart is the judgement's", async () => {
    const { rooms, deps } = open();
    const alive = async () => true;
    const codes = ["a", "bb", "a", "ccc"];
    const four = codes.map((code) => rooms.join(sampleOf(code, { group_size: 4 }), never(), alive));
    const got = await Promise.all(four);
    expect(got.map(({ result }) => result.wins)).toEqual([0, 2, 0, 3]);
    expect(deps.verifier.jobs.map(({ questions }) => questions.length)).toEqual([3]);
    expect(deps.runLog.entries.map(({ groups }) => groups[0]?.result.verifier.generations)).toEqual([3]);
    expect(new Set(got.map(({ request_id }) => request_id)).size).toBe(1);
  });

  it("is a retry when the first one's client proves to be gone, and meanwhile the group waits for neither", async () => {
    const { rooms } = open();
    const { probe, asked, say } = heldProbe();
    const cut = new AbortController();
    const first = rooms.join(sampleOf("a", { group_size: 2, window_ms: 5000 }), cut.signal, probe);
    const retry = rooms.join(sampleOf("a", { group_size: 2, window_ms: 5000 }), never());
    await asked;
    say(false);
    const other = rooms.join(sampleOf("bb", { group_size: 2, window_ms: 5000 }), never());
    expect(await retry).toMatchObject({ members: 2, attached: true });
    expect((await other).members).toBe(2);
    cut.abort();
    await first;
  });

  it("that was cut on its way and arrives after its own retry is no member", async () => {
    const { deps, rooms } = open();
    const times = { group_size: 3, window_ms: 500 };
    const retry = rooms.join(sampleOf("a", times), never(), async () => true);
    const cut = new AbortController();
    const overtaken = rooms.join(sampleOf("a", times), cut.signal, async () => false);
    const other = rooms.join(sampleOf("bb", times), never(), async () => true);
    expect([await retry, await other].map(({ members, result }) => [members, result.ties])).toEqual([
      [2, 0],
      [2, 0],
    ]);
    expect(deps.runLog.entries[0]?.groups[0]?.rollouts).toHaveLength(2);
    cut.abort();
    expect((await overtaken).result).toMatchObject({ reward: null, error: "cancelled" });
  });

  it("that seemed to be a twin, in a group of its own, gets the reward of the sample it repeats when no other comes", async () => {
    const gate = Promise.withResolvers<void>();
    const { deps, rooms } = open(undefined, { gate: gate.promise });
    const times = { group_size: 2, window_ms: 200 };
    const seems = async () => true;
    const [a, b] = ["a", "bb"].map((code) => rooms.join(sampleOf(code, times), never(), seems));
    await expect.poll(() => deps.verifier.jobs.length).toBe(1);
    const retry = rooms.join(sampleOf("a", times), never(), seems);
    // The proof is a few microtasks; then it is a member of another group.
    await new Promise((resolve) => setImmediate(resolve));
    gate.resolve();
    expect([(await a)?.result.reward, (await b)?.result.reward]).toEqual([0, 1]);
    expect((await retry).result).toEqual((await a)?.result);
  });

  it("sixteen times at once is sixteen members, each client asked at most twice", async () => {
    const { rooms } = open();
    let probes = 0;
    const alive = async () => {
      probes++;
      return true;
    };
    const equal = Array.from({ length: 16 }, () => rooms.join(sampleOf("a", { group_size: 16 }), never(), alive));
    for (const { members, result } of await Promise.all(equal)) {
      expect(members).toBe(16);
      expect(result.ties).toBe(15);
    }
    expect(probes).toBeLessThanOrEqual(2 * 16);
  });

  it("after a failed judgement has it judged again, and asks only what failed", async () => {
    let broken = true;
    const better = preferring((candidate) => candidate.length);
    const { deps, join } = open((shown, about) =>
      broken && shown.some((text) => text.includes("ccc")) ? { error: "verifier_unavailable" } : better(shown, about),
    );
    const three = ["a", "bb", "ccc"].map((code) => join(code, { group_size: 3 }));
    const [a, , c] = await Promise.all(three);
    expect(a?.result).toMatchObject({ reward: null, error: "partial", losses: 1, undecided: 1 });
    expect(c?.result).toMatchObject({ reward: null, error: "verifier_unavailable" });
    broken = false;
    expect((await join("ccc", { group_size: 3 })).result).toMatchObject({ reward: 1, error: null });
    expect(deps.verifier.jobs.map(({ questions }) => questions.length)).toEqual([3, 2]);
    expect((await join("a", { group_size: 3 })).result).toMatchObject({ reward: 0, error: null, losses: 2 });
  });
});
