// Holds what /metrics promises of a deployment: one number, whichever isolates and objects counted, kept over
// restarts.
import { abortAllDurableObjects } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { ProbesStub } from "../../src/objects/counts/read-probes.ts";
import { type CountsNamespace, createDeploymentCounts } from "../../src/objects/counts/remote.ts";
import type { ObjectNamespace } from "../../src/objects/storage/reach.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { Metrics } from "../../src/platform/counters.ts";

const namespace = (env as unknown as { DEPLOYMENT_TOTALS: CountsNamespace }).DEPLOYMENT_TOTALS;
const isolate = () => {
  const metrics = new Metrics();
  return { metrics, counts: createDeploymentCounts(metrics, namespace, systemClock) };
};

test("what several isolates counted is one number, once, also after the object's restart", async () => {
  const [one, other] = [isolate(), isolate()];
  one.metrics.add("kritai_log_failures_total", 2);
  one.metrics.observe("kritai_verifier_seconds", 0.3);
  one.metrics.peak("kritai_in_flight_max", 7);
  await one.counts.text();
  await abortAllDurableObjects();
  other.metrics.add("kritai_log_failures_total", 3);
  other.metrics.observe("kritai_verifier_seconds", 0.004);
  other.metrics.peak("kritai_in_flight_max", 5);
  const text = await other.counts.text();
  expect(text).toContain("kritai_log_failures_total 5\n");
  expect(text).toContain('kritai_verifier_seconds_bucket{le="0.005"} 1\n');
  expect(text).toContain("kritai_verifier_seconds_count 2\n");
  expect(text).toContain("kritai_in_flight_max 7\n");
  expect(await one.counts.text()).toBe(text);
});

test("a request that was answered is counted in what the Worker shows", async () => {
  const worker = (exports as unknown as { default: Fetcher }).default;
  const total = async () => {
    const text = await (await worker.fetch("http://127.0.0.1/metrics")).text();
    return Number(/kritai_requests_total\{route="\/healthz",status="200"\} (\d+)/.exec(text)?.[1] ?? 0);
  };
  const before = await total();
  await worker.fetch("http://127.0.0.1/healthz");
  expect(await total()).toBe(before + 1);
});

test("one caller probes a model, and the outcome stays after the object's restart", async () => {
  const probes = (env as unknown as { DEPLOYMENT_TOTALS: ObjectNamespace<ProbesStub> }).DEPLOYMENT_TOTALS;
  const now = Date.now();
  const claims = await Promise.all([0, 1, 2].map(() => probes.getByName("deployment").claimProbe("a:1", now)));
  expect(claims.filter((claimed) => claimed)).toHaveLength(1);
  const depths = [
    { tokens: 100, read: true },
    { tokens: 200, read: false },
  ];
  await probes.getByName("deployment").keepProbe("a:1", { depths, error: null, refused: false }, now + 5);
  await abortAllDurableObjects();
  expect(await probes.getByName("deployment").probes()).toMatchObject([{ key: "a:1", at: now + 5, depths }]);
  expect(await probes.getByName("deployment").claimProbe("a:1", now + 86_399_999)).toBe(false);
  expect(await probes.getByName("deployment").claimProbe("a:1", now + 86_400_000)).toBe(true);
});
