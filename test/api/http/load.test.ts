// Holds what an isolate refuses for its own load: bodies count as they come, a key has a share, and
// whatever ends a request gives its place back.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { KeyDigest } from "../../../src/api/door/auth.ts";
import { Load } from "../../../src/api/door/load.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { fakeSpecStore, fakeVerifier } from "../../harness/fakes.ts";
import { gate } from "../../verifier/setup.ts";
import { problemOf, setUp, twoRollouts } from "../routes/harness.ts";

const MIB = 1024 * 1024;
const digestOf = (key: string) => new Uint8Array(createHash("sha256").update(key).digest());
const scopes = ["score", "logs:all"] as const;
const keys: KeyDigest[] = ["one", "two"].map((name) => ({ name, digest: digestOf(name), scopes }));

/** A body that sends what it is given, and ends on demand. */
function upload() {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start(c) {
      controller = c;
    },
  });
  return {
    body,
    send: (text: string) => controller.enqueue(new TextEncoder().encode(text)),
    /** Whether all that was sent has been read. */
    read: () => controller.desiredSize === 1,
    end: () => controller.close(),
    break: () => controller.error(new Error("reset")),
  };
}

function sending(app: ReturnType<typeof setUp>["app"], key: string, body: ReadableStream, announced?: number) {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const length = announced === undefined ? {} : { "content-length": `${announced}` };
  return app.request("http://localhost/v1/rewards", {
    ...{ method: "POST", headers: { ...headers, ...length }, body },
    duplex: "half",
  } as RequestInit);
}

const asKey = (key: string) => ({ authorization: `Bearer ${key}` });

/** A request whose prompt makes it so large. */
const sized = (bytes: number) => {
  const rollouts = Array.from({ length: Math.ceil(bytes / LIMITS.rollout_text_bytes) }, (_, i) => ({
    text: `${i}`.padEnd(LIMITS.rollout_text_bytes - 64, " "),
  }));
  return JSON.stringify({ groups: [{ prompt: "p", rollouts }] });
};

describe("uploads", () => {
  it("that stand still take no room: four of one key, announced at the largest size, keep nobody out", async () => {
    const { app, post } = setUp({ keys });
    const idle = Array.from({ length: 4 }, () => upload());
    const held = idle.map(({ body }) => sending(app, "one", body, LIMITS.body_bytes));
    for (const { send } of idle) send('{"groups"');
    for (const key of ["two", "one"]) {
      expect((await post("/v1/rewards", twoRollouts(), asKey(key))).status).toBe(200);
    }
    for (const { end } of idle) end();
    for (const reply of await Promise.all(held)) expect((await problemOf(reply)).code).toBe("invalid_json");
  });

  it("that are all but done leave room for another key's largest body, and are refused beyond their key's share", async () => {
    const { app, post, call } = setUp({ keys });
    const most = " ".repeat(LIMITS.body_bytes - 64);
    const idle = Array.from({ length: 3 }, () => upload());
    const held = idle.map(({ body }) => sending(app, "one", body, undefined));
    for (const { send } of idle) send(most);
    await expect.poll(() => idle.every(({ read }) => read())).toBe(true);
    const last = upload();
    const refused = sending(app, "one", last.body, undefined);
    last.send(most);
    last.end();
    expect((await problemOf(await refused)).detail).toContain(
      `in_flight_key_of_free = 3 times what is free, of this instance's limit in_flight_body_bytes_max = ${72 * MIB}`,
    );
    expect((await post("/v1/rewards", sized(12 * MIB), asKey("two"))).status).toBe(200);
    for (const { end } of idle) end();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([400, 400, 400]);
    const text = await (await call("/metrics", { headers: asKey("one") })).text();
    expect(text).toContain('kritai_requests_shed_total{limit="in_flight_body_bytes_max"} 1');
  });

  it("that break off are refused as such, leave no line in the log, and give their bytes back", async () => {
    const { app, lines, post } = setUp({ keys });
    const broken = upload();
    const reply = sending(app, "one", broken.body);
    broken.send(" ".repeat(LIMITS.body_bytes - 64));
    broken.break();
    expect(await problemOf(await reply)).toMatchObject({ code: "body_incomplete", status: 400, retryable: true });
    expect(lines).toEqual([]);
    expect((await post("/v1/rewards", sized(15 * MIB), asKey("one"))).status).toBe(200);
  });
});

describe("the isolate's load", () => {
  it("refuses a body whose length does not fit before it is read, and takes it again when others have ended", async () => {
    const { opened, open } = gate();
    const { post, call } = setUp({ verifier: fakeVerifier(() => "\\boxed{A}", { gate: opened }) });
    const bodies = Array.from({ length: 4 }, () => sized(17 * MIB));
    const held = bodies.map((body) => post("/v1/rewards", body));
    const shed = async () => {
      const reply = await post("/v1/rewards", "not read", { "content-length": `${6 * MIB}` });
      const { detail } = await problemOf(reply);
      return { status: reply.status, retry_after: reply.headers.get("retry-after"), detail };
    };
    const detail = expect.stringContaining(
      `at its limit in_flight_body_bytes_max = ${LIMITS.in_flight_body_bytes_max}`,
    );
    await expect.poll(shed).toEqual({ status: 503, retry_after: "1", detail });
    expect((await call("/v1/runs")).status).toBe(200);
    open();
    for (const reply of await Promise.all(held)) expect(reply.status).toBe(200);
    expect((await post("/v1/rewards", sized(15 * MIB))).status).toBe(200);
  });

  it("is given back by a client that goes before its request has come to anything", async () => {
    const specs = { ...fakeSpecStore(), get: () => new Promise<never>(() => {}) };
    const { app, post } = setUp({ specs });
    const client = new AbortController();
    const body = sized(15 * MIB).replace('{"groups', '{"spec":"stored","groups');
    const headers = { "content-type": "application/json" };
    for (let i = 0; i < 4; i++) {
      void app.request("http://localhost/v1/rewards", { method: "POST", headers, body, signal: client.signal });
    }
    await expect.poll(async () => (await problemOf(await post("/v1/rewards", sized(15 * MIB)))).code).toBe("busy");
    client.abort();
    expect((await post("/v1/rewards", sized(15 * MIB))).status).toBe(200);
  });

  it("counts no more of a body than is taken", async () => {
    const { post } = setUp();
    const huge = await post("/v1/rewards", "x", { "content-length": `${8 * LIMITS.in_flight_body_bytes_max}` });
    expect((await problemOf(huge)).code).toBe("body_too_large");
  });
});

describe("Load", () => {
  it("gives a place up that nobody gave back, once", () => {
    const load = new Load(false);
    const first = load.enter("a", 0);
    expect(first.receive(LIMITS.in_flight_body_bytes_max)).toBeNull();
    const full = { limit: "in_flight_body_bytes_max", share: false };
    expect(load.exceeded("b", 1, LIMITS.key_lease_ms - 1)).toEqual(full);
    expect(load.exceeded("b", 0, LIMITS.key_lease_ms - 1)).toBeNull();
    expect(load.exceeded("b", 1, LIMITS.key_lease_ms)).toBeNull();
    first.leave();
    expect(first.receive(1)).toBeNull();
    expect(load.enter("a", LIMITS.key_lease_ms).receive(LIMITS.in_flight_body_bytes_max)).toBeNull();
    expect(load.exceeded("b", 1, LIMITS.key_lease_ms)).toEqual(full);
  });

  it("counts work that has no request: against its key, until it ends or is given up for lost, once", () => {
    const load = new Load(true);
    const [ended, lost] = [load.work("a", 0, 1_000), load.work("a", 0, 10)];
    expect(lost.receive(18 * MIB)).toBeNull();
    expect(ended.receive(36 * MIB)).toBeNull();
    const share = { limit: "in_flight_body_bytes_max", share: true };
    expect([ended.receive(1), ended.exceeded(1), load.exceeded("a", 1, 9)]).toEqual([share, share, share]);
    expect(load.exceeded("b", 8 * MIB, 9)).toBeNull();
    expect(load.exceeded("a", 18 * MIB, 10)).toBeNull();
    lost.leave();
    expect([lost.receive(1), load.exceeded("a", 19 * MIB, 10)]).toEqual([null, share]);
    for (let time = 0; time < 2; time++) ended.leave();
    expect(load.exceeded("a", 54 * MIB, 10)).toBeNull();
    expect(load.exceeded("a", 54 * MIB + 1, 10)).toEqual(share);
  });

  it("leaves every key that comes something, of bytes and of requests, however many came before", () => {
    const load = new Load(true);
    const PIECE = 4096;
    for (const key of ["a", "b", "c"]) {
      let own = 0;
      const place = load.enter(key, 0);
      while (place.receive(PIECE) === null) own += PIECE;
      expect(load.exceeded(key, PIECE, 0)).toEqual({ limit: "in_flight_body_bytes_max", share: true });
      if (key === "a") expect(own).toBe(54 * MIB);
      expect(own).toBeGreaterThan(2 * MIB);
    }
    let requests = 0;
    for (; load.exceeded("a", 0, 0) === null; requests++) load.enter("a", 0);
    expect(requests).toBeGreaterThan(24_000);
    expect(load.exceeded("a", 0, 0)).toEqual({ limit: "in_flight_requests_max", share: true });
    expect(load.exceeded("d", 0, 0)).toBeNull();
  });
});
