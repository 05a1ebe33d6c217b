// Owns that a run's list knows its rooms. Knows no storage.
import { ownerOf } from "../../core/contract/owner.ts";
import { faultLine } from "../../core/faults/fault-line.ts";
import type { RunObjects } from "../run-objects/run-objects.ts";
import type { RoomSubject } from "./room-store.ts";

/**
 * What a room does when it begins: it stands on its run's list, and where the run has been deleted
 * since its first sample was sent, it forgets. Nobody waits for that.
 */
export function listing(
  runObjects: RunObjects | undefined,
  report: (line: Record<string, unknown>) => void,
  forget: () => Promise<void>,
) {
  return ({ room, run_id, key_name }: RoomSubject, waiterId: string): void => {
    if (runObjects === undefined || run_id === null) return;
    const noted = runObjects.note({ run_id, owner: ownerOf(key_name) }, { kind: "rooms", name: room }, waiterId);
    void noted
      .then((deleted) => (deleted ? forget() : undefined))
      .catch((error) => report({ ...faultLine(error, waiterId), event: "room_not_listed" }));
  };
}
