// Tracks which member's answer was sent to which waiter, until the outcome of the delivery is known.
import type { GroupState, RoomState } from "./group-state.ts";

export class DeliveredReplies {
  readonly #places = new Map<string, { epoch: number; member: number; at: number }>();

  add(waiterId: string, epoch: number, member: number, at: number): void {
    this.#places.set(waiterId, { epoch, member, at });
  }

  /**
   * Called when the waiter's client disconnected before it received its answer: a repeated request then
   * counts as a retry, unless an equal request has been answered since. Returns the changed group.
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
