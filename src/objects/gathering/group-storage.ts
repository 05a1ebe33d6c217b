// Counts the stored bytes of each gathered group against its key's limit until the group is deleted.
import { LIMITS } from "../../core/faults/limits.ts";
import type { JudgingDeps } from "../../scoring/deps.ts";
import { requireStorage } from "../key-limits/refusal.ts";
import { slotOf } from "../key-limits/stored-bytes.ts";
import type { GroupState } from "./group-state.ts";

export interface GroupStorage {
  /** @throws ApiError `storage_budget_exceeded` if the key has reached its storage limit */
  requireSpace(key: string | null): void;
  /** Records the group's stored bytes and their expiry with the key's limits, if either has changed. */
  book(key: string | null, group: GroupState): void;
  /** Releases the bytes that were recorded for the group. */
  release(key: string | null, group: GroupState): void;
}

/** Adds a member's bytes and an allowance for its stored answer. */
export function addStored(group: GroupState, bytes: number): void {
  group.stored ??= { bytes: LIMITS.object_base_bytes, booked: 0, until: 0 };
  group.stored.bytes += bytes + LIMITS.object_member_bytes;
}

export function groupStorage(deps: Pick<JudgingDeps, "keyLimits" | "metrics">): GroupStorage {
  const store = (key: string | null, bytes: number, until: number) => void deps.keyLimits?.store(key, bytes, until);
  return {
    requireSpace: (key) => requireStorage(deps, key, () => undefined),
    book(key, { stored, forget_at }) {
      if (stored === undefined) return;
      const { bytes, booked, until } = stored;
      const moves = booked > 0 && slotOf(until) !== slotOf(forget_at);
      if (moves) store(key, -booked, until);
      const more = moves ? bytes : bytes - booked;
      if (more !== 0) store(key, more, forget_at);
      Object.assign(stored, { booked: bytes, until: forget_at });
    },
    release(key, { stored }) {
      if (stored !== undefined) store(key, -stored.booked, stored.until);
    },
  };
}
