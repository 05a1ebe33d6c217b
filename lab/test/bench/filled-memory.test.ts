// What templates fill, in the real runtime: one count for the Worker and for the batches of its
// isolate. What it comes to in memory is for `npm run lab -- bench --only filled-memory`.
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleWorker } from "../../../scripts/stack/bundle.ts";
import { FILLINGS, filledRequest, startSilentJudge } from "../../bench/filled-memory.ts";
import { type BareWorkerd, startWorkerd } from "../../bench/workerd.ts";

let judge: Awaited<ReturnType<typeof startSilentJudge>>;
let workerd: BareWorkerd;
beforeAll(async () => {
  judge = await startSilentJudge();
  const vars = { VERIFIER_URL: judge.url, VERIFIER_MODEL: "m", VERIFIER_PROTOCOL: "openai" };
  workerd = await startWorkerd({ script: await bundleWorker(), vars, objects: true });
});
afterAll(async () => {
  await workerd.close();
  judge.close();
});

const send = (body: string, more: { signal?: AbortSignal; headers?: Record<string, string> } = {}) =>
  fetch(`${workerd.url}/v1/rewards`, {
    ...{ method: "POST", body, ...more },
    headers: { "content-type": "application/json", ...more.headers },
  });

/** Refusals by the bound on bytes, as the isolate counts them. */
async function shed(): Promise<number> {
  const text = await (await fetch(`${workerd.url}/metrics`)).text();
  return Number(/kritai_requests_shed_total\{limit="in_flight_body_bytes_max"\} (\d+)/.exec(text)?.[1] ?? 0);
}

it("is refused while it is held, from another request and in a batch's object, and given back with its client", async () => {
  const tooMuch = await send(filledRequest(FILLINGS.refused));
  expect([tooMuch.status, await tooMuch.text()]).toEqual([400, expect.stringContaining("filled_request_chars")]);
  expect(judge.asked()).toBe(0);
  const body = filledRequest(FILLINGS.held);
  const client = new AbortController();
  const held = send(body, { signal: client.signal }).catch(() => "gone");
  await expect.poll(judge.asked).toBeGreaterThan(0);
  const refused = await send(body);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await refused.text()).toContain("in_flight_body_bytes_max");
  expect(await shed()).toBe(1);
  const accepted = await send(body, { headers: { prefer: "respond-async" } });
  expect(accepted.status).toBe(202);
  await expect.poll(shed).toBe(2);
  const where = `${workerd.url}${accepted.headers.get("location")}`;
  const batch = async () => (await (await fetch(where)).json()) as { progress: { comparisons_total: number } };
  expect(await batch()).toMatchObject({ state: "running", progress: { comparisons_total: 0 } });
  client.abort();
  expect(await held).toBe("gone");
  await expect.poll(async () => (await batch()).progress.comparisons_total).toBe(256);
  expect((await send(body)).status).toBe(503);
  const cancelled = await fetch(where, { method: "DELETE" });
  expect(await cancelled.json()).toMatchObject({ state: "cancelled" });
});
