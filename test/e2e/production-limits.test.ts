// The emulation of production's limits can itself fail: each limit, broken on purpose, is noticed.
import { AsyncLocalStorage } from "node:async_hooks";
import { expect, test, vi } from "vitest";
import { Ledger, PRODUCTION } from "../harness/production-limits/ledger.ts";

const newLedger = () => new Ledger(new AsyncLocalStorage());
const answered = () => Promise.resolve(new Response("ok"));

test("a seventh fetch waits until one of six has its headers, and is counted", async () => {
  const ledger = newLedger();
  const gates = Array.from({ length: 7 }, () => Promise.withResolvers<Response>());
  let sent = 0;
  const bare = () => (gates[sent++] as PromiseWithResolvers<Response>).promise;
  await ledger.run(async () => {
    const all = gates.map(() => ledger.fetch(bare, "http://verifier"));
    expect(sent).toBe(PRODUCTION.headers_waiting_max);
    gates[0]?.resolve(new Response("headers"));
    await all[0];
    await expect.poll(() => sent).toBe(7);
    for (const { resolve } of gates) resolve(new Response("headers"));
    await Promise.all(all);
  });
  expect(ledger.report()).toMatchObject({ held_back: 1, headers_waiting_max: 6, violations: [] });
});

test("sends to a queue are among the six", async () => {
  const ledger = newLedger();
  const gate = Promise.withResolvers<Response>();
  await ledger.run(async () => {
    const sends = Array.from({ length: 5 }, () => ledger.send([{ body: "x" }], () => gate.promise));
    const fetches = Array.from({ length: 2 }, () => ledger.fetch(() => gate.promise, "http://database"));
    gate.resolve(new Response("headers"));
    await Promise.all([...sends, ...fetches]);
  });
  expect(ledger.report()).toMatchObject({ held_back: 1, headers_waiting_max: 6, violations: [] });
});

test("an aborted fetch gives its place back at once", async () => {
  const ledger = newLedger();
  const controller = new AbortController();
  await ledger.run(async () => {
    const hung = () => new Promise<Response>(() => {});
    for (let k = 0; k < 6; k++) void ledger.fetch(hung, "http://verifier", { signal: controller.signal });
    controller.abort();
    await ledger.fetch(answered, "http://database");
  });
  expect(ledger.report().held_back).toBe(0);
});

test("the 10,001st subrequest of an invocation is refused, and those of another are not", async () => {
  const ledger = newLedger();
  const many = async (count: number) => {
    for (let k = 0; k < count; k++) await ledger.fetch(answered, "http://verifier");
  };
  await ledger.run(() => many(PRODUCTION.subrequests_max));
  expect(ledger.report().violations).toEqual([]);
  await expect(ledger.run(() => many(PRODUCTION.subrequests_max + 1))).rejects.toThrow("production limit");
  expect(ledger.report().violations).toHaveLength(1);
});

test("sends to a queue are subrequests too, as many as fetches", async () => {
  const ledger = newLedger();
  const send = () => ledger.send([{ body: "x" }], async () => {});
  const over = ledger.run(async () => {
    await ledger.fetch(answered, "http://verifier");
    for (let k = 0; k < PRODUCTION.subrequests_max; k++) await send();
  });
  await expect(over).rejects.toThrow("more than 10000 subrequests");
});

test.each([
  ["a message of 128,001 bytes", [{ body: "x".repeat(128_001) }]],
  ["a message whose characters take more bytes than it has", [{ body: "é".repeat(64_001) }]],
  ["101 messages", Array.from({ length: 101 }, () => ({ body: "x" }))],
  ["256,001 bytes at once", Array.from({ length: 3 }, () => ({ body: "x".repeat(85_334) }))],
])("a queue refuses %s", async (_, messages) => {
  const ledger = newLedger();
  const sent = ledger.run(() => ledger.send(messages, async () => {}));
  await expect(sent).rejects.toThrow("production limit");
  expect(ledger.report().violations).toHaveLength(1);
});

test("events of one object share its six places", async () => {
  const ledger = newLedger();
  const room = {};
  const gates = Array.from({ length: 7 }, () => Promise.withResolvers<Response>());
  let sent = 0;
  const bare = () => (gates[sent++] as PromiseWithResolvers<Response>).promise;
  const all = gates.map(() => ledger.run(() => ledger.fetch(bare, "http://verifier"), room));
  expect([sent, ledger.report().held_back]).toEqual([6, 1]);
  for (const { resolve } of gates) resolve(new Response("headers"));
  await expect.poll(() => sent).toBe(7);
  await Promise.all(all);
});

test.each([
  ["goes while it is under way", false],
  ["had gone before it was begun", true],
])("work of more than 30 s for a client that %s is noticed", async (_, early) => {
  vi.useFakeTimers();
  try {
    const ledger = newLedger();
    const client = new AbortController();
    if (early) client.abort();
    const { promise, resolve } = Promise.withResolvers<void>();
    ledger.afterDisconnect(client.signal, promise);
    client.abort();
    vi.advanceTimersByTime(PRODUCTION.after_disconnect_ms_max + 1);
    resolve();
    await promise;
    await vi.advanceTimersByTimeAsync(0);
    expect(ledger.report().violations).toEqual([
      `work of ${PRODUCTION.after_disconnect_ms_max + 1} ms after the client had gone`,
    ]);
  } finally {
    vi.useRealTimers();
  }
});
