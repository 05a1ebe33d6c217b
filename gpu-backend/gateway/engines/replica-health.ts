// Decides whether one replica gets work: what its checks, its connections and its generations say of it. Must
// not know what is asked, nor timers.

/**
 * Failures in a row, of checks and connections or of different questions, after which a replica gets no
 * further work.
 */
export const FAILURES_TO_EJECT = 3;
/** Successful checks in a row after which it gets work again. */
export const SUCCESSES_TO_RETURN = 2;
/**
 * Good checks that a replica rests for after it failed different questions; doubled each time until
 * it brings a generation to its end, since an engine that shuts down passes its checks: vLLM's
 * `/health` says 200 while every new request gets a 500.
 */
const REST_CHECKS_MAX = 32;

/**
 * Whether one replica gets work. Requests are numbered from 1 in the order in which they were sent.
 */
export class ReplicaHealth {
  ejections = 0;
  #healthy = true;
  /** Failed checks and connections in a row, and good checks since it was taken out. */
  #failures = 0;
  #successes = 0;
  /**
   * Different questions that failed since it last brought one to its end or passed a check; an
   * array for the reason in member-list.ts.
   */
  readonly #failedQuestions: string[] = [];
  /**
   * Requests sent when a question last failed: what began before says nothing of the time since.
   */
  #sentAtFailure = 0;
  /** Good checks that it still rests for, and for how many it will the next time. */
  #rest = 0;
  #nextRest = SUCCESSES_TO_RETURN;
  #trial = false;

  get healthy(): boolean {
    return this.#healthy;
  }

  /** Whether it failed several questions of late and has answered none since. */
  get failing(): boolean {
    return this.#rest > 0;
  }

  /** Whether it is back from a rest and has yet to bring a generation to its end. */
  get on_trial(): boolean {
    return this.#trial;
  }

  /** A check failed, or the engine took no connection. */
  failed(): void {
    this.#successes = 0;
    if (++this.#failures < FAILURES_TO_EJECT) return;
    this.#eject();
    // A replica that returns is another process.
    this.#recover();
  }

  /**
   * A generation failed at an engine that takes connections: by its fault or by the question's, so that each
   * question counts once.
   * @param elsewhere whether another replica gets work: to rest the only one would help no caller
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

  /** The engine brought the request of that number to its end. */
  worked(number: number): void {
    if (this.#healthy && number > this.#sentAtFailure) this.#recover();
  }

  /**
   * A health check went well.
   * @param elsewhere whether another replica gets work
   * @returns whether this brought the replica back
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
