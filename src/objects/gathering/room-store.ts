// Owns what a room keeps, as an interface: its groups, their members' texts, answers and
// readings. Knows no decision.

import type { Reading } from "../../core/asking/readings.ts";
import type { Prompt, Rollout } from "../../core/contract/requests.ts";
import type { FieldError } from "../../core/faults/errors.ts";
import type { AnySpec } from "../../core/reward/compiled-spec.ts";
import type { ReadingJournal } from "../../scoring/reading-journal.ts";
import type { GatheredReward, GroupFacts } from "./gathering.ts";
import type { GroupState } from "./group-state.ts";
import type { GatheringFault } from "./reply.ts";

/** What all samples of a room have in common: its name is a digest of it. */
export interface RoomSubject {
  room: string;
  prompt: Prompt;
  spec: AnySpec;
  /** Absent: the spec needs none. */
  facts?: GroupFacts;
  run_id: string | null;
  step: number | null;
  key_name: string | null;
}

export interface MemberContent {
  rollout: Rollout;
  unshown?: readonly FieldError[];
  language: string | null;
  log_step?: number;
}

/** A member's answer, whoever asks for it. */
export type Answer = { reward: Omit<GatheredReward, "attached"> } | { fault: GatheringFault };

/** Readings of one question, and the log entry that holds their cost. */
export interface JournalRow {
  request_id: string;
  readings: readonly Reading[];
}

/**
 * Writes gather until `flush`, which stores them whole or not at all: a commit takes milliseconds,
 * and the runtime holds back whatever leaves the object until it is done. Reads see every write.
 */
export interface RoomStore {
  groups(): GroupState[];
  saveGroup(group: GroupState): void;
  subject(): RoomSubject | null;
  saveSubject(subject: RoomSubject): void;
  /** The first `count` members, in order. */
  members(epoch: number, count: number): MemberContent[];
  addMember(epoch: number, member: number, content: MemberContent): void;
  answer(epoch: number, member: number): Answer | null;
  saveAnswer(epoch: number, member: number, answer: Answer): void;
  /** By content key; what is written after the group's last flush may be missing. */
  journal(epoch: number): Map<string, JournalRow>;
  addToJournal(epoch: number, key: string, row: JournalRow): void;
  /** The group will never be judged again. */
  dropJournal(epoch: number): void;
  /** Drops a group with everything in it. */
  forget(epoch: number): void;
  /**
   * When the room wants to be woken even if it has been restarted meanwhile; null: nothing is left
   * in it.
   */
  wakeAt(at: number | null): void;
  flush(): void;
}

/**
 * A group's journal as scoring wants it. What an earlier judgement asked is in that one's log
 * entry, at its cost.
 */
export function roomJournal(store: RoomStore, epoch: number, requestId: string, onWrite: () => void): ReadingJournal {
  const rows = store.journal(epoch);
  return {
    known(key) {
      const row = rows.get(key);
      return row && { readings: row.readings, charged: row.request_id === requestId };
    },
    onReadings(key, readings) {
      store.addToJournal(epoch, key, { request_id: requestId, readings });
      onWrite();
    },
  };
}
