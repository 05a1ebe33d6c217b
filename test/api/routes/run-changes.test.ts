// The guarantees of what changes a run, over fakes: what is said of it, and that a deleted run is gone
// wherever something of it was kept.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { DeletedSchema } from "../../../src/api/routes/run-changes.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { readEnv } from "../../../src/env.ts";
import { fakeVerifier, fixedClock } from "../../harness/fakes.ts";
import { fenced, longest, problemOf, setUp, twoRollouts } from "./harness.ts";

const NONE = {
  ...{
    requests: 0,
    groups: 0,
    rollouts: 0,
    verdicts: 0,
    signals: 0,
    turns: 0,
    texts: 0,
    verdict_texts: 0,
    audit_verdicts: 0,
  },
  ...{ alarms: 0, dead_letters: 0, rooms: 0, replies: 0, batches: 0 },
};
type World = ReturnType<typeof setUp>;

const hex = (key: string) => createHash("sha256").update(key).digest("hex");
const withKeys = (entries: string) =>
  setUp({ clock: now(), keys: readEnv({ API_KEYS: entries }).config.API_KEYS ?? [] });
/** Nothing happens in one millisecond with a deletion. */
function now() {
  let moments = 0;
  return { ...fixedClock(), date: () => new Date(Date.now() + 2 * moments++) };
}
const send = ({ call }: World, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  call(path, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const deleted = async (world: World, path = "/v1/runs/r", headers: Record<string, string> = {}) => {
  const response = await send(world, "DELETE", path, undefined, headers);
  expect(response.status).toBe(200);
  return DeletedSchema.parse(await response.json());
};
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const body = () => ({ run_id: "r", step: 0, ...twoRollouts() });

describe("PUT /v1/runs/:run_id", () => {
  it("says what a run is, before its first request and after, until it is said again", async () => {
    const world = setUp();
    const said = { lr: 1e-6, commit: "abc", notes: "first try\nof two", resumed: false, model: null };
    expect(await (await send(world, "PUT", "/v1/runs/r", said)).json()).toEqual({
      run_id: "r",
      owner: null,
      metadata: said,
    });
    await world.post("/v1/rewards", body());
    expect(await (await world.call("/v1/runs/r")).json()).toMatchObject({ metadata: said, requests: 1 });
    await send(world, "PUT", "/v1/runs/r", { lr: 2 });
    expect(await (await world.call("/v1/runs/r")).json()).toMatchObject({ metadata: { lr: 2 } });
  });

  it.each([
    [{ a: {} }, "a", /expected string or number or boolean or null, got object/],
    [{ a: [1] }, "a", /expected string or number or boolean or null, got array/],
    [{ "9a": 1 }, '["9a"]', /begin with a letter/],
    [{ ["n".repeat(65)]: 1 }, expect.stringContaining("nnn"), /limit metadata_name_chars/],
    [{ a: "x".repeat(LIMITS.metadata_text_chars + 1) }, "a", /limit metadata_text_chars/],
    [Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`f${i}`, i])), "$", /metadata_fields_max = 64/],
  ])("refuses %j by its field and limit", async (given, path, message) => {
    const problem = await problemOf(await send(setUp(), "PUT", "/v1/runs/r", given));
    expect(problem.code).toBe("invalid_request");
    expect(problem.errors).toEqual([{ path, message: expect.stringMatching(message) }]);
  });
});

describe("DELETE /v1/runs/:run_id", () => {
  it("takes rows, kept replies and batches, says how many, and the second time that nothing was left", async () => {
    const world = setUp({ clock: now() });
    const key = { "idempotency-key": "k" };
    const first = await (await world.post("/v1/rewards", body(), key)).json();
    const accepted = await world.post("/v1/rewards", body(), { prefer: "respond-async" });
    const location = accepted.headers.get("location") as string;
    await (await world.call(`${location}?wait=10`)).json();
    await world.post("/v1/rewards", { ...body(), run_id: "other" });
    const { complete, deleted: gone } = await deleted(world);
    expect(complete).toBe(true);
    expect(gone).toEqual({
      ...NONE,
      requests: 2,
      groups: 2,
      rollouts: 4,
      verdicts: gone.verdicts,
      replies: 1,
      batches: 1,
    });
    expect(gone.verdicts).toBeGreaterThan(0);
    expect((await world.call("/v1/runs/r")).status).toBe(404);
    expect((await world.call(location)).status).toBe(404);
    expect(await (await world.call("/v1/runs")).json()).toMatchObject({ runs: [{ run_id: "other" }] });
    const again = await world.post("/v1/rewards", body(), key);
    expect(again.headers.get("idempotent-replayed")).toBeNull();
    expect(await again.json()).not.toMatchObject({ request_id: (first as { request_id: string }).request_id });
    // Which began the run anew.
    expect((await deleted(world)).deleted).toEqual({
      ...NONE,
      ...{ requests: 1, groups: 1, rollouts: 2 },
      verdicts: gone.verdicts / 2,
      replies: 1,
    });
    expect((await deleted(world)).deleted).toEqual(NONE);
  });

  it("ends a batch that is under way, and what it still logs is not kept", async () => {
    const gate = Promise.withResolvers<void>();
    const verifier = fakeVerifier(longest, { gate: gate.promise });
    const world = setUp({ clock: now(), verifier });
    const accepted = await world.post("/v1/rewards", body(), { prefer: "respond-async" });
    const location = accepted.headers.get("location") as string;
    await expect
      .poll(async () => ((await (await world.call(location)).json()) as { state: string }).state)
      .toBe("running");
    const plain = world.post("/v1/rewards", body(), { "idempotency-key": "k" });
    await expect.poll(() => verifier.jobs.length).toBe(2);
    const deleting = deleted(world);
    gate.resolve();
    expect((await deleting).deleted).toMatchObject({ batches: 1 });
    expect((await world.call(location)).status).toBe(404);
    expect((await plain).status).toBe(200);
    expect(world.runLog.entries).toEqual([]);
    // Its reply was kept after the deletion had looked for it, and not for long.
    const again = () => world.post("/v1/rewards", { ...body(), step: 1 }, { "idempotency-key": "k" });
    await expect.poll(async () => (await again()).status).toBe(200);
  });

  it("deletes a key's own runs, by a key that writes and reads; another's by admin, who names the owner", async () => {
    const keys = ["a:score+logs", "reader:logs", "watch:score+logs:all", "root:admin+logs"];
    const world = withKeys(keys.map((entry) => entry.replace(/^(\w+)/, (name) => `${name}:${hex(name)}`)).join(","));
    await world.post("/v1/rewards", body(), bearer("a"));
    const refused = async (name: string, query = "") =>
      (await problemOf(await send(world, "DELETE", `/v1/runs/r${query}`, undefined, bearer(name)))).detail;
    expect(await refused("reader")).toContain('scope "score"');
    expect(await refused("watch", "?owner=a")).toContain('scope "admin"');
    expect(await refused("a", "?owner=b")).toContain('scope "admin"');
    expect((await deleted(world, "/v1/runs/r", bearer("watch"))).deleted).toEqual(NONE);
    expect((await deleted(world, "/v1/runs/r", bearer("root"))).deleted).toEqual(NONE);
    expect((await deleted(world, "/v1/runs/r?owner=a", bearer("root"))).deleted).toMatchObject({ requests: 1 });
    await world.post("/v1/rewards", body(), bearer("a"));
    expect((await deleted(world, "/v1/runs/r", bearer("a"))).deleted).toMatchObject({ requests: 1 });
  });

  it("says that there is more than it had time for, and goes on when asked again", async () => {
    const clock = now();
    const world = setUp({ clock });
    for (let i = 0; i < 3; i++) await world.post("/v1/rewards", body());
    const { deleteRows } = world.runLog;
    const pieces = [{ ...NONE, requests: 2 }, null];
    let time = 0;
    clock.now = () => time;
    world.runLog.deleteRows = async () => {
      time += LIMITS.deletion_ms;
      return pieces.shift() ?? null;
    };
    expect(await deleted(world)).toMatchObject({ complete: false, deleted: { requests: 2 } });
    world.runLog.deleteRows = deleteRows;
    expect(await deleted(world)).toMatchObject({ complete: true, deleted: { requests: 3 } });
  });

  it("empties a room whose samples wait for others: they are told to come again, and nothing is kept", async () => {
    const world = setUp({ clock: now() });
    const sample = (text: string) => ({ query: [`p${fenced(text)}`], prompts: ["p"], labels: [""] });
    const waiting = world.post("/openrlhf/get_reward?run_id=r&group_size=2", sample("a"));
    await expect.poll(async () => (await deleted(world)).deleted.rooms).toBe(1);
    expect((await waiting).status).not.toBe(200);
  });

  it("empties a group that its caller has filled: nobody knows it any more", async () => {
    const world = setUp({ clock: now() });
    const body = { prompt: "p", run_id: "r", rollouts: [{ text: fenced("a") }, { text: fenced("b") }] };
    expect((await world.post("/v1/groups/mine/rollouts", body)).status).toBe(200);
    await expect.poll(async () => (await deleted(world)).deleted.rooms).toBe(1);
    expect((await world.post("/v1/groups/mine/close", {})).status).toBe(404);
  });
});
