// The local stack's queues: Cloudflare's limits in plain words, its delivery rules, and messages
// that outlive the process.
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { type BatchResult, type DeliveredMessage, openLocalQueues } from "../../scripts/stack/queue.ts";
import { QUEUES } from "../../scripts/stack/queue-worker.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { temporaryFolder } from "../e2e/temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());
let made = 0;

const OK: BatchResult = { outcome: "ok", ackAll: true, retryBatch: { retry: false }, explicitAcks: [] };
const retrying = (ids: string[], delaySeconds = 0): BatchResult => ({
  ...OK,
  retryMessages: ids.map((msgId) => ({ msgId, delaySeconds })),
});

function open(dataDir = `${folder.path}/${++made}`, max_retries = 2) {
  const queues = openLocalQueues({
    dataDir,
    queues: [
      { queue: "log", max_batch_size: 10, max_retries, dead_letter_queue: "dead" },
      { queue: "dead", max_batch_size: 10, max_retries, dead_letter_queue: null },
    ],
    delay_scale: 0.001,
  });
  return { ...queues, dataDir };
}

/** Answers each batch by `judge` and resolves when `until` is true of all that was delivered. */
function deliveries(
  queues: ReturnType<typeof open>,
  judge: (queue: string, messages: DeliveredMessage[]) => BatchResult,
  until: (seen: [string, DeliveredMessage[]][]) => boolean,
): Promise<[string, DeliveredMessage[]][]> {
  const seen: [string, DeliveredMessage[]][] = [];
  return new Promise((resolve) => {
    queues.start(async (queue, messages) => {
      seen.push([queue, messages]);
      if (until(seen)) setImmediate(() => resolve(seen));
      return judge(queue, messages);
    });
  });
}

describe("local queues", () => {
  it("deliver what was sent, in batches of at most max_batch_size, and forget what was acknowledged", async () => {
    const queues = open();
    const sent = Array.from({ length: 25 }, (_, i) => `m${i}`);
    queues.send("log", sent);
    const seen = await deliveries(
      queues,
      () => OK,
      (all) => all.flatMap(([, batch]) => batch).length === 25,
    );
    expect(seen.map(([, batch]) => batch.length)).toEqual([10, 10, 5]);
    expect(seen.flatMap(([, batch]) => batch.map(({ body }) => body))).toEqual(sent);
    await queues.close();
    const again = open(queues.dataDir);
    expect(again.backlog("log")).toBe(0);
    await again.close();
  });

  it("deliver what was delayed as soon as one is stored again, and what fails by itself only once more", async () => {
    const queues = open(undefined, 9);
    queues.send("log", ["a", "b"]);
    let away = true;
    const hour = 3_600_000;
    const judge = (_: string, batch: DeliveredMessage[]) => {
      const failed = batch.filter(({ body }) => away || body === "poison");
      return retrying(
        failed.map(({ id }) => id),
        hour,
      );
    };
    const seen = await deliveries(queues, judge, (all) => {
      // Meanwhile the database has come back, and the next message shows it.
      if (all.length === 1) setImmediate(() => queues.send("log", ["c", "poison"]));
      if (all.length === 2) away = false;
      if (all.length === 3) setImmediate(() => queues.send("log", ["d"]));
      return all.length === 4;
    });
    expect(seen.map(([, batch]) => batch.map(({ body }) => body))).toEqual([
      ["a", "b"],
      ["c", "poison"],
      ["a", "b", "poison"],
      ["d"],
    ]);
    expect(queues.backlog("log")).toBe(1);
    await queues.close();
  });

  it("retry one message without its healthy neighbours, and move it to the dead letters after max_retries", async () => {
    const queues = open();
    queues.send("log", ["good", "poison", "fine"]);
    const judge = (queue: string, batch: DeliveredMessage[]) =>
      queue === "dead"
        ? OK
        : retrying(
            batch.filter(({ body }) => body === "poison").map(({ id }) => id),
            1,
          );
    const seen = await deliveries(queues, judge, (all) => all.some(([queue]) => queue === "dead"));
    expect(seen.map(([queue, batch]) => [queue, batch.map(({ body, attempts }) => `${body} ${attempts}`)])).toEqual([
      ["log", ["good 1", "poison 1", "fine 1"]],
      ["log", ["poison 2"]],
      ["log", ["poison 3"]],
      ["dead", ["poison 1"]],
    ]);
    await queues.close();
  });

  it("give a batch again when its consumer failed, but not what it had acknowledged", async () => {
    const queues = open();
    queues.send("log", ["a", "b"]);
    let calls = 0;
    const judge = (_: string, batch: DeliveredMessage[]): BatchResult =>
      ++calls === 1 ? { ...OK, outcome: "exception", ackAll: false, explicitAcks: [batch[0]?.id as string] } : OK;
    const seen = await deliveries(queues, judge, (all) => all.length === 2);
    expect(seen.map(([, batch]) => batch.map(({ body }) => body))).toEqual([["a", "b"], ["b"]]);
    await queues.close();
  });

  it("lose nothing that was sent when the process ends before it was delivered", async () => {
    const first = open();
    first.send("log", ["kept"]);
    // Not closed, as after a kill: the next process opens the same file.
    const second = open(first.dataDir);
    const seen = await deliveries(
      second,
      () => OK,
      (all) => all.length === 1,
    );
    expect(seen[0]?.[1].map(({ body }) => body)).toEqual(["kept"]);
    await second.close();
    await first.close();
  });

  it("deliver what is due before they close", async () => {
    const queues = open();
    const seen: string[] = [];
    queues.start(async (_, batch) => {
      seen.push(...batch.map(({ body }) => body));
      return OK;
    });
    queues.send("log", ["last"]);
    await queues.close();
    expect(seen).toEqual(["last"]);
  });

  it("refuse what Cloudflare refuses, and name the limit", async () => {
    const queues = open();
    const message = "x".repeat(LIMITS.queue_message_bytes);
    const refused = (bodies: string[]) => expect(() => queues.send("log", bodies));
    refused([`${message}x`]).toThrow(`a message exceeds queue_message_bytes = ${LIMITS.queue_message_bytes}`);
    refused(Array(101).fill("x")).toThrow("queue_send_messages = 100");
    refused([message, message, "x"]).toThrow("queue_send_bytes = 256000");
    expect(() => queues.send("other", ["x"])).toThrow("there is no queue other");
    queues.send("log", [message, message]);
    expect(queues.backlog("log")).toBe(2);
    await queues.close();
  });
});

describe("the local queues' settings", () => {
  it("are those of wrangler.toml, for every deployment alike", () => {
    const toml = readFileSync(new URL("../../wrangler.toml", import.meta.url), "utf8");
    const consumers = toml.split(/\n(?=\[)/).filter((part) => /^\[\[(?:env\.\w+\.)?queues\.consumers\]\]/.test(part));
    expect(consumers).toHaveLength(2 * QUEUES.length);
    for (const deployment of ["kritai", "kritai-staging"]) {
      const named = (queue: string) => queue.replace("kritai", deployment);
      for (const { queue, max_batch_size, max_retries, dead_letter_queue } of QUEUES) {
        const lines = consumers.find((part) => part.includes(`\nqueue = "${named(queue)}"`))?.split("\n");
        expect(lines).toEqual(
          expect.arrayContaining([`max_batch_size = ${max_batch_size}`, `max_retries = ${max_retries}`]),
        );
        if (dead_letter_queue !== null) expect(lines).toContain(`dead_letter_queue = "${named(dead_letter_queue)}"`);
      }
    }
    expect(QUEUES[0]?.max_retries).toBe(LIMITS.log_retries_max);
  });
});
