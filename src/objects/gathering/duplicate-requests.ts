// Requests with the same rollouts, from different samples or sent again: those that came before must prove that
// their clients are still there, which begins their replies, and only then the others are answered.
import type { RoomState, Undecided } from "./group-state.ts";
import { equalWaiters, undecidedOf } from "./undecided.ts";

export interface DuplicateResolution {
  state: RoomState;
  /** Whether its client is there. */
  prove(waiterId: string): Promise<boolean>;
  leave(waiterId: string): void;
  /** Gives an undecided request the place that is its own by now. */
  settle(waiterId: string): void;
}

/**
 * Decides all these. To be called when none of them can be refused any more: a reply that has begun has no
 * status.
 */
export async function resolveDuplicates(parts: DuplicateResolution, undecided: readonly Undecided[]): Promise<void> {
  const bodies = new Set(undecided.map(({ arrival }) => arrival.body_hash));
  await Promise.all([...bodies].map((body) => resolveBody(parts, body)));
}

/** Who takes the place of one that has gone is not asked, unless others are equal to it as well. */
async function resolveBody({ state, prove, leave, settle }: DuplicateResolution, body: string): Promise<void> {
  const proven = new Set<string>();
  const proveAll = (ids: readonly string[]) =>
    Promise.all(
      ids.map(async (id) => {
        if (proven.has(id)) return;
        proven.add(id);
        if (!(await prove(id))) leave(id);
      }),
    );
  const waiting = () => equalWaiters(state, body).map(({ waiter }) => waiter.waiter_id);
  const others = () => undecidedOf(state, body).map(({ arrival }) => arrival.waiter_id);
  await proveAll(waiting());
  if (waiting().length === 0) for (const first of others().slice(0, 1)) settle(first);
  if (others().length === 0) return;
  await proveAll([...waiting(), ...others()]);
  for (const other of others()) settle(other);
  // A reply that has begun has no status any more, so it is held as long as there is time.
  for (const { waiter } of equalWaiters(state, body)) {
    if (proven.has(waiter.waiter_id) && waiter.let_go_after !== null) waiter.let_go_after = waiter.gather_by;
  }
}
