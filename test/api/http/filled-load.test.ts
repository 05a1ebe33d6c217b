// What templates fill counts against an isolate's memory as bodies do, though their own are small.
import { expect, it } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { AnySpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { fakeSpecStore, fakeVerifier } from "../../harness/fakes.ts";
import { gate } from "../../verifier/setup.ts";
import { problemOf, setUp } from "../routes/harness.ts";

const GROUPS = 7;
const SHED = 'kritai_requests_shed_total{limit="in_flight_body_bytes_max"} 1';
const FIELD_CHARS = 4_096;
const TIMES = 200;

const filling = (field: string) => ({
  kind: "score_model",
  range: [0, 10],
  input: [{ role: "user", content: `${`{{item.${field}}}`.repeat(TIMES)} {{sample.output_text}}` }],
});
const WHOLE = { candidate: { extract: "whole" } };
const SPEC = { signals: { it: filling("a") }, ...WHOLE };

/** Fills one group as much: with so many signals. */
const MANY = Array.from({ length: GROUPS }, (_, s) => [`s${s}`, filling("label")] as const);
const GATHERED = { signals: Object.fromEntries(MANY), reward: "s0", ...WHOLE };

/** Some 30 KiB that fill 5.6 MiB of prompts. */
const costly = () => ({
  spec: SPEC,
  groups: Array.from({ length: GROUPS }, (_, g) => ({
    prompt: `Prompt ${g}`,
    item: { a: "x".repeat(FIELD_CHARS) },
    rollouts: [{ text: "It is 4." }, { text: "It is 5." }],
  })),
});

/** An app whose verifier waits, and requests that fill all that it holds: three copies each. */
async function filledUp() {
  const { opened, open } = gate();
  const verifier = fakeVerifier(() => "\\boxed{5}", { gate: opened });
  const specs = fakeSpecStore();
  await specs.put("filled", AnySpecSchema.parse(GATHERED));
  const app = setUp({ verifier, specs });
  const body = JSON.stringify(costly());
  expect(body.length).toBeLessThan(40_000);
  const held: Promise<Response>[] = [];
  const each = 3 * GROUPS * FIELD_CHARS * TIMES;
  for (let bytes = each; bytes < LIMITS.in_flight_body_bytes_max; bytes += each) {
    held.push(app.post("/v1/rewards", body) as Promise<Response>);
    await expect.poll(() => verifier.jobs.length).toBe(held.length * GROUPS);
  }
  return { ...app, verifier, body, held, open };
}

it("refuses what would fill more than an isolate holds, while others are judged, and takes it when they are", async () => {
  const { post, body, held, open } = await filledUp();
  const refused = await post("/v1/rewards", body);
  expect([held.length, refused.status, refused.headers.get("retry-after")]).toEqual([3, 503, "1"]);
  expect(await problemOf(refused)).toMatchObject({
    code: "busy",
    detail: expect.stringContaining(`in_flight_body_bytes_max = ${LIMITS.in_flight_body_bytes_max}`),
  });
  open();
  for (const reply of await Promise.all(held)) expect(reply.status).toBe(200);
  expect((await post("/v1/rewards", body)).status).toBe(200);
});

/** One sample of a group whose templates fill as much. */
const slime = (i: number) => ({
  prompt: "Prompt",
  response: `It is ${i}.`,
  label: "x".repeat(FIELD_CHARS),
});

it("refuses a gathered group alike, whose samples find it judged when they come again", async () => {
  const { post, verifier, held, open } = await filledUp();
  const send = () => [0, 1].map((i) => post("/slime/reward?group_size=2&spec=filled", slime(i)));
  const asked = verifier.jobs.length;
  for (const reply of await Promise.all(send())) {
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await reply.text()).toContain("in_flight_body_bytes_max");
  }
  expect(verifier.jobs.length).toBe(asked);
  open();
  for (const reply of await Promise.all(held)) expect(reply.status).toBe(200);
  for (const reply of await Promise.all(send())) expect(reply.status).toBe(200);
});

it("lets a batch wait until there is room, and counts what it asks once", async () => {
  const { post, call, verifier, body, held, open } = await filledUp();
  const asked = verifier.jobs.length;
  const accepted = await post("/v1/rewards", body, { prefer: "respond-async" });
  expect(accepted.status).toBe(202);
  const where = accepted.headers.get("location") as string;
  const poll = async (query = "") => (await (await call(where + query)).json()) as Record<string, unknown>;
  await expect.poll(async () => (await poll()).state).toBe("running");
  await expect.poll(async () => (await (await call("/metrics")).text()).includes(SHED)).toBe(true);
  expect([verifier.jobs.length, await poll()]).toMatchObject([asked, { progress: { comparisons_total: 0 } }]);
  open();
  for (const reply of await Promise.all(held)) expect(reply.status).toBe(200);
  const ended = await poll("?wait=20");
  expect(ended).toMatchObject({
    state: "done",
    progress: { comparisons_total: 2 * GROUPS, comparisons_done: 2 * GROUPS },
  });
});

it("ends the wait of a batch that is cancelled", async () => {
  const { post, call, verifier, body, open } = await filledUp();
  const asked = verifier.jobs.length;
  const accepted = await post("/v1/rewards", body, { prefer: "respond-async" });
  const where = accepted.headers.get("location") as string;
  await expect.poll(async () => (await (await call("/metrics")).text()).includes(SHED)).toBe(true);
  const cancelled = await call(where, { method: "DELETE" });
  expect(await cancelled.json()).toMatchObject({ state: "cancelled" });
  open();
  await expect.poll(async () => (await post("/v1/rewards", body)).status).toBe(200);
  expect(verifier.jobs.length).toBe(asked + GROUPS);
});
