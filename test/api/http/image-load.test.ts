// Images that judges are shown count against an isolate's memory once for each judge, besides the body.
import { expect, it } from "vitest";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { fakeVerifier } from "../../harness/fakes.ts";
import { gate } from "../../verifier/setup.ts";
import { problemOf, setUp } from "../routes/harness.ts";

const SHED = 'kritai_requests_shed_total{limit="in_flight_body_bytes_max"} 1';
const JUDGES = 16;
const IMAGE = Buffer.from(`\x89PNG\r\n\x1a\n${"x".repeat(900_000)}`, "latin1").toString("base64");
const GRADE = { kind: "grade", judge: { preset: "trajectory-point", images: true } };

/** 1.2 MiB that 16 judges are shown: 18 MiB more. */
const BODY = JSON.stringify({
  spec: {
    candidate: { extract: "whole" },
    signals: Object.fromEntries(Array.from({ length: JUDGES }, (_, s) => [`s${s}`, GRADE])),
  },
  groups: [
    {
      prompt: [
        { role: "user", content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${IMAGE}` } }] },
      ],
      rollouts: [{ text: "A cat." }],
    },
  ],
});

/** An app whose verifier waits, and as many requests as fill it. */
async function filledUp() {
  const { opened, open } = gate();
  const verifier = fakeVerifier(() => '{"turn": 1, "grade": 5}', { gate: opened });
  const app = setUp({ verifier });
  const held: Promise<Response>[] = [];
  const each = JUDGES * IMAGE.length + BODY.length;
  for (let bytes = each; bytes < LIMITS.in_flight_body_bytes_max; bytes += each) {
    held.push(app.post("/v1/rewards", BODY) as Promise<Response>);
    await expect.poll(() => verifier.jobs.length).toBe(held.length * JUDGES);
  }
  return { ...app, verifier, held, open };
}

it("refuses more than an isolate holds, while others are judged, and takes it when they are", async () => {
  const { post, held, open } = await filledUp();
  const refused = await post("/v1/rewards", BODY);
  expect([held.length, refused.status, refused.headers.get("retry-after")]).toEqual([3, 503, "1"]);
  expect(await problemOf(refused)).toMatchObject({
    code: "busy",
    detail: expect.stringContaining(`in_flight_body_bytes_max = ${LIMITS.in_flight_body_bytes_max}`),
  });
  open();
  for (const reply of await Promise.all(held)) expect(reply.status).toBe(200);
  expect((await post("/v1/rewards", BODY)).status).toBe(200);
});

it("lets a batch wait until there is room, and counts what it asks once", async () => {
  const { post, call, verifier, held, open } = await filledUp();
  const asked = verifier.jobs.length;
  const accepted = await post("/v1/rewards", BODY, { prefer: "respond-async" });
  expect(accepted.status).toBe(202);
  const where = accepted.headers.get("location") as string;
  const poll = async (query = "") => (await (await call(where + query)).json()) as Record<string, unknown>;
  await expect.poll(async () => (await poll()).state).toBe("running");
  await expect.poll(async () => (await (await call("/metrics")).text()).includes(SHED)).toBe(true);
  expect([verifier.jobs.length, await poll()]).toMatchObject([asked, { progress: { comparisons_total: 0 } }]);
  open();
  for (const reply of await Promise.all(held)) expect(reply.status).toBe(200);
  expect(await poll("?wait=20")).toMatchObject({
    state: "done",
    progress: { comparisons_total: JUDGES, comparisons_done: JUDGES },
  });
});

it("ends the wait of a batch that is cancelled", async () => {
  const { post, call, verifier, open } = await filledUp();
  const asked = verifier.jobs.length;
  const accepted = await post("/v1/rewards", BODY, { prefer: "respond-async" });
  const where = accepted.headers.get("location") as string;
  await expect.poll(async () => (await (await call("/metrics")).text()).includes(SHED)).toBe(true);
  const cancelled = await call(where, { method: "DELETE" });
  expect(await cancelled.json()).toMatchObject({ state: "cancelled" });
  open();
  await expect.poll(async () => (await post("/v1/rewards", BODY)).status).toBe(200);
  expect(verifier.jobs.length).toBe(asked + JUDGES);
});
