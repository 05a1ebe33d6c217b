// Tells retries apart from separate samples that happen to be equal. Before a later request is answered, the
// clients of the earlier ones must prove that they are still connected, which starts their HTTP replies.
import type { RoomState, Undecided } from "./group-state.ts";
import { equalWaiters, undecidedOf } from "./undecided.ts";

export interface DuplicateResolution {
  state: RoomState;
  /** Whether the request's client is still connected. */
  prove(waiterId: string): Promise<boolean>;
  leave(waiterId: string): void;
  /** Assigns an undecided request to a slot in a group. */
  settle(waiterId: string): void;
}

/**
 * Resolves all undecided requests. Call this only once none of them can be rejected any more, because the
 * HTTP status cannot change after a reply has started.
 */
export async function resolveDuplicates(parts: DuplicateResolution, undecided: readonly Undecided[]): Promise<void> {
  const bodies = new Set(undecided.map(({ arrival }) => arrival.body_hash));
  await Promise.all([...bodies].map((body) => resolveBody(parts, body)));
}

/**
 * Resolves the requests with one body. If the earlier request has disconnected, the next request takes its
 * slot, and is probed only if there are further equal requests.
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
  // A reply that has started cannot become an error, so `gathering` is sent only at the gathering deadline.
  for (const { waiter } of equalWaiters(state, body)) {
    if (proven.has(waiter.waiter_id) && waiter.let_go_after !== null) waiter.let_go_after = waiter.gather_by;
  }
}
