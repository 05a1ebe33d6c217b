// The Durable Object that stores the dead letters: a single object with a fixed name.
import { DurableObject } from "cloudflare:workers";
import type {
  DeadLetter,
  DeadLetterStore,
  DeadLetterSummary,
  ExpiryOutcome,
  LettersNamespace,
  ReplayOutcome,
} from "../../core/contract/dead-letter.ts";
import type { Owner, Whose } from "../../core/contract/owner.ts";
import { systemClock } from "../../platform/clock.ts";
import type { QueueBinding } from "../../ports/ports.ts";
import { createDeadLetters } from "./dead-letters.ts";

/** Name of the object. A single object suffices: letters are few, and a summary must see all of them. */
const NAME = "run-log";

/** Client for the deployment's dead letters. */
export function remoteDeadLetters(namespace: LettersNamespace): DeadLetterStore {
  const letters = () => namespace.getByName(NAME);
  return {
    // Most batches have no dead letters, so most calls are skipped.
    store: async (some) => (some.length === 0 ? undefined : letters().store(some)),
    summary: (owner) => letters().summary(owner),
    replay: (limit, before, owner) => letters().replay(limit, before, owner),
    expire: (before, ownerFilter) => letters().expire(before, ownerFilter),
    forget: (run, before) => letters().forget(run, before),
  };
}

/** Creates the Durable Object class. `queueOf` returns the run-log queue of the Worker's environment. */
export function deadLettersClass(queueOf: (env: Record<string, unknown>) => QueueBinding) {
  return class extends DurableObject<Record<string, unknown>> {
    readonly #letters: DeadLetterStore = createDeadLetters(this.ctx.storage.sql, queueOf(this.env), systemClock);

    store(letters: readonly DeadLetter[]): Promise<void> {
      return this.#letters.store(letters);
    }

    summary(owner: Owner | null): Promise<DeadLetterSummary> {
      return this.#letters.summary(owner);
    }

    replay(limit: number, before: string | null, owner: Owner | null): Promise<ReplayOutcome> {
      return this.#letters.replay(limit, before, owner);
    }

    expire(before: string, ownerFilter: Whose | null): Promise<ExpiryOutcome> {
      return this.#letters.expire(before, ownerFilter);
    }

    forget(run: { run_id: string; owner: Owner }, before: string): Promise<number> {
      return this.#letters.forget(run, before);
    }
  };
}
