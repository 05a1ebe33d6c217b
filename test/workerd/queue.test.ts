// The queue's consumer and the dead letters' object in the real runtime.
import { createExecutionContext, createMessageBatch, env, getQueueResult } from "cloudflare:test";
import { expect, it } from "vitest";
import type { DeadLetterSummary, LettersNamespace } from "../../src/core/contract/dead-letter.ts";
import worker from "../../src/worker.ts";

const letters = () => (env as unknown as { DEAD_LETTERS: LettersNamespace }).DEAD_LETTERS.getByName("run-log");

const message = (id: string, body: unknown, attempts = 1) => ({ id, timestamp: new Date(1_000), attempts, body });

async function consumed(queue: string, messages: ReturnType<typeof message>[]) {
  const batch = createMessageBatch(queue, messages);
  const context = createExecutionContext();
  await worker.queue(batch, env as unknown as Record<string, unknown>, context);
  return getQueueResult(batch, context);
}

it("keeps a message that is no envelope as a dead letter, in the object's storage, and acknowledges it", async () => {
  const result = await consumed("kritai-run-log", [message("bad", "not an envelope"), message("worse", { v: 9 })]);
  expect(result).toMatchObject({ explicitAcks: ["bad", "worse"], retryMessages: [] });
  expect(await letters().summary(null)).toMatchObject({
    letters: 2,
    reasons: [{ reason: "bad_envelope", letters: 2 }],
  });
});

it("keeps what the queue gave up, says so by its route, and puts it back on the queue", async () => {
  const result = await consumed("kritai-run-log-dead-letters", [message("spent", "x".repeat(1_000))]);
  expect(result.explicitAcks).toEqual(["spent"]);
  const context = createExecutionContext();
  const ask = (path: string, init?: RequestInit) =>
    worker.fetch(new Request(`http://localhost${path}`, init), env as unknown as Record<string, unknown>, context);
  const summary = (await (await ask("/v1/logs/dead-letters")).json()) as DeadLetterSummary;
  expect(summary.reasons).toContainEqual({ reason: "retries_exhausted", letters: 1 });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  const replayed = (await (await ask("/v1/logs/dead-letters/replay", init)).json()) as { replayed: number };
  expect(replayed.replayed).toBeGreaterThan(0);
});
