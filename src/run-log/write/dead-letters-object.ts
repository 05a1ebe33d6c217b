// The Durable Object of the dead letters: one for all, by a fixed name.
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
import type { QueueBinding } from "../../ports/ports.ts";
import { createDeadLetters } from "./dead-letters.ts";

/** The object's name: letters are few, and a summary has to see all of them. */
const NAME = "run-log";

/** The dead letters of a deployment. */
export function remoteDeadLetters(namespace: LettersNamespace): DeadLetterStore {
  const letters = () => namespace.getByName(NAME);
  return {
    // Most batches have none, and an object that is not asked costs nothing.
    store: async (some) => (some.length === 0 ? undefined : letters().store(some)),
    summary: (owner) => letters().summary(owner),
    replay: (limit, before, owner) => letters().replay(limit, before, owner),
    expire: (before, ownerFilter) => letters().expire(before, ownerFilter),
    forget: (run, before) => letters().forget(run, before),
  };
}

/** The class for a Worker whose environment `queueOf` finds the run-log queue in. */
export function deadLettersClass(queueOf: (env: Record<string, unknown>) => QueueBinding) {
  return class extends DurableObject<Record<string, unknown>> {
    readonly #letters: DeadLetterStore = createDeadLetters(this.ctx.storage.sql, queueOf(this.env), () => Date.now());

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
