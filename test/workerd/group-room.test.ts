// The guarantees of group rooms that only real Durable Objects can show: storage, restarts, alarms, calls
// between isolates.
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, inject, test } from "vitest";
import { RewardsReplySchema } from "../../src/core/contract/rewards-reply.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import type { ClientProbe, GatheredSample } from "../../src/objects/gathering/gathering.ts";
import { openGroup } from "../../src/objects/gathering/group.ts";
import { createRemoteRooms, type RoomNamespace } from "../../src/objects/gathering/remote.ts";
import { createRoomStore } from "../../src/objects/gathering/room-store.ts";
import { durableValues } from "../../src/objects/storage/durable.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Seen } from "./upstream.ts";

const objects = (env as unknown as { GROUP_ROOM: DurableObjectNamespace }).GROUP_ROOM;
const rooms = createRemoteRooms(objects as unknown as RoomNamespace, {
  timers: systemClock,
  report: () => undefined,
});
const fenced = (code: string) => `\`\`\`python\n${code}\n\`\`\``;
const program = (i: number) => fenced(i === 3 ? "BETTER = 3" : `x = ${i}`);
const never = new AbortController().signal;

const seen = async (model: string) =>
  (await (await fetch(`${inject("upstream_url")}/seen?model=${model}`)).json()) as Seen;

let requests = 0;

/**
 * Longer than a loaded machine takes to set a test's stage; the group that only time closes is
 * another test's.
 */
const UNHURRIED = { group_size: 2, window_ms: 60_000 };

/**
 * Sample `i` of the room; its model, which names what the upstream has seen, is the room's name.
 */
function sampleOf(room: string, i: number, more: Partial<GatheredSample> = {}): GatheredSample {
  return {
    room,
    waiter_id: `${room}-${requests++}`,
    body_hash: `${room} ${i}`,
    prompt: "p",
    language: null,
    rollout: { text: program(i) },
    spec: SpecSchema.parse({ judge: { model: room } }),
    run_id: "run",
    step: 1,
    key_name: null,
    group_size: null,
    window_ms: 200,
    answer_within_ms: 60_000,
    retain_ms: 60_000,
    tries: 1,
    patience_ms: 1_000,
    takes_failure: false,
    ...more,
  };
}

const join = (room: string, i: number, more: Partial<GatheredSample> = {}, probe?: ClientProbe) =>
  rooms.join(sampleOf(room, i, more), never, probe);

const many = <T>(n: number, make: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: n }, (_, i) => make(i)));

/** Waits until `n` members are stored. */
const gathered = (room: string, n: number) =>
  expect
    .poll(() =>
      runInDurableObject(objects.getByName(room), (_, state) =>
        createRoomStore(durableValues(state), systemClock)
          .groups()
          .reduce((sum, { members }) => sum + members.length, 0),
      ),
    )
    .toBe(n);

test("sixteen one-sample requests are judged once, bit-equal to one native request", async () => {
  const got = await many(16, (i) => join("sixteen", i, { ...UNHURRIED, group_size: 16 }));
  const groups = [{ prompt: "p", rollouts: Array.from({ length: 16 }, (_, i) => ({ text: program(i) })) }];
  const response = await exports.default.fetch("http://localhost/v1/rewards", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ spec: { judge: { model: "native" } }, groups }),
  });
  const native = RewardsReplySchema.parse(await response.json()).groups[0];
  // The room stores members in the order of their arrival, so what refers to a place in the group
  // is left out.
  const placeless = ({ duplicate_of: _, ...result }: object & { duplicate_of: unknown }) => result;
  expect(got.map(({ result }) => placeless(result))).toEqual(native?.rollouts.map(placeless));
  expect(new Set(got.map(({ request_id }) => request_id)).size).toBe(1);
  expect(got[0]).toMatchObject({ members: 16, closed: "full", logged: false, warnings: ["log_not_configured"] });
  expect(await seen("sixteen")).toMatchObject({ requests: 120 });
});

test("the window closes a group, a late sample is scored against it, and a repetition gets its answer", async () => {
  const early = await many(2, (i) => join("late", i));
  expect(early[0]).toMatchObject({ members: 2, closed: "window", late: false });
  const late = await join("late", 3);
  expect(late).toMatchObject({ members: 3, late: true, result: { reward: 1, wins: 2 } });
  expect(await seen("late")).toMatchObject({ requests: 3 });
  expect(await join("late", 3)).toEqual({ ...late, attached: true });
  expect(await seen("late")).toMatchObject({ requests: 3 });
});

test("a client's probe is asked across the call, and decides between a twin and a retry", async () => {
  const alive = join("probed", 0, UNHURRIED, async () => true);
  await gathered("probed", 1);
  const twin = join("probed", 0, UNHURRIED);
  expect((await Promise.all([alive, twin])).map(({ attached }) => attached)).toEqual([false, false]);
  const gone = join("cut", 0, UNHURRIED, async () => false);
  await gathered("cut", 1);
  const retry = join("cut", 0, UNHURRIED);
  const other = join("cut", 3, UNHURRIED);
  expect(await Promise.all([retry, other])).toMatchObject([
    { attached: true, result: { reward: 0 } },
    { attached: false, result: { reward: 1 } },
  ]);
  void gone;
});

test("a fault of the request arrives as the ApiError it is", async () => {
  const spec = SpecSchema.parse({ judge: { mode: "listwise" } });
  const six = Array.from({ length: 6 }, (_, i) => join("faulty", i, { ...UNHURRIED, group_size: 6, spec }));
  for (const { reason } of (await Promise.allSettled(six)) as PromiseRejectedResult[]) {
    expect(reason).toMatchObject({ name: "ApiError", code: "list_too_long" });
  }
});

describe("a restart", () => {
  test("while a group gathers loses nobody: the requests join again and are answered together", async () => {
    const three = { ...UNHURRIED, group_size: 3 };
    const waiting = [0, 1].map((i) => join("restarted", i, three));
    await gathered("restarted", 2);
    await abortAllDurableObjects();
    const last = join("restarted", 3, three);
    const got = await Promise.all([...waiting, last]);
    expect(got.map(({ members, attached }) => [members, attached])).toEqual(Array(3).fill([3, false]));
    expect(got.map(({ result }) => result.reward)).toContain(1);
  });

  test("leaves the answers to whoever repeats a sample", async () => {
    const got = await many(2, (i) => join("answered", i, UNHURRIED));
    expect(await seen("answered")).toMatchObject({ requests: 1, cut: 0 });
    await abortAllDurableObjects();
    expect(await join("answered", 1, UNHURRIED)).toEqual({ ...got[1], attached: true });
    expect(await seen("answered")).toMatchObject({ requests: 1, cut: 0 });
  });

  test("does not keep a group open whose clients have all gone: the alarm closes it, and a retry gets the answer", async () => {
    const client = new AbortController();
    const cut = [0, 3].map((i) => rooms.join(sampleOf("alarmed", i, { window_ms: 1000 }), client.signal));
    await gathered("alarmed", 2);
    client.abort();
    await Promise.all(cut);
    await abortAllDurableObjects();
    const stub = objects.getByName("alarmed");
    const before = (await seen("alarmed")).requests;
    const judged = () =>
      runInDurableObject(stub, (_, state) => createRoomStore(durableValues(state), systemClock).groups()[0]?.judged);
    await expect.poll(() => runDurableObjectAlarm(stub).then(judged)).toBe(2);
    const { requests } = await seen("alarmed");
    expect(requests).toBeGreaterThan(0);
    // A verdict that was asked early, and not stored yet when the room ended, is asked again.
    expect(requests - before).toBeLessThanOrEqual(1);
    expect(await join("alarmed", 3)).toMatchObject({ attached: true, members: 2, result: { reward: 1 } });
    expect(await seen("alarmed")).toMatchObject({ requests });
  });
});

test("an object whose answers nobody can ask for any more deletes all that it stored", async () => {
  await many(2, (i) => join("over", i, { ...UNHURRIED, retain_ms: 1 }));
  const stub = objects.getByName("over");
  const values = () => runInDurableObject(stub, (_, { storage }) => [...storage.kv.list()].length);
  expect(await values()).toBeGreaterThan(0);
  await expect.poll(() => runDurableObjectAlarm(stub).then(values)).toBe(0);
  expect(await runInDurableObject(stub, (_, { storage }) => storage.getAlarm())).toBe(null);
  expect(await many(2, (i) => join("over", i, UNHURRIED))).toMatchObject([{ attached: false }, { attached: false }]);
});

/** Cloudflare's bound of a row; the local runtime lets it hold more. */
const ROW_BYTES = 2_000_000;
const expectRowsToFit = ({ kv }: DurableObjectStorage) => {
  for (const [, value] of kv.list()) {
    if (value instanceof Uint8Array) expect(value.byteLength).toBeLessThan(ROW_BYTES);
  }
};

test("storage gives back every text as it was, the largest and the malformed included, in rows that Cloudflare takes", async () => {
  const escaped = "\u0001".repeat(LIMITS.rollout_text_bytes - 3);
  const texts = ["\u0000 a\u0000", "\ufeffmark", "half \ud800 pair", "é".repeat(LIMITS.rollout_text_bytes / 2), ""];
  texts.push(`\ud800${escaped}`, `😀${"x".repeat(20_000)}\udfff`);
  const kept = await runInDurableObject(objects.getByName("texts"), (_, state) => {
    const store = createRoomStore(durableValues(state), systemClock);
    for (const [i, text] of texts.entries())
      store.addMember(0, i, { rollout: { text, length_tokens: i }, language: null });
    store.flush();
    expectRowsToFit(state.storage);
    const again = createRoomStore(durableValues(state), systemClock);
    return again.members(0, texts.length).map(({ rollout }) => rollout);
  });
  expect(kept).toEqual(texts.map((text, length_tokens) => ({ length_tokens, text })));
});

test("storage gives back a prompt that is longer than a row", async () => {
  const { room, spec, run_id, step, key_name } = sampleOf("long", 0);
  const turn = { role: "user", content: `é"\ud800${"x".repeat(LIMITS.prompt_bytes - 16)}` };
  const subject = { room, spec, run_id, step, key_name, prompt: new Array(10).fill(turn) };
  const kept = await runInDurableObject(objects.getByName("long"), (_, state) => {
    const store = createRoomStore(durableValues(state), systemClock);
    store.saveSubject(subject);
    store.flush();
    expectRowsToFit(state.storage);
    return createRoomStore(durableValues(state), systemClock).subject();
  });
  expect(kept).toEqual(subject);
});

test("a group that begins when all others were forgotten is stored, although it has the epoch of one of them", async () => {
  const kept = await runInDurableObject(objects.getByName("epochs"), (_, state) => {
    const store = createRoomStore(durableValues(state), systemClock);
    const content = (text: string) => ({ rollout: { text }, language: null });
    store.saveGroup(openGroup(0, { group_size: 2, whole_only: false }));
    store.addMember(0, 0, content("old"));
    store.flush();
    store.forget(0);
    store.saveGroup(openGroup(0, { group_size: 3, whole_only: false }));
    store.addMember(0, 0, content("new"));
    store.addToJournal(0, "key", { request_id: "r", samples: [] });
    store.flush();
    const again = createRoomStore(durableValues(state), systemClock);
    return [again.groups().map(({ size }) => size), again.members(0, 1), [...again.journal(0).keys()]];
  });
  expect(kept).toEqual([[3], [{ rollout: { text: "new" }, language: null }], ["key"]]);
});
