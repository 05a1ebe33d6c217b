// Tracks which sample's answer was sent in reply to which request, in case the client did not receive it.
import type { GroupState, RoomState } from "./group-state.ts";

export class DeliveredReplies {
  readonly #places = new Map<string, { epoch: number; member: number; at: number }>();

  add(waiterId: string, epoch: number, member: number, at: number): void {
    this.#places.set(waiterId, { epoch, member, at });
  }

  /**
   * Marks an answer as undelivered, after the client disconnected before receiving it. A repeated request
   * then counts as a retry, unless an equal request has been answered since. Returns the changed group.
   */
  takeBack(room: RoomState, waiterId: string): GroupState | null {
    const delivery = this.#places.get(waiterId);
    this.#places.delete(waiterId);
    const group = room.groups.find(({ epoch }) => epoch === delivery?.epoch);
    const member = group?.members[delivery?.member ?? -1];
    if (delivery === undefined || group === undefined || member === undefined) return null;
    const equal = room.groups
      .flatMap(({ members }) => members)
      .filter(({ body_hash }) => body_hash === member.body_hash);
    if (equal.some(({ told_at }) => (told_at ?? 0) > delivery.at)) return null;
    member.told_at = null;
    return group;
  }

  forget(epochs: readonly number[]): void {
    for (const [waiter, { epoch }] of this.#places) if (epochs.includes(epoch)) this.#places.delete(waiter);
  }
}
