// The local stack's queues, with Cloudflare's limits and delivery rules. Messages are on disk, unlike in
// miniflare's queues, which keep them in memory.
import { mkdirSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { openQueueStore, type QueueStore, type StoredMessage } from "./queue-store.ts";

/**
 * Delivery settings of a queue. Must equal [[queues.consumers]] in wrangler.toml, which a test checks.
 */
export interface QueueSettings {
  queue: string;
  max_batch_size: number;
  max_retries: number;
  dead_letter_queue: string | null;
}

/** The consumer's result for a batch, in workerd's format. */
export interface BatchResult {
  outcome: string;
  ackAll: boolean;
  retryBatch: { retry: boolean; delaySeconds?: number };
  explicitAcks: readonly string[];
  retryMessages?: readonly { msgId: string; delaySeconds?: number }[];
}

export interface DeliveredMessage {
  id: string;
  body: string;
  timestamp: Date;
  attempts: number;
}

export type Deliver = (queue: string, messages: DeliveredMessage[]) => Promise<BatchResult>;

export interface LocalQueues {
  /** Writes messages to disk. @throws RangeError that names the exceeded limit */
  send(queue: string, bodies: readonly string[]): void;
  /** Handles the requests of the Worker's binding. */
  handler(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Starts delivery. */
  start(deliver: Deliver): void;
  backlog(queue: string): number;
  /**
   * Delivers due messages, for at most DRAIN_MS, then stops delivery. Messages may still be sent.
   */
  pause(): Promise<void>;
  /** Pauses delivery and closes the file. */
  close(): Promise<void>;
}

/** Delivery does not wait for a full batch: small batches cost nothing here. */
const BATCH_WAIT_MS = 5;
const FAILED_BATCH_WAIT_MS = 1_000;
/**
 * How long a stop waits for due messages, so that the database is complete when its stack has stopped.
 */
const DRAIN_MS = 3_000;

/**
 * Queues in `dataDir/queues.sqlite`. `delay_scale` shortens the consumers' retry delays, for tests.
 */
export function openLocalQueues(options: {
  dataDir: string;
  queues: readonly QueueSettings[];
  delay_scale?: number;
}): LocalQueues {
  mkdirSync(options.dataDir, { recursive: true });
  const store = openQueueStore(join(options.dataDir, "queues.sqlite"));
  const pumps = new Map(options.queues.map((queue) => [queue.queue, new Pump(queue, store, options.delay_scale ?? 1)]));
  const send = (queue: string, bodies: readonly string[]) => {
    const pump = pumps.get(queue);
    if (pump === undefined) throw new RangeError(`there is no queue ${queue}`);
    checkLimits(bodies);
    store.add(queue, bodies, Date.now());
    pump.wake();
  };
  const pause = async () => void (await Promise.all([...pumps.values()].map((pump) => pump.stop())));
  return {
    send,
    handler: (request, response) => answer(send, request, response),
    start(deliver) {
      const moved = (queue: string) => pumps.get(queue)?.wake();
      for (const pump of pumps.values()) pump.start(deliver, moved);
    },
    backlog: (queue) => store.next(queue)?.messages ?? 0,
    pause,
    async close() {
      await pause();
      store.close();
    },
  };
}

/** Checks Cloudflare's limits, whose own error messages do not name them. */
function checkLimits(bodies: readonly string[]): void {
  const { queue_message_bytes, queue_send_bytes, queue_send_messages } = LIMITS;
  const sizes = bodies.map((body) => Buffer.byteLength(body));
  const over = (what: string, name: string, limit: number) => {
    throw new RangeError(`${what} exceeds ${name} = ${limit}`);
  };
  if (bodies.length > queue_send_messages) over("the number of messages", "queue_send_messages", queue_send_messages);
  if (sizes.some((size) => size > queue_message_bytes)) over("a message", "queue_message_bytes", queue_message_bytes);
  const total = sizes.reduce((a, b) => a + b, 0);
  if (total > queue_send_bytes) over("the total size of the messages", "queue_send_bytes", queue_send_bytes);
}

async function answer(send: LocalQueues["send"], request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const queue = decodeURIComponent((request.url ?? "/").slice(1));
    send(queue, JSON.parse(Buffer.concat(parts).toString("utf8")) as string[]);
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(error instanceof RangeError ? 413 : 500).end(String(error));
  }
}

/** Delivers one queue's messages, a batch at a time. */
class Pump {
  readonly #settings: QueueSettings;
  readonly #store: QueueStore;
  readonly #delayScale: number;
  #deliver: Deliver | null = null;
  #moved: (queue: string) => void = () => {};
  #timer: NodeJS.Timeout | null = null;
  #rings = Number.POSITIVE_INFINITY;
  #running: Promise<void> | null = null;
  /** Whether the latest batch had only retries, as while the database is unreachable. */
  #failing = false;
  #stopped = false;

  constructor(settings: QueueSettings, store: QueueStore, delayScale: number) {
    this.#settings = settings;
    this.#store = store;
    this.#delayScale = delayScale;
  }

  start(deliver: Deliver, moved: (queue: string) => void): void {
    this.#deliver = deliver;
    this.#moved = moved;
    this.wake();
  }

  /** Schedules the next delivery after `wait_ms`, unless an earlier one is scheduled. */
  wake(wait_ms = BATCH_WAIT_MS): void {
    if (this.#stopped || this.#deliver === null || this.#running !== null) return;
    const at = Date.now() + wait_ms;
    if (at >= this.#rings) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#rings = at;
    this.#timer = setTimeout(() => this.#ring(), wait_ms);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const until = Date.now() + DRAIN_MS;
    await this.#running;
    while (this.#deliver !== null && Date.now() < until) {
      if (this.#store.due(this.#settings.queue, Date.now(), 1).length === 0) break;
      if ((await this.#deliverDue()) > 0) break;
    }
    this.#deliver = null;
  }

  #ring(): void {
    this.#timer = null;
    this.#rings = Number.POSITIVE_INFINITY;
    this.#running = this.#deliverDue().then((wait_ms) => {
      this.#running = null;
      const next = this.#stopped ? null : this.#store.next(this.#settings.queue);
      // Timers are limited to 31 bits; a longer delay is split.
      if (next !== null) this.wake(Math.min(2 ** 31 - 1, Math.max(wait_ms, next.visible_at - Date.now())));
    });
  }

  /** Resolves with the minimum delay before the next batch, in ms. */
  async #deliverDue(): Promise<number> {
    const { queue, max_batch_size } = this.#settings;
    const batch = this.#store.due(queue, Date.now(), max_batch_size);
    if (batch.length === 0 || this.#deliver === null) return 0;
    const messages = batch.map(({ id, body, sent_at, attempts }) => ({
      ...{ id, body, timestamp: new Date(sent_at), attempts: attempts + 1 },
    }));
    try {
      const result = await this.#deliver(queue, messages);
      this.#settle(batch, result);
      return 0;
    } catch {
      // The consumer was not reached, so this does not count as an attempt.
      return FAILED_BATCH_WAIT_MS;
    }
  }

  #settle(batch: readonly StoredMessage[], result: BatchResult): void {
    const { max_retries, dead_letter_queue } = this.#settings;
    const retries = new Map(result.retryMessages?.map(({ msgId, delaySeconds }) => [msgId, delaySeconds]));
    const all = result.retryBatch.retry || result.outcome !== "ok";
    const explicit = new Set(result.explicitAcks);
    const unacked = batch.filter(({ id }) => retries.has(id) || (all && !explicit.has(id)));
    const spent = unacked.filter(({ attempts }) => attempts >= max_retries);
    const gone = batch.filter((message) => !unacked.includes(message));
    const delay = (id: string) => 1000 * this.#delayScale * (retries.get(id) ?? result.retryBatch.delaySeconds ?? 0);
    this.#store.settle({
      acked: [...gone, ...(dead_letter_queue === null ? spent : [])].map(({ id }) => id),
      retried: unacked
        .filter((message) => !spent.includes(message))
        .map(({ id }) => ({ id, visible_at: Date.now() + Math.round(delay(id)) })),
      moved: dead_letter_queue === null ? [] : spent.map(({ id }) => ({ id, queue: dead_letter_queue })),
    });
    if (dead_letter_queue !== null && spent.length > 0) this.#moved(dead_letter_queue);
    // After an outage, deliver delayed messages at once.
    if (this.#failing && gone.length > 0) this.#store.wake(this.#settings.queue, Date.now());
    this.#failing = gone.length === 0;
  }
}
