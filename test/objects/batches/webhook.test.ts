// The webhook at a batch's end: signed as Standard Webhooks has it, retried, never redirected, sent
// only where the deployment allows.
import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DEFAULT_SPEC } from "../../../src/core/contract/spec.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { RewardsRequestSchema } from "../../../src/core/reward/requests.ts";
import { readEnv } from "../../../src/env.ts";
import { BatchJob } from "../../../src/objects/batches/batch.ts";
import { newBatch } from "../../../src/objects/batches/batch-record.ts";
import { decodeBatch, encodeBatch } from "../../../src/objects/batches/request-pieces.ts";
import { createBatchScorer } from "../../../src/objects/batches/scorer.ts";
import { backoffMs } from "../../../src/objects/batches/webhook.ts";
import { memoryValues } from "../../../src/objects/storage/memory.ts";
import { Metrics } from "../../../src/platform/counters.ts";
import { signature } from "../../../src/platform/signature.ts";
import { longest, problemOf, setUp, twoRollouts } from "../../api/routes/harness.ts";
import { fakeRunLog, fakeVerifier, fixedClock } from "../../harness/fakes.ts";

const secret = new TextEncoder().encode("0123456789abcdef0123456789abcdef");

interface Call {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

let calls: Call[];
let statuses: number[];
let origin: string;
let close: () => Promise<void>;

beforeEach(async () => {
  calls = [];
  statuses = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    calls.push({ path: request.url ?? "", headers: request.headers, body: Buffer.concat(pieces).toString() });
    const status = statuses.shift() ?? 204;
    response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
});
afterEach(() => close());

/** A batch over memory whose time is moved by hand and whose alarm is rung by hand. */
function aBatch() {
  let now = Date.UTC(2026, 10, 21);
  const runLog = fakeRunLog();
  const verifier = fakeVerifier(longest);
  const deps = { verifier, runLog, clock: fixedClock(), metrics: new Metrics(), report: () => undefined };
  const values = memoryValues(() => undefined);
  const webhooks = { hosts: [new URL(origin).host], secret };
  const open = () =>
    new BatchJob({
      values,
      score: createBatchScorer(deps),
      webhooks,
      keyLimits: null,
      now: () => now,
      report: deps.report,
    });
  const request = RewardsRequestSchema.parse(twoRollouts());
  const batch = open();
  const head = { key_name: null, route: "rewards" as const, shape: null, webhook: `${origin}/hook` };
  const given = { request, spec: DEFAULT_SPEC };
  batch.submit("01K0", newBatch(head, given), encodeBatch(given));
  const pass = (ms: number) => {
    now += ms;
  };
  return { batch, open, runLog, verifier, values, pass, now: () => now };
}

const about = async (batch: BatchJob) => (await batch.view(null, 0))?.webhook;

it("is signed over its id, its time and its body, and says no more than where to ask", async () => {
  const { batch, now } = aBatch();
  await batch.wake();
  expect(await about(batch)).toEqual({ state: "delivered", attempts: 1, last: "204" });
  const [{ path, headers, body }] = calls as [Call];
  expect([path, headers["webhook-id"], headers["webhook-timestamp"]]).toEqual([
    "/hook",
    "batch_01K0",
    `${now() / 1000}`,
  ]);
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  expect(headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", secret).update(signed).digest("base64")}`);
  expect(JSON.parse(body)).toMatchObject({
    type: "batch.done",
    data: { batch_id: "01K0", state: "done", location: "/v1/batches/01K0" },
  });
});

it("is tried again later until it is taken, over a restart too, and never again after that", async () => {
  const { batch, open, pass } = aBatch();
  statuses = [500, 302];
  await batch.wake();
  expect(await about(batch)).toEqual({ state: "waiting", attempts: 1, last: "500" });
  await batch.wake();
  expect(calls).toHaveLength(1);
  pass(LIMITS.webhook_backoff_ms);
  await batch.wake();
  expect(await about(batch)).toEqual({ state: "waiting", attempts: 2, last: "302" });
  pass(LIMITS.webhook_backoff_ms_max);
  const again = open();
  await again.wake();
  expect(await about(again)).toEqual({ state: "delivered", attempts: 3, last: "204" });
  await again.wake();
  expect(calls.map((call) => call.path)).toEqual(["/hook", "/hook", "/hook"]);
  expect(new Set(calls.map((call) => call.headers["webhook-id"])).size).toBe(1);
});

it("is given up after its last attempt, and at once when the receiver says that it is gone", async () => {
  const { batch, pass } = aBatch();
  statuses = Array(LIMITS.webhook_attempts_max).fill(503);
  for (let i = 0; i < LIMITS.webhook_attempts_max + 2; i++) {
    await batch.wake();
    pass(LIMITS.webhook_backoff_ms_max);
  }
  expect(await about(batch)).toEqual({ state: "failed", attempts: LIMITS.webhook_attempts_max, last: "503" });
  const gone = aBatch().batch;
  statuses = [410];
  await gone.wake();
  expect(await about(gone)).toEqual({ state: "failed", attempts: 1, last: "410" });
});

it("an alarm that rings twice at once runs the batch once, announces it once and logs it once", async () => {
  const { batch, verifier, runLog } = aBatch();
  await Promise.all([batch.wake(), batch.wake()]);
  await batch.wake();
  expect([verifier.jobs.length, runLog.entries.length, calls.length]).toEqual([1, 1, 1]);
});

it("a batch is forgotten a day after its end, with all that it stored", async () => {
  const { batch, values, pass } = aBatch();
  await batch.wake();
  pass(LIMITS.batch_kept_ms - 1);
  await batch.wake();
  expect((await batch.view(null, 0))?.state).toBe("done");
  pass(1);
  await batch.wake();
  expect(await batch.view(null, 0)).toBe(null);
  expect([...values.list("")]).toEqual([]);
});

it("pauses grow and stay within their limit", () => {
  const pauses = Array.from({ length: LIMITS.webhook_attempts_max }, (_, i) => backoffMs(i + 1, 1));
  expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
  expect(pauses[0]).toBe(LIMITS.webhook_backoff_ms);
  expect(pauses.at(-1)).toBe(LIMITS.webhook_backoff_ms_max);
});

it("the signature is that of the Standard Webhooks reference example", async () => {
  const known = Uint8Array.from(atob("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), (c) => c.charCodeAt(0));
  const body = '{"test": 2432232314}';
  const signed = await signature(known, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body);
  expect(signed).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

describe("Kritai-Webhook", () => {
  const webhooks = { hosts: ["hooks.example.org"], secret };
  const headers = (url: string) => ({ prefer: "respond-async", "kritai-webhook": url });

  it.each([
    ["http://hooks.example.org/a", "must be an https URL"],
    ["https://hooks.example.org:8443/a", "WEBHOOK_HOSTS"],
    ["https://hooks.example.org.evil.test/a", "WEBHOOK_HOSTS"],
    ["https://user@hooks.example.org/a", "no user and no password"],
    ["ftp://hooks.example.org/a", "must be an https URL"],
    ["hooks.example.org", "not a URL"],
    [`https://hooks.example.org/${"a".repeat(LIMITS.webhook_url_chars)}`, "webhook_url_chars"],
  ])("%s is refused: %s", async (url, why) => {
    const { post } = setUp({ webhooks });
    const problem = await problemOf(await post("/v1/rewards", twoRollouts(), headers(url)));
    expect(problem).toMatchObject({ status: 400, errors: [{ path: "Kritai-Webhook" }] });
    expect(problem.errors?.[0]?.message).toContain(why);
  });

  it("to an allowed host is taken; a deployment without webhooks says so", async () => {
    const told = Promise.withResolvers<string>();
    vi.stubGlobal("fetch", async (url: RequestInfo | URL) => {
      told.resolve(`${url}`);
      return new Response(null, { status: 204 });
    });
    const allowed = await setUp({ webhooks }).post(
      "/v1/rewards",
      twoRollouts(),
      headers("https://hooks.example.org/a?b"),
    );
    expect(allowed.status).toBe(202);
    // Told here: an attempt that is left over would be made in the midst of other tests.
    expect(await told.promise).toBe("https://hooks.example.org/a?b");
    vi.unstubAllGlobals();
    const refused = await setUp().post("/v1/rewards", twoRollouts(), headers("https://hooks.example.org/a"));
    expect(await problemOf(refused)).toMatchObject({ code: "not_configured", errors: [{ path: "WEBHOOK_HOSTS" }, {}] });
  });

  it("is configured by hosts and a whsec_ secret, and a bad value is named without being shown", () => {
    const base64 = Buffer.from(secret).toString("base64");
    const good = readEnv({ WEBHOOK_HOSTS: "Hooks.example.org, localhost:9000", WEBHOOK_SECRET: `whsec_${base64}` });
    expect(good.faults).toEqual([]);
    expect(good.config.WEBHOOK_HOSTS).toEqual(["hooks.example.org", "localhost:9000"]);
    expect([...(good.config.WEBHOOK_SECRET ?? [])]).toEqual([...secret]);
    const bad = readEnv({ WEBHOOK_HOSTS: "https://hooks.example.org", WEBHOOK_SECRET: "hunter2" });
    expect(bad.faults.map(({ path }) => path)).toEqual(["WEBHOOK_HOSTS", "WEBHOOK_SECRET"]);
    expect(JSON.stringify(bad.faults)).not.toContain("hunter2");
  });
});

it("a request of any text and any size comes back from its bytes as it was", () => {
  const texts = [
    "",
    "é".repeat(LIMITS.object_row_bytes / 3),
    "half \ud800 pair",
    "line\nend \u2028",
    "\u0000",
    "\ufeffmark",
  ];
  const groups = texts.map((text, g) => ({ group_id: `${g}`, prompt: text, rollouts: [{ text, length_tokens: g }] }));
  const given = { request: { spec: "default", deadline_ms: 100, groups }, spec: DEFAULT_SPEC };
  const pieces = encodeBatch(given);
  expect(Math.max(...pieces.map(({ byteLength }) => byteLength))).toBeLessThanOrEqual(LIMITS.object_row_bytes);
  expect(decodeBatch(pieces)).toEqual(given);
});
