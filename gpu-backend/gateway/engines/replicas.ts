// One engine replica with its load and cap, and the choice among several replicas. Independent of timers.
import { hashText } from "../../../src/core/math/random.ts";
import { Aimd } from "./aimd.ts";
import { AnswerForm } from "./answer-form.ts";
import type { EngineAddress } from "./engine-address.ts";
import { engineBody, refusesPriority } from "./engine-dialect.ts";
import { EngineStream, type Exchange, type Patience, type Question } from "./engine-stream.ts";
import type { EngineKind } from "./gauges.ts";
import { MemberList } from "./member-list.ts";
import { FAILURES_TO_EJECT, ReplicaHealth } from "./replica-health.ts";

/** A group's preferred replica is skipped if its use exceeds this multiple of the least used replica's .. */
const AFFINITY_FACTOR = 1.25;
/** .. plus this many generations. */
const AFFINITY_SLACK = 8;
/**
 * Number of health checks for which a running answer may make no progress: on a slow engine, events of 256
 * tokens may be two minutes apart. In an engine's queue, an answer may wait forever.
 */
const PATIENCE: Patience = { begun: 64, waiting: Number.POSITIVE_INFINITY };
/** Limits for the answers of a replica that fails its health checks. */
const PATIENCE_WITH_SILENT: Patience = { begun: 15, waiting: Number.POSITIVE_INFINITY };
/** Limits for an ejected replica that fails its checks: it may be frozen with its connections open. */
const PATIENCE_WITH_EJECTED: Patience = { begun: FAILURES_TO_EJECT - 1, waiting: FAILURES_TO_EJECT - 1 };

let runningNumber = 0;

/** A question without the fields that depend on the replica, and the parts of its body (see `engineBody`). */
interface Asked extends Omit<Question, "body" | "whole"> {
  settings: string;
  question: readonly Uint8Array[];
}

export class Replica {
  readonly engine: EngineAddress;
  readonly aimd: Aimd;
  /** From the configuration or the engine's gauges. */
  kind: EngineKind | "other" | null;
  requests = 0;
  readonly health = new ReplicaHealth();
  /** Human-readable description of a problem that would spoil every verdict; null if none is known. */
  unfit: string | null = null;
  /** Whether answers are requested as streams or documents. */
  readonly form = new AnswerForm();
  #taken = 0;
  /** Whether the engine supports priorities; true until the engine rejects one. */
  #priorities = true;
  readonly #streams = new MemberList<EngineStream>();

  constructor(engine: EngineAddress, maxInFlight: number, kind: EngineKind | "other" | null) {
    this.engine = engine;
    this.aimd = new Aimd(maxInFlight);
    this.kind = kind;
  }

  /** Whether the replica receives work. */
  get healthy(): boolean {
    return this.health.healthy;
  }

  /** Maximum generations in flight; 1 while the replica is on trial. */
  get cap(): number {
    return this.health.on_trial ? 1 : this.aimd.cap;
  }

  /** Number of slots in use. */
  get in_flight(): number {
    return this.#taken;
  }

  get has_room(): boolean {
    return this.healthy && this.in_flight < this.cap;
  }

  /** Records an exchange that `died`; see ReplicaHealth. */
  failedAt(question: string, elsewhere: boolean): void {
    this.health.failedAt(question, elsewhere, this.requests);
  }

  /**
   * Aborts answers that made no progress for too many health checks.
   * @param lives whether the replica passed its latest check
   * @param elsewhere whether another replica is healthy
   */
  look(lives: boolean, elsewhere: boolean): void {
    const silent = !this.healthy && elsewhere ? PATIENCE_WITH_EJECTED : PATIENCE_WITH_SILENT;
    for (const stream of this.#streams) stream.look(lives ? PATIENCE : silent, lives);
  }

  /** Takes a slot. The caller must then call `ask`, which releases the slot. */
  take(): void {
    this.#taken++;
  }

  /**
   * Sends a question and records what the result says about the engine's health; the caller reports `died`
   * through `failedAt`. Asks again without a priority if the engine does not support priorities, and as a
   * stream if the engine rejects a request for one document.
   */
  async ask(asked: Asked, priority = 0): Promise<Exchange> {
    const ranked = this.#priorities ? priority : 0;
    const exchange = await this.#exchange(asked, ranked);
    const unknown = ranked !== 0 && exchange.said !== null && refusesPriority(exchange.said);
    if (unknown) this.#priorities = false;
    const last = unknown ? await this.#exchange(asked, 0) : exchange;
    this.#taken--;
    return last;
  }

  /** Questions with an anchor are always streamed, because only a stream shows which tokens are thinking. */
  async #exchange(asked: Asked, priority: number): Promise<Exchange> {
    if (asked.anchor !== null) return this.#send(asked, priority, false);
    const { whole } = this.form;
    const exchange = await this.#send(asked, priority, whole);
    const { tokens, events, verdict, said, generation, hung_up } = exchange;
    if (!whole) {
      if (generation.error === null && !hung_up) this.form.streamed(tokens, events);
      return exchange;
    }
    if (verdict === "died") this.form.broke();
    if (said === null) return exchange;
    const streamed = await this.#send(asked, priority, false);
    if (streamed.said === null) this.form.broke();
    return streamed;
  }

  async #send({ settings, question, ...asked }: Asked, priority: number, whole: boolean): Promise<Exchange> {
    const rid = this.kind === "sglang" ? `kritai-${process.pid}-${++runningNumber}` : null;
    const number = ++this.requests;
    const body = engineBody(settings, question, this.kind, { priority, rid, whole });
    const stream = new EngineStream(this.engine, { ...asked, whole, body });
    this.#streams.add(stream);
    const exchange = await stream.done;
    this.#note(exchange, number);
    this.#streams.delete(stream);
    // Tells SGLang to abort: unlike vLLM, it notices a closed connection late.
    if (exchange.hung_up && rid !== null) {
      this.engine.notify(this.engine.beside("/abort_request"), JSON.stringify({ rid }));
    }
    return exchange;
  }

  #note({ verdict, hung_up }: Exchange, number: number): void {
    if (verdict === "unreached") this.health.failed();
    else if (verdict === "overloaded") this.aimd.refused(this.in_flight);
    else if (verdict === "final" && !hung_up) {
      this.health.worked(number);
      this.aimd.completed();
    }
  }
}

/** The properties used to choose among replicas. */
interface Choosable {
  readonly engine: { readonly label: string };
  readonly healthy: boolean;
  readonly has_room: boolean;
  readonly in_flight: number;
  readonly cap: number;
}

/**
 * Chooses the replica for a call among those with a free slot; null if the call has to wait.
 * Highest-random-weight hashing (Thaler and Ravishankar 1998) gives each key its own order of the replicas,
 * and the first replica whose load is within the bound is taken (bounded loads: Mirrokni, Thorup and
 * Zadimoghaddam 2016). A group that overflows thus always overflows to the same second replica.
 * @param tried replicas that failed this call; used again only if no other replica is healthy
 */
export function choose<R extends Choosable>(replicas: readonly R[], affinity: string, tried: ReadonlySet<R>): R | null {
  const untried = tried.size === 0 ? replicas : replicas.filter((replica) => replica.healthy && !tried.has(replica));
  const open = (untried.length > 0 ? untried : replicas).filter((replica) => replica.has_room);
  if (open.length < 2) return open[0] ?? null;
  const use = ({ in_flight, cap }: R) => in_flight / cap;
  const minUse = Math.min(...open.map(use));
  const bounded = open.filter((r) => r.in_flight <= r.cap * minUse * AFFINITY_FACTOR + AFFINITY_SLACK);
  const weight = (replica: R) => hashText(affinity, replica.engine.label)[0];
  let best = bounded[0] as R;
  let heaviest = weight(best);
  for (const replica of bounded.slice(1)) {
    const replicaWeight = weight(replica);
    if (replicaWeight > heaviest) [best, heaviest] = [replica, replicaWeight];
  }
  return best;
}
