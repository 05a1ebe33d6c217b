// Decides whether a replica receives work, from its health checks, connections and generations. Independent
// of timers.

/**
 * Consecutive failures after which a replica is ejected: failed checks and connections, or failures of
 * different questions.
 */
export const FAILURES_TO_EJECT = 3;
/** Consecutive successful checks after which an ejected replica returns. */
export const SUCCESSES_TO_RETURN = 2;
/**
 * Maximum cool-down, in successful checks, after a replica failed different questions. The cool-down doubles
 * each time until the replica completes a generation, because an engine that is shutting down still passes
 * its checks: vLLM's `/health` returns 200 while every new request gets a 500.
 */
const REST_CHECKS_MAX = 32;

/** The health of one replica. Requests are numbered from 1 in the order in which they were sent. */
export class ReplicaHealth {
  ejections = 0;
  #healthy = true;
  /** Consecutive failed checks and connections, and successful checks since the ejection. */
  #failures = 0;
  #successes = 0;
  /**
   * Different questions that failed since the replica last completed a question or passed a check. An array
   * instead of a Set, for the reason given in member-list.ts.
   */
  readonly #failedQuestions: string[] = [];
  /**
   * Number of the latest request when a question last failed. The success of an earlier request does not
   * count as recovery.
   */
  #sentAtFailure = 0;
  /** Successful checks left in the current cool-down, and the length of the next cool-down. */
  #rest = 0;
  #nextRest = SUCCESSES_TO_RETURN;
  #trial = false;

  get healthy(): boolean {
    return this.#healthy;
  }

  /** Whether the replica recently failed several questions and has answered none since. */
  get failing(): boolean {
    return this.#rest > 0;
  }

  /** Whether the replica is back from a cool-down and has not completed a generation yet. */
  get on_trial(): boolean {
    return this.#trial;
  }

  /** Records a failed check or a refused connection. */
  failed(): void {
    this.#successes = 0;
    if (++this.#failures < FAILURES_TO_EJECT) return;
    this.#eject();
    // A replica that returns after such failures is a new process.
    this.#recover();
  }

  /**
   * Records a failed generation at an engine that accepts connections. The cause may be the engine or the
   * question, so each question counts once.
   * @param elsewhere whether another replica is healthy; the only replica is never ejected for this
   * @param sent number of the latest request
   */
  failedAt(question: string, elsewhere: boolean, sent: number): void {
    const questions = this.#failedQuestions;
    if (questions.length < FAILURES_TO_EJECT && !questions.includes(question)) questions.push(question);
    this.#sentAtFailure = sent;
    if (questions.length < FAILURES_TO_EJECT && !this.#trial) return;
    if (this.#rest === 0) {
      this.#rest = this.#nextRest;
      this.#nextRest = Math.min(REST_CHECKS_MAX, 2 * this.#nextRest);
    }
    this.#trial = false;
    if (elsewhere) this.#eject();
  }

  /** Records that the engine completed the request with this number. */
  worked(number: number): void {
    if (this.#healthy && number > this.#sentAtFailure) this.#recover();
  }

  /**
   * Records a successful health check.
   * @param elsewhere whether another replica is healthy
   * @returns whether the replica returned because of this check
   */
  checked(elsewhere: boolean): boolean {
    this.#failures = 0;
    this.#failedQuestions.length = 0;
    if (this.#rest > 0) this.#rest--;
    if (this.#healthy || ++this.#successes < SUCCESSES_TO_RETURN) return false;
    if (this.#rest > 0 && elsewhere) return false;
    this.#healthy = true;
    this.#trial = elsewhere && this.#nextRest > SUCCESSES_TO_RETURN;
    return true;
  }

  #eject(): void {
    if (!this.#healthy) return;
    this.#healthy = false;
    this.#successes = 0;
    this.ejections++;
  }

  #recover(): void {
    this.#failedQuestions.length = 0;
    this.#rest = 0;
    this.#nextRest = SUCCESSES_TO_RETURN;
    this.#trial = false;
    if (this.#healthy) this.#failures = 0;
  }
}
