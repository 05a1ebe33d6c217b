// The guarantees of groups that their callers name which only real Durable Objects can show: calls between
// isolates, storage over restarts, the alarm that deletes.
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import { type RewardsReply, RewardsReplySchema } from "../../src/core/contract/rewards-reply.ts";
import type { GroupState } from "../../src/objects/gathering/group-state.ts";
import { createRoomStore } from "../../src/objects/gathering/room-store.ts";
import { durableValues } from "../../src/objects/storage/durable.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sha256Hex } from "../../src/platform/sha256.ts";

const objects = (env as unknown as { GROUP_ROOM: DurableObjectNamespace }).GROUP_ROOM;
const program = (i: number) => ({ text: `\`\`\`python\n${i === 3 ? "BETTER = 3" : `x = ${i}`}\n\`\`\`` });

const post = (path: string, body: unknown) =>
  exports.default.fetch(`http://localhost${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

async function added(group: string, position: number, more: object = {}): Promise<unknown> {
  const spec = { judge: { model: group } };
  const body = { prompt: "p", spec, position, rollouts: [program(position)], ...more };
  return (await post(`/v1/groups/${group}/rollouts`, body)).json();
}

async function closed(group: string): Promise<RewardsReply> {
  const response = await post(`/v1/groups/${group}/close`, {});
  if (response.status !== 200) throw new Error(await response.text());
  return RewardsReplySchema.parse(await response.json());
}

const stubOf = async (group: string) => objects.getByName(await sha256Hex(JSON.stringify(["named", null, group])));

test("what was added outlives the object, and is rewarded once", async () => {
  expect(await added("lives", 3)).toMatchObject({ members: 1, state: "gathering" });
  await abortAllDurableObjects();
  expect(await added("lives", 1)).toMatchObject({ members: 2 });
  await abortAllDurableObjects();
  expect(await added("lives", 1)).toMatchObject({ members: 2 });
  const reply = await closed("lives");
  expect(reply.rewards).toEqual([[0, 1]]);
  expect(reply.groups[0]).toMatchObject({ group_id: "lives", positions: [1, 3], verifier: { generations: 1 } });
  await abortAllDurableObjects();
  expect(await closed("lives")).toEqual(reply);
});

test("one whose size is reached is judged by its alarm where its object is gone", async () => {
  await added("sized", 0, { size: 2 });
  expect(await added("sized", 1, { size: 2, rollouts: [program(3)] })).toMatchObject({ state: "judging" });
  await abortAllDurableObjects();
  await runDurableObjectAlarm(await stubOf("sized"));
  expect(await added("sized", 1, { size: 2, rollouts: [program(3)] })).toMatchObject({ state: "judged" });
  expect((await closed("sized")).rewards).toEqual([[0, 1]]);
});

test("nothing is left of one that nobody asks for any more", async () => {
  await added("over", 0);
  await runInDurableObject(await stubOf("over"), (_, state) => {
    const store = createRoomStore(durableValues(state), systemClock);
    const [group] = store.groups() as [GroupState];
    store.saveGroup({ ...group, forget_at: Date.now() - 1 });
    store.flush();
  });
  await abortAllDurableObjects();
  // A stub whose object ended is broken.
  const stub = await stubOf("over");
  await runDurableObjectAlarm(stub);
  await runInDurableObject(stub, async (_, state) => {
    expect([...durableValues(state).list("")]).toEqual([]);
    expect(await state.storage.getAlarm()).toBeNull();
  });
});
