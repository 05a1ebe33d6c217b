// How long a place of an incomplete group is waited for, in virtual time.
import { expect, it } from "vitest";
import { createLocalRooms } from "../../../src/objects/gathering/local.ts";
import { VirtualTime } from "../../harness/virtual-time.ts";
import { judgingDeps, never, sampleOf } from "./setup.ts";

const time = new VirtualTime();

/** The end of a wait, with time moved until it is known. */
async function settled<T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [result] = await time.until(Promise.allSettled([promise]));
  return result;
}

it("a place is waited for twice as long at each try, and the last but one until the group's deadline", async () => {
  const rooms = createLocalRooms(judgingDeps(undefined, undefined, time.clock));
  const times = { group_size: 3, window_ms: 60_000, patience_ms: 20, tries: 4, answer_within_ms: 400 };
  const began = time.now;
  for (const waited of [20, 20 + 40]) {
    const letGo = await settled(rooms.join(sampleOf("a", times), never()));
    expect(letGo).toMatchObject({ status: "rejected", reason: { code: "gathering" } });
    expect(time.now - began).toBe(waited);
  }
  const letGo = time.now;
  const held = ["a", "bb"].map((code, i) => rooms.join(sampleOf(code, { ...times, tries: 4 - 3 * i }), never()));
  // Judged or not: how long that takes is not virtual time.
  for (const one of held) expect(await settled(one)).toMatchObject({ value: { closed: "deadline" } });
  expect(time.now - letGo).toBeGreaterThanOrEqual(400 * 0.5);
});
