// Distinguishes retries from separate samples with equal rollouts. The earlier requests must prove that their
// clients are still connected, which starts their HTTP replies; only then are the later requests answered.
import type { RoomState, Undecided } from "./group-state.ts";
import { equalWaiters, undecidedOf } from "./undecided.ts";

export interface DuplicateResolution {
  state: RoomState;
  /** Resolves with whether the waiter's client is still connected. */
  prove(waiterId: string): Promise<boolean>;
  leave(waiterId: string): void;
  /** Assigns an undecided request to its member slot. */
  settle(waiterId: string): void;
}

/**
 * Resolves all undecided requests. Call only when none of them can be rejected any more: once a reply has
 * started, its HTTP status cannot change.
 */
export async function resolveDuplicates(parts: DuplicateResolution, undecided: readonly Undecided[]): Promise<void> {
  const bodies = new Set(undecided.map(({ arrival }) => arrival.body_hash));
  await Promise.all([...bodies].map((body) => resolveBody(parts, body)));
}

/**
 * Resolves the requests with one body. A request that takes the place of a disconnected one is probed only if
 * further requests equal it.
 */
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
  // A reply that has started can no longer get an error status, so the waiter is held as long as time allows.
  for (const { waiter } of equalWaiters(state, body)) {
    if (proven.has(waiter.waiter_id) && waiter.let_go_after !== null) waiter.let_go_after = waiter.gather_by;
  }
}
