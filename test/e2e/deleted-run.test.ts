// A run that was deleted is gone: texts that came by every way are searched by content in every
// table, object and file, also of what was still queued.
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleWorker } from "../../scripts/stack/bundle.ts";
import { answer } from "../harness/mock-behaviours.ts";
import { type MockVerifier, startMockVerifier } from "../harness/mock-verifier.ts";
import { filesWith, startOnDisk } from "./held-texts.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
let mock: MockVerifier;
beforeAll(async () => {
  mock = await startMockVerifier(() => answer("mark-of-the-verdict: the first.\n\\boxed{A}"));
});
afterAll(async () => {
  await mock.close();
  folder.remove();
});

const RUN = "run-to-delete";
const SPEC = { log_texts: true, log_verdicts: true };
const WAYS = ["batch", "kept", "gathered", "later", "letter", "queued", "waiting"] as const;
const mark = (way: string) => `mark-of-${way}-rollout`;
const program = (text: string) => `\`\`\`python\nprint("${text}")\n\`\`\``;
const body = (way: string, run_id = RUN) => ({
  ...{ run_id, step: 0, spec: SPEC },
  groups: [{ prompt: `Prompt, ${mark(way)}.`, rollouts: [{ text: program(mark(way)) }, { text: program("0") }] }],
});

/** A message that no Worker can store: its rows have a column that no table has. */
const unstorable = () => ({
  ...{ v: 1, request_id: "01KAHG5J00AAAAAAAAAAAAAAAA", head: null },
  shared: { spec_hash: "sha256:0", run_id: RUN, step: 0, key_name: null, created_at: new Date().toISOString() },
  rows: { texts: { keys: ["newer", "text"], rows: [[1, mark("letter")]] } },
});

it("leaves nothing of a deleted run in tables, objects and files, and all of another", async () => {
  const dataDir = folder.path;
  const stack = await startOnDisk(dataDir, await bundleWorker(), mock.url);
  const call = (method: string, path: string, given?: object, headers: Record<string, string> = {}) =>
    fetch(stack.url + path, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(given !== undefined && { body: JSON.stringify(given) }),
    });
  const get = async (path: string) => (await (await call("GET", path)).json()) as Record<string, unknown>;
  const sample = (text: string, prompt: string) => ({ query: [prompt + text], prompts: [prompt], labels: [""] });
  const gathered = (text: string, prompt = "Prompt.") =>
    call("POST", `/openrlhf/get_reward?run_id=${RUN}&spec=texts&group_size=2`, sample(program(text), prompt));
  try {
    expect((await call("PUT", "/v1/specs/texts", SPEC)).status).toBe(200);
    expect((await call("PUT", `/v1/runs/${RUN}`, { notes: "mark-of-metadata" })).status).toBe(200);
    expect((await call("POST", "/v1/rewards", body("batch"))).status).toBe(200);
    expect((await call("POST", "/v1/rewards", body("other", "another"))).status).toBe(200);
    expect((await call("POST", "/v1/rewards", body("kept"), { "idempotency-key": "k" })).status).toBe(200);
    const both = await Promise.all([gathered(mark("gathered")), gathered("1")]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    const location = (await call("POST", "/v1/rewards", body("later"), { prefer: "respond-async" })).headers.get(
      "location",
    ) as string;
    expect(await get(`${location}?wait=30`)).toMatchObject({ state: "done" });
    stack.send(unstorable());
    await expect.poll(() => get("/v1/logs/dead-letters")).toMatchObject({ letters: 1 });
    await expect.poll(() => stack.backlog()).toBe(0);
    expect(await stack.tablesWith(mark("batch"))).toEqual(["texts"]);
    expect(await stack.tablesWith("mark-of-the-verdict")).toEqual(["verdict_texts"]);
    stack.hold();
    expect((await call("POST", "/v1/rewards", body("queued"))).status).toBe(200);
    const waiting = gathered(mark("waiting"), "Another.");
    // Its room has the sample once the list of the run has the room.
    await expect.poll(async () => filesWith(dataDir, mark("waiting")).length).toBeGreaterThan(0);

    const said = (await (await call("DELETE", `/v1/runs/${RUN}`)).json()) as { deleted: Record<string, number> };
    expect(said).toMatchObject({ run_id: RUN, complete: true });
    expect(said.deleted).toMatchObject({ requests: 4, dead_letters: 1, rooms: 2, replies: 1, batches: 1 });
    for (const table of ["groups", "rollouts", "verdicts", "texts", "verdict_texts"]) {
      expect([table, (said.deleted[table] as number) > 0]).toEqual([table, true]);
    }
    expect((await waiting).status).not.toBe(200);
    stack.release();
    await expect.poll(() => stack.backlog()).toBe(0);
    expect((await call("GET", `/v1/runs/${RUN}`)).status).toBe(404);
    expect((await call("GET", location)).status).toBe(404);
    expect(await get("/v1/logs/dead-letters")).toMatchObject({ letters: 0 });
    for (const way of WAYS) expect([way, await stack.tablesWith(mark(way))]).toEqual([way, []]);
    expect(await stack.tablesWith("mark-of-metadata")).toEqual([]);
    expect(await stack.tablesWith(mark("other"))).toEqual(["texts"]);
    const again = (await (await call("DELETE", `/v1/runs/${RUN}`)).json()) as typeof said;
    expect(Object.values(again.deleted).every((count) => count === 0)).toBe(true);
  } finally {
    await stack.close();
  }
  for (const way of WAYS) expect([way, filesWith(dataDir, mark(way))]).toEqual([way, []]);
  expect(filesWith(dataDir, "mark-of-metadata")).toEqual([]);
  expect(filesWith(dataDir, mark("other")).length).toBeGreaterThan(0);
});
