// The local stack's queues: Cloudflare's limits and delivery rules over messages on disk, which miniflare's
// own queues keep in memory.
import { mkdirSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { openQueueStore, type QueueStore, type StoredMessage } from "./queue-store.ts";

/**
 * How a queue is delivered; wrangler.toml's [[queues.consumers]], which a test holds together with
 * these.
 */
export interface QueueSettings {
  queue: string;
  max_batch_size: number;
  max_retries: number;
  dead_letter_queue: string | null;
}

/** A consumer's answer about a batch: workerd's own result. */
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
  /** Puts messages on disk, or throws a RangeError that names the limit. */
  send(queue: string, bodies: readonly string[]): void;
  /** The queue's end of the Worker's binding. */
  handler(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** From here on messages are delivered. */
  start(deliver: Deliver): void;
  backlog(queue: string): number;
  /**
   * Delivers what is due, for `drain_ms` at most, then nothing more. Messages may still be sent.
   */
  pause(): Promise<void>;
  /** Pauses and closes the file. */
  close(): Promise<void>;
}

/** A wait that no message has to fill: a small batch costs nothing here. */
const BATCH_WAIT_MS = 5;
const FAILED_BATCH_WAIT_MS = 1_000;
/**
 * How long an end waits for what could be stored at once, so that a database is whole when its
 * stack has ended.
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

/** Cloudflare's limits, which it reports in words that say nothing. */
function checkLimits(bodies: readonly string[]): void {
  const { queue_message_bytes, queue_send_bytes, queue_send_messages } = LIMITS;
  const sizes = bodies.map((body) => Buffer.byteLength(body));
  const over = (what: string, name: string, limit: number) => {
    throw new RangeError(`${what} is over ${name} = ${limit}`);
  };
  if (bodies.length > queue_send_messages) over("the number of messages", "queue_send_messages", queue_send_messages);
  if (sizes.some((size) => size > queue_message_bytes)) over("a message", "queue_message_bytes", queue_message_bytes);
  const total = sizes.reduce((a, b) => a + b, 0);
  if (total > queue_send_bytes) over("the messages' size", "queue_send_bytes", queue_send_bytes);
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
  /** Whether the latest batch brought nothing but retries, as while the database is away. */
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

  /** Looks again soon, or when the next message's delay is over. */
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
      // Timers hold 31 bits; a longer delay is looked at again.
      if (next !== null) this.wake(Math.min(2 ** 31 - 1, Math.max(wait_ms, next.visible_at - Date.now())));
    });
  }

  /** Resolves with how long to wait before the next batch at least. */
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
      // The consumer was not reached: nothing was tried, so no attempt is counted.
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
    // After an outage, delayed messages need not wait longer.
    if (this.#failing && gone.length > 0) this.#store.wake(this.#settings.queue, Date.now());
    this.#failing = gone.length === 0;
  }
}
