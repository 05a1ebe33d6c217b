// Consumes the run-log queue: stores messages in batches. A message that fails is retried after its own delay
// or moved to the dead letters with a reason.

import type { DeadLetter, DeadLetterStore } from "../../core/contract/dead-letter.ts";
import type { RunKey } from "../../core/contract/owner.ts";
import { NOBODY, type Owner, ownerOf } from "../../core/contract/owner.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { StoreWriteError } from "../db/store-write-error.ts";
import { unknownColumn } from "./append.ts";
import { chunks } from "./chunks.ts";
import type { EnvelopeStore } from "./envelope.ts";
import { type Envelope, opened } from "./envelope.ts";

/** A message as delivered to a queue consumer. */
export interface QueueDelivery {
  readonly id: string;
  readonly timestamp: Date;
  readonly body: unknown;
  /** Number of this delivery, from 1. */
  readonly attempts: number;
  ack(): void;
  retry(options: { delaySeconds: number }): void;
}

export interface ConsumerDeps {
  store: EnvelopeStore;
  letters: Pick<DeadLetterStore, "store">;
  random: () => number;
  /** Records the outcome of a message and its age in the queue, in seconds. */
  count: (end: "stored" | "retried" | "dead", reason: string, age_s: number) => void;
  now: () => number;
  /** Checks the alarms of runs whose steps were stored; never rejects. If omitted, alarms are not checked. */
  look?: (runs: readonly RunKey[]) => Promise<void>;
}

/** The outcome of one message. */
type DeliveryEnd = { end: "stored" } | { end: "retried" | "dead"; reason: string };

interface Opened {
  delivery: QueueDelivery;
  envelope: Envelope;
}

/**
 * Stores a batch in one transaction, or in several if its messages are long, because a decoded message takes
 * several times its size in memory. After a connection or server error each message is retried with its own
 * delay. After a data error the batch is bisected, so that only the faulty message becomes a dead letter.
 * Never rejects: each message is acknowledged or retried individually.
 */
export async function consumeLogs(deliveries: readonly QueueDelivery[], deps: ConsumerDeps): Promise<void> {
  const ends = new Map<QueueDelivery, DeliveryEnd>();
  const runs: RunKey[] = [];
  for (const some of chunks(deliveries, (delivery) => bodyText(delivery).length, LIMITS.log_write_bytes)) {
    const good: Opened[] = [];
    for (const delivery of some) {
      const read = openDelivery(delivery);
      if ("envelope" in read) good.push(read);
      else ends.set(delivery, { end: "dead", reason: read.reason });
    }
    await storeSome(good, deps.store, ends);
    runs.push(
      ...good.flatMap((message) => (ends.get(message.delivery)?.end === "stored" ? steppedRun(message.envelope) : [])),
    );
  }
  await settle(deliveries, ends, deps);
  if (runs.length > 0) await deps.look?.(runs);
}

/** The run to check for alarms if the envelope ends a `rewards` request with a step; otherwise empty. */
function steppedRun({ head }: Envelope): RunKey[] {
  const { kind, run_id, step, key_name } = head?.row ?? {};
  if (kind !== "rewards" || typeof run_id !== "string" || typeof step !== "number") return [];
  return [{ owner: ownerOf(typeof key_name === "string" ? key_name : null), run_id }];
}

/** Moves messages that exhausted the queue's retries to the dead letters. */
export async function keepLetters(
  deliveries: readonly QueueDelivery[],
  deps: Omit<ConsumerDeps, "store" | "look">,
): Promise<void> {
  const dead: DeliveryEnd = { end: "dead", reason: "retries_exhausted" };
  await settle(deliveries, new Map(deliveries.map((delivery) => [delivery, dead])), deps);
}

/** This program sends only strings. Any other body is kept as JSON. */
const bodyText = ({ body }: QueueDelivery): string => (typeof body === "string" ? body : `${JSON.stringify(body)}`);

function openDelivery(delivery: QueueDelivery): Opened | { reason: string } {
  try {
    const envelope = opened(bodyText(delivery));
    return unknownColumn(envelope) === null ? { delivery, envelope } : { reason: "unknown_column" };
  } catch {
    return { reason: "bad_envelope" };
  }
}

async function storeSome(
  some: readonly Opened[],
  store: EnvelopeStore,
  ends: Map<QueueDelivery, DeliveryEnd>,
): Promise<void> {
  if (some.length === 0) return;
  const all = (ended: DeliveryEnd) => some.forEach(({ delivery }) => void ends.set(delivery, ended));
  try {
    const missing = await store(distinct(some));
    for (const { delivery, envelope } of some) {
      const waits = envelope.head !== null && missing.has(envelope.request_id);
      ends.set(delivery, waits ? { end: "retried", reason: "rows_missing" } : { end: "stored" });
    }
  } catch (error) {
    const { reason, kind } = faultOf(error);
    if (kind === "server") return all({ end: "retried", reason });
    if (some.length === 1) return all({ end: kind === "data" ? "dead" : "retried", reason });
    const half = Math.ceil(some.length / 2);
    await storeSome(some.slice(0, half), store, ends);
    await storeSome(some.slice(half), store, ends);
  }
}

/** Drops repeated heads of one request, which would count the request twice in its run's totals. */
function distinct(some: readonly Opened[]): Envelope[] {
  const heads = new Set<string>();
  return some.flatMap(({ envelope }) => {
    if (envelope.head === null) return envelope;
    const seen = heads.has(envelope.request_id);
    heads.add(envelope.request_id);
    return seen ? [] : envelope;
  });
}

/**
 * SQLSTATE classes that are not caused by the data: connection, transaction, resources, operator
 * intervention, system.
 */
const SERVER_CLASSES = new Set(["08", "25", "28", "40", "53", "55", "57", "58"]);
/** SQLSTATE classes caused by the data: cardinality, data exception, integrity, program limit. */
const DATA_CLASSES = new Set(["21", "22", "23", "54"]);

/**
 * Classifies an error. `schema` is neither a server error nor certainly a data error, for example a missing
 * migration. After such an error the batch is bisected, but no message becomes a dead letter at once.
 */
function faultOf(error: unknown): { reason: string; kind: "server" | "schema" | "data" } {
  // If no statement can be built from the values, the data is the cause.
  if (!(error instanceof StoreWriteError)) return { reason: "unstorable", kind: "data" };
  const { sqlstate } = error;
  if (sqlstate === null) return { reason: "unreachable", kind: "server" };
  const reason = `sql_${sqlstate}`;
  const group = sqlstate.slice(0, 2);
  if (SERVER_CLASSES.has(group)) return { reason, kind: "server" };
  return { reason, kind: DATA_CLASSES.has(group) ? "data" : "schema" };
}

async function settle(
  deliveries: readonly QueueDelivery[],
  ends: ReadonlyMap<QueueDelivery, DeliveryEnd>,
  { letters, random, count, now }: Omit<ConsumerDeps, "store">,
): Promise<void> {
  const endOf = (delivery: QueueDelivery) => ends.get(delivery) as DeliveryEnd;
  const dead = deliveries.filter((delivery) => endOf(delivery).end === "dead");
  const isStored = await letters.store(dead.map((delivery) => letterOf(delivery, endOf(delivery)))).then(
    () => true,
    () => false,
  );
  for (const delivery of deliveries) {
    const ended = endOf(delivery);
    const age_s = Math.max(0, (now() - delivery.timestamp.getTime()) / 1000);
    const end = ended.end === "dead" && !isStored ? "retried" : ended.end;
    if (end === "retried") delivery.retry({ delaySeconds: retryDelay_s(delivery.attempts, random) });
    else delivery.ack();
    count(end, end === ended.end ? reasonOf(ended) : "letters_unreachable", age_s);
  }
}

function letterOf(delivery: QueueDelivery, ended: DeliveryEnd): DeadLetter {
  const { id, attempts } = delivery;
  const body = bodyText(delivery);
  return { id, owner: ownerOfEnvelope(body), reason: reasonOf(ended), attempts, body };
}

/**
 * The owner of an envelope's rows; empty if the body is unreadable, or if an older Worker sent the part
 * without a key name.
 */
function ownerOfEnvelope(body: string): Owner {
  try {
    const { shared, head } = opened(body);
    const name = shared.key_name ?? head?.row.key_name;
    return ownerOf(typeof name === "string" ? name : null);
  } catch {
    return NOBODY;
  }
}

const reasonOf = (ended: DeliveryEnd): string => (ended.end === "stored" ? "" : ended.reason);

/**
 * Full-jitter back-off (Brooker, "Exponential Backoff And Jitter") in whole seconds, at least one.
 * @param attempts how often the message was delivered, at least 1
 */
export function retryDelay_s(attempts: number, random: () => number): number {
  const ceiling = Math.min(LIMITS.log_retry_cap_s, LIMITS.log_retry_base_s * 2 ** Math.min(attempts - 1, 30));
  return 1 + Math.floor(random() * ceiling);
}
