// Owns one engine replica's state (load, health, cap) and the choice among several. Must not
// know what is asked, nor timers.
import { hashText } from "../../../src/core/math/random.ts";
import { MemberList } from "../member-list.ts";
import { Aimd } from "./aimd.ts";
import type { EngineAddress } from "./engine-address.ts";
import { EngineStream, type Exchange, type Patience, type Question } from "./engine-stream.ts";
import type { EngineKind } from "./gauges.ts";

/**
 * Failures in a row, of checks and connections or of different questions, after which a replica
 * gets no more work.
 */
export const FAILURES_TO_EJECT = 3;
/** Successful checks in a row after which it gets work again. */
export const SUCCESSES_TO_RETURN = 2;
/** A group's replica is passed over when it is used this much more than the least used one, .. */
const AFFINITY_FACTOR = 1.25;
/** .. and by this many generations besides. */
const AFFINITY_SLACK = 8;
/**
 * Looks (one a health check) for which an answer that has begun may stand still; in an engine's
 * queue it may for ever.
 */
const PATIENCE: Patience = { begun: 15, waiting: Number.POSITIVE_INFINITY };
/**
 * The same at a replica that is out of rotation and fails its checks: it may be frozen, with its
 * connections open.
 */
const PATIENCE_WITH_EJECTED: Patience = { begun: FAILURES_TO_EJECT - 1, waiting: FAILURES_TO_EJECT - 1 };

let runningNumber = 0;

export class Replica {
  readonly engine: EngineAddress;
  readonly aimd: Aimd;
  /** Known from its gauges, or told. */
  kind: EngineKind | "other" | null;
  requests = 0;
  ejections = 0;
  #healthy = true;
  #failures = 0;
  /**
   * Different questions that failed since it last brought one to its end or passed a check; an
   * array for the reason in member-list.ts.
   */
  readonly #failedQuestions: string[] = [];
  #successes = 0;
  #taken = 0;
  readonly #streams = new MemberList<EngineStream>();

  constructor(engine: EngineAddress, maxInFlight: number, kind: EngineKind | "other" | null) {
    this.engine = engine;
    this.aimd = new Aimd(maxInFlight);
    this.kind = kind;
  }

  get healthy(): boolean {
    return this.#healthy;
  }

  /** Places taken. */
  get in_flight(): number {
    return this.#taken;
  }

  get has_room(): boolean {
    return this.#healthy && this.in_flight < this.aimd.cap;
  }

  /** A check failed, or the engine took no connection. */
  failed(): void {
    this.#successes = 0;
    if (++this.#failures >= FAILURES_TO_EJECT) this.#eject();
  }

  /**
   * A generation failed at an engine that takes connections: by its fault or by the question's, so
   * that each question counts once.
   * @param elsewhere whether another replica gets work: to rest the only one would help nobody
   */
  failedAt(question: string, elsewhere: boolean): void {
    const questions = this.#failedQuestions;
    if (questions.length < FAILURES_TO_EJECT && !questions.includes(question)) questions.push(question);
    if (elsewhere && questions.length >= FAILURES_TO_EJECT) this.#eject();
  }

  #eject(): void {
    if (!this.#healthy) return;
    this.#healthy = false;
    this.ejections++;
  }

  /** The engine brought a generation to its end. */
  worked(): void {
    if (this.#healthy) this.#forgive();
  }

  #forgive(): void {
    this.#failures = 0;
    this.#failedQuestions.length = 0;
  }

  /** A health check went well. @returns whether this brought the replica back */
  checked(): boolean {
    if (this.#healthy) {
      this.#forgive();
      return false;
    }
    if (++this.#successes < SUCCESSES_TO_RETURN) return false;
    this.#healthy = true;
    this.#forgive();
    return true;
  }

  /**
   * Gives up on answers that have stood still for too many calls.
   * @param elsewhere whether this replica seems frozen and another could answer
   */
  look(elsewhere: boolean): void {
    for (const stream of this.#streams) stream.look(elsewhere ? PATIENCE_WITH_EJECTED : PATIENCE);
  }

  /** Takes a place; the `ask` that must follow gives it back. */
  take(): void {
    this.#taken++;
  }

  /**
   * Asks once, and takes note of what that says about the engine; of `died` the caller tells by
   * `failedAt`. @param body a JSON object
   */
  async ask(body: string, question: Omit<Question, "body">): Promise<Exchange> {
    const rid = this.kind === "sglang" ? `kritai-${process.pid}-${++runningNumber}` : null;
    const named = rid === null ? body : `${body.slice(0, -1)},"rid":"${rid}"}`;
    this.requests++;
    const stream = new EngineStream(this.engine, { ...question, body: named });
    this.#streams.add(stream);
    const exchange = await stream.done;
    this.#note(exchange);
    this.#streams.delete(stream);
    this.#taken--;
    // SGLang notices a closed connection late; vLLM at once.
    if (exchange.hung_up && rid !== null) {
      this.engine.tell(this.engine.beside("/abort_request"), JSON.stringify({ rid }));
    }
    return exchange;
  }

  #note({ verdict, hung_up }: Exchange): void {
    if (verdict === "unreached") this.failed();
    else if (verdict === "overloaded") this.aimd.refused(this.in_flight);
    else if (verdict === "final" && !hung_up) {
      this.worked();
      this.aimd.completed();
    }
  }
}

/**
 * The replica for one call among those with room, or null when it has to wait.
 * Highest-random-weight hashing (Thaler and Ravishankar 1998) gives each key its own order of the
 * replicas; the first in it whose use is within the bound is taken (bounded loads: Mirrokni, Thorup
 * and Zadimoghaddam 2016), so that a group that overflows does so to the same second replica.
 * @param tried those that failed this call before; they are asked again only when no other is
 *   healthy
 */
export function choose(replicas: readonly Replica[], affinity: string, tried: ReadonlySet<Replica>): Replica | null {
  const untried = tried.size === 0 ? replicas : replicas.filter((replica) => replica.healthy && !tried.has(replica));
  const open = (untried.length > 0 ? untried : replicas).filter((replica) => replica.has_room);
  if (open.length < 2) return open[0] ?? null;
  const use = ({ in_flight, aimd }: Replica) => in_flight / aimd.cap;
  const least = Math.min(...open.map(use));
  const bounded = open.filter((r) => r.in_flight <= r.aimd.cap * least * AFFINITY_FACTOR + AFFINITY_SLACK);
  const weight = (replica: Replica) => hashText(affinity, replica.engine.label)[0];
  let best = bounded[0] as Replica;
  let heaviest = weight(best);
  for (const replica of bounded.slice(1)) {
    const own = weight(replica);
    if (own > heaviest) [best, heaviest] = [replica, own];
  }
  return best;
}
