// Defines what a room keeps: its groups, their members' texts, answers and readings, and when they are
// stored.

import type { Reading } from "../../core/asking/readings.ts";
import type { RewardsReply } from "../../core/contract/replies.ts";
import type { Prompt, Rollout } from "../../core/contract/requests.ts";
import type { FieldError } from "../../core/faults/errors.ts";
import type { AnySpec } from "../../core/reward/compiled-spec.ts";
import { memoryValues } from "../storage/memory.ts";
import { getJson, jsonBytes, piecesOf, putPieces, type Values } from "../storage/values.ts";
import type { GatheredReward, GroupFacts } from "./gathering.ts";
import type { GroupState } from "./group-state.ts";
import type { GatheringFault } from "./reply.ts";

/** The common fields of a room's samples: its name is a digest of it. */
export interface RoomSubject {
  room: string;
  prompt: Prompt;
  spec: AnySpec;
  /** Absent: the spec needs none. */
  facts?: GroupFacts;
  run_id: string | null;
  step: number | null;
  key_name: string | null;
  /** For a group that its caller names and fills by position; absent: samples meet in it. */
  named?: { group_id: string; language: string | null; size: number | null };
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
  /** It was asked before the group was complete. */
  early?: true;
  /** For one that failed: for the judgement that logged so, should it be taken up again, alone. */
  failed?: true;
  readings: readonly Reading[];
}

/**
 * Writes gather until `flush`, which stores them whole or not at all: a commit takes milliseconds,
 * and the runtime holds back whatever leaves the object until it is done. Reads see every write.
 */
export interface RoomStore {
  /** By epoch ascending. */
  groups(): GroupState[];
  saveGroup(group: GroupState): void;
  subject(): RoomSubject | null;
  /** @returns the bytes that it stores */
  saveSubject(subject: RoomSubject): number;
  /** The first `count` members, in order. */
  members(epoch: number, count: number): MemberContent[];
  /** @returns the bytes that it stores */
  addMember(epoch: number, member: number, content: MemberContent): number;
  answer(epoch: number, member: number): Answer | null;
  saveAnswer(epoch: number, member: number, answer: Answer): void;
  /** For a group that its caller names; null before it is judged. */
  reply(): RewardsReply | null;
  saveReply(reply: RewardsReply): void;
  /** By content key. */
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

const SUBJECT = "subject";
const REPLY = "reply";
const GROUP = "group.";

/** Texts, which may be longer than a row: kept with their bytes until `flush`. */
function createTexts(values: Values) {
  const unsaved = new Map<string, { value: unknown; bytes: Uint8Array }>();
  return {
    unsaved,
    get: <T>(name: string): T => (unsaved.get(name)?.value ?? getJson<T>(values, name)) as T,
    /** @returns the bytes that it stores */
    set(name: string, value: unknown): number {
      const bytes = jsonBytes(value);
      unsaved.set(name, { value, bytes });
      return bytes.byteLength;
    },
    flush(): void {
      for (const [name, { bytes }] of unsaved) putPieces(values, name, piecesOf(bytes));
      unsaved.clear();
    },
  };
}

/**
 * Over an object's values. What comes one by one, as readings do, and is mostly never read again
 * stays in memory until there is something to store; a group's state as it then is.
 */
export function createRoomStore(values: Values): RoomStore {
  const unsaved = new Map<string, unknown>();
  const texts = createTexts(values);
  const dropped: string[] = [];
  let [rings, wakes] = [Infinity, Infinity];

  function drop(prefix: string): void {
    dropped.push(prefix);
    for (const map of [unsaved, texts.unsaved])
      for (const name of map.keys()) if (name.startsWith(prefix)) map.delete(name);
  }

  function flush(): void {
    // First, for a group that came after one that is forgotten may have the same epoch.
    for (const prefix of dropped.splice(0)) for (const [name] of [...values.list(prefix)]) values.delete(name);
    for (const [name, value] of unsaved) values.set(name, value);
    unsaved.clear();
    texts.flush();
    // An alarm that rings too early costs less than one set anew at every arrival: the room only
    // looks, and sets the next. One that has rung is none.
    if (rings <= Date.now()) rings = Infinity;
    if (wakes >= rings) return;
    rings = wakes;
    values.wakeAt(wakes);
  }

  let subject: RoomSubject | null = texts.get(SUBJECT) ?? null;
  return {
    groups() {
      flush();
      // Names come in the order of texts, in which 10 is before 9.
      return Array.from(values.list<GroupState>(GROUP), ([, group]) => group).sort((a, b) => a.epoch - b.epoch);
    },
    saveGroup: (group) => void unsaved.set(`${GROUP}${group.epoch}.`, group),
    subject: () => subject,
    saveSubject(given) {
      subject = given;
      return texts.set(SUBJECT, given);
    },
    members: (epoch, count) =>
      Array.from({ length: count }, (_, i) => texts.get<MemberContent>(`member.${epoch}.${i}`)),
    addMember: (epoch, member, content) => texts.set(`member.${epoch}.${member}`, content),
    answer(epoch, member) {
      flush();
      return values.get<Answer>(`answer.${epoch}.${member}`) ?? null;
    },
    saveAnswer: (epoch, member, answer) => void unsaved.set(`answer.${epoch}.${member}`, answer),
    reply: () => texts.get<RewardsReply | undefined>(REPLY) ?? null,
    saveReply: (reply) => void texts.set(REPLY, reply),
    journal(epoch) {
      const prefix = `journal.${epoch}.`;
      const rows = [...values.list<JournalRow>(prefix), ...(unsaved as Map<string, JournalRow>)];
      return new Map(
        rows.flatMap(([name, row]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), row]] : [])),
      );
    },
    addToJournal: (epoch, key, row) => void unsaved.set(`journal.${epoch}.${key}`, row),
    dropJournal: (epoch) => drop(`journal.${epoch}.`),
    forget(epoch) {
      for (const kind of ["group", "member", "answer", "journal"]) drop(`${kind}.${epoch}.`);
    },
    wakeAt(at) {
      wakes = at ?? Infinity;
    },
    flush,
  };
}

/** For a room that has forgotten everything: later data is kept nowhere. */
export const passingStore = (): RoomStore => createRoomStore(memoryValues(() => undefined));
