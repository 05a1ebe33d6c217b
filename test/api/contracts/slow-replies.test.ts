// The guarantees of replies that take long, in every JSON contract: white space first, then the document, or
// a broken connection; and clients that hang up are noticed.
import { beforeEach, describe, expect, test } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import type { ClientProbe, GatheredReward, GroupRooms } from "../../../src/objects/gathering/gathering.ts";
import { fakeVerifier } from "../../harness/fakes.ts";
import { VirtualTime } from "../../harness/virtual-time.ts";
import { CLIENTS, isGathered, named } from "./clients.ts";
import { CONTRACTS, gathered, NO_NAMED, without } from "./sample-setup.ts";
import { longest, setUp, silent } from "./setup.ts";

const WHOLE = named(CLIENTS.filter((client) => !isGathered(client)));

let time: VirtualTime;
beforeEach(() => {
  time = new VirtualTime();
});

describe.each(WHOLE)("%s", (_, { path, example }) => {
  // Beyond silent_deadline_ms, which some contracts' own deadline is not.
  const url = `${path}?deadline_ms=60000`;
  test("begins after heartbeat_ms and is kept alive until the document comes", async () => {
    const gate = Promise.withResolvers<void>();
    const verifier = fakeVerifier(longest, { gate: gate.promise });
    const slow = setUp({ verifier, ...time.ports }).post(url, example);
    await expect.poll(() => verifier.calls).toHaveLength(1);
    await time.advance(LIMITS.heartbeat_ms);
    const reply = await slow;
    expect([reply.status, reply.headers.get("content-type")]).toEqual([200, "application/json"]);
    // Compressed, its line ends would be held back.
    expect(reply.headers.get("content-encoding")).toBe("identity");
    expect(reply.headers.get("cache-control")).toContain("no-transform");
    const text = reply.text();
    await time.advance(2 * LIMITS.heartbeat_ms);
    gate.resolve();
    expect(await text).toMatch(/^\n\n\n\S/);
    const quick = await setUp().post(url, example);
    const plain = (body: unknown) =>
      JSON.stringify(body).replace(
        /"(?:id|request_id)":"[^"]*"|"created(?:_at)?":\d+|"(?:total|verifier)_ms":\d+/g,
        "",
      );
    expect(plain(JSON.parse(await text))).toBe(plain(await quick.json()));
  });

  test("ends its comparisons when the client stops reading", async () => {
    const verifier = silent();
    const reply = setUp({ verifier, ...time.ports }).post(url, example);
    await expect.poll(() => verifier.calls).toHaveLength(1);
    await time.advance(LIMITS.heartbeat_ms);
    await (await reply).body?.cancel();
    expect(verifier.calls[0]?.signal).toMatchObject({ aborted: true, reason: "cancelled" });
  });
});

/** A room that keeps the probe and answers when told. */
function openRoom() {
  const answer = Promise.withResolvers<GatheredReward>();
  const joined = Promise.withResolvers<{ probe: ClientProbe; signal: AbortSignal }>();
  const rooms: GroupRooms = {
    forget: async () => undefined,
    named: NO_NAMED,
    join(_, signal, probe) {
      joined.resolve({ probe: probe as ClientProbe, signal });
      return answer.promise;
    },
  };
  return { rooms, answer, joined: joined.promise };
}

describe.each(CONTRACTS)("$path", ({ path, example, rewardOf }) => {
  test("begins at once when it is asked to prove its client, and proves one that reads", async () => {
    const { rooms, answer, joined } = openRoom();
    const reply = setUp({ rooms, ...time.ports }).post(path, example);
    const { probe } = await joined;
    const proof = probe();
    const text = (await reply).text();
    await time.advance(LIMITS.probe_write_gap_ms);
    expect(await proof).toBe(true);
    answer.resolve(gathered());
    expect(await text).toMatch(/^\n{3}\S/);
    expect(rewardOf(JSON.parse(await text))).toBe(path === "/evaluate" ? 0.75 : 0.5);
  });

  test("proves that a client which stopped reading has gone, and tells the room", async () => {
    const { rooms, joined } = openRoom();
    const reply = setUp({ rooms, ...time.ports }).post(path, example);
    const { probe, signal } = await joined;
    const proof = probe();
    await (await reply).body?.cancel();
    await time.advance(LIMITS.probe_write_gap_ms);
    expect(await proof).toBe(false);
    expect(signal).toMatchObject({ aborted: true, reason: "cancelled" });
  });

  test("has a status of its own for a failure however late, where no proxy cuts its silence before", async () => {
    const { rooms, answer, joined } = openRoom();
    const reply = setUp({ rooms, ...time.ports }).post(`${path}?on_failure=error&deadline_ms=95000`, example);
    await joined;
    await time.advance(LIMITS.silence_max_ms + LIMITS.heartbeat_ms - 1);
    answer.resolve(without("verifier_unavailable"));
    expect((await reply).status).toBe(503);
  });
});

/** Contracts whose clients wait longer than a proxy lets a connection be silent. */
const PATIENT = CONTRACTS.filter(({ path }) => path !== "/slime/reward");

describe.each(PATIENT)("$path with a deadline beyond a proxy's time-out", ({ path, example, rewardOf }) => {
  const begin = async () => {
    const { rooms, answer, joined } = openRoom();
    const { lines, post } = setUp({ rooms, ...time.ports });
    const reply = post(`${path}?on_failure=error&deadline_ms=140000`, example);
    await joined;
    await time.advance(LIMITS.silence_max_ms);
    return { answer, lines, text: (await reply).text() };
  };

  test("begins only when a proxy would soon cut it, and then ends in its reward", async () => {
    const { answer, text } = await begin();
    answer.resolve(gathered());
    expect(await text).toMatch(/^\n\S/);
    expect(rewardOf(JSON.parse(await text))).toBe(path === "/evaluate" ? 0.75 : 0.5);
  });

  test("breaks off when there is no reward once it has begun, and never ends in a number", async () => {
    const { answer, text } = await begin();
    answer.resolve(without("verifier_unavailable"));
    await expect(text).rejects.toThrow();
  });

  test("reports a fault of our own that comes late", async () => {
    const { answer, lines, text } = await begin();
    answer.reject(new TypeError("x"));
    await expect(text).rejects.toThrow();
    expect(lines).toMatchObject([{ event: "unexpected_error", name: "TypeError" }]);
  });
});

test.each(WHOLE)("%s with a short deadline has a status of its own for a failure, however late", async (_, client) => {
  const gate = Promise.withResolvers<void>();
  const verifier = fakeVerifier(() => ({ error: "verifier_rejected" }), { gate: gate.promise });
  const url = `${client.path}?deadline_ms=${LIMITS.silent_deadline_ms}`;
  const reply = setUp({ verifier, ...time.ports }).post(url, client.example);
  await expect.poll(() => verifier.calls).toHaveLength(1);
  await time.advance(3 * LIMITS.heartbeat_ms);
  gate.resolve();
  // The batch has a place for each reward that is missing.
  const failed = client.contract.name === "score_batch" ? 200 : "texts" in client.example ? 424 : 422;
  expect((await reply).status).toBe(failed);
});
