// The storage of a room, which gathers samples into groups: the groups, their samples, answers and verdicts.
// Writes are buffered until they are flushed.

import type { Reading } from "../../core/asking/readings.ts";
import type { Rollout } from "../../core/contract/group.ts";
import type { Prompt } from "../../core/contract/prompt.ts";
import type { RewardsReply } from "../../core/contract/rewards-reply.ts";
import type { FieldError } from "../../core/faults/errors.ts";
import type { Spec } from "../../core/reward/spec.ts";
import type { Timers } from "../../ports/ports.ts";
import { memoryValues } from "../storage/memory.ts";
import { getJson, jsonBytes, piecesOf, putPieces, type Values } from "../storage/values.ts";
import type { GatheredReward, GroupFacts } from "./gathering.ts";
import type { GroupState } from "./group-state.ts";
import type { GatheringFault } from "./reply.ts";

/** The fields that all samples of a room have in common. The room's name is a digest of them. */
export interface RoomSubject {
  room: string;
  prompt: Prompt;
  spec: Spec;
  /** Omitted if the spec needs no facts. */
  facts?: GroupFacts;
  run_id: string | null;
  step: number | null;
  key_name: string | null;
  /** Set for a group that the client named; omitted for a room that gathers one-sample requests. */
  named?: { group_id: string; language: string | null; size: number | null };
}

export interface MemberContent {
  rollout: Rollout;
  unshown?: readonly FieldError[];
  language: string | null;
  log_step?: number;
}

/** A member's answer, without the parts that depend on the request that receives it. */
export type Answer = { reward: Omit<GatheredReward, "attached"> } | { fault: GatheringFault };

/** The readings of one question, and the id of the log entry that includes their cost. */
export interface JournalRow {
  request_id: string;
  /** The question was asked before the group was complete. */
  early?: true;
  /** The question failed. The readings are used only if the judgement that logged the failure is resumed. */
  failed?: true;
  readings: readonly Reading[];
}

/**
 * Stores a room. Writes are buffered until `flush` stores them atomically, because each commit takes
 * milliseconds and the runtime holds back outgoing messages meanwhile. Reads see buffered writes.
 */
export interface RoomStore {
  /** All groups, in ascending order of `epoch`. */
  groups(): GroupState[];
  saveGroup(group: GroupState): void;
  subject(): RoomSubject | null;
  /** @returns the number of bytes stored */
  saveSubject(subject: RoomSubject): number;
  /** The first `count` members, in order. */
  members(epoch: number, count: number): MemberContent[];
  /** @returns the number of bytes stored */
  addMember(epoch: number, member: number, content: MemberContent): number;
  answer(epoch: number, member: number): Answer | null;
  saveAnswer(epoch: number, member: number, answer: Answer): void;
  /** The reply of a named group; null until the group has been judged. */
  reply(): RewardsReply | null;
  saveReply(reply: RewardsReply): void;
  /** The journal of a group's answered questions, by content key. */
  journal(epoch: number): Map<string, JournalRow>;
  addToJournal(epoch: number, key: string, row: JournalRow): void;
  /** Deletes the journal of a group that will never be judged again. */
  dropJournal(epoch: number): void;
  /** Deletes a group and all its data. */
  forget(epoch: number): void;
  /** Sets the time at which the room is woken, even after a restart. Null: never, since the room is empty. */
  wakeAt(at: number | null): void;
  flush(): void;
}

const SUBJECT = "subject";
const REPLY = "reply";
const GROUP = "group.";

/** Buffers values that may be larger than a storage row, together with their encoded bytes. */
function createTexts(values: Values) {
  const unsaved = new Map<string, { value: unknown; bytes: Uint8Array }>();
  return {
    unsaved,
    get: <T>(name: string): T => (unsaved.get(name)?.value ?? getJson<T>(values, name)) as T,
    /** @returns the number of bytes stored */
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
 * Creates a room's store on top of an object's values. A group is stored in the state that it has at the time
 * of `flush`, not at the time of `saveGroup`.
 */
export function createRoomStore(values: Values, timers: Timers): RoomStore {
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
    // Deletes before writing, since a new group may reuse the epoch of a deleted group.
    for (const prefix of dropped.splice(0)) for (const [name] of [...values.list(prefix)]) values.delete(name);
    for (const [name, value] of unsaved) values.set(name, value);
    unsaved.clear();
    texts.flush();
    // Postponing the alarm at every arrival would cost more than an alarm that fires too early, which only
    // makes the room check its state and set the next alarm. An alarm that has fired no longer counts.
    if (rings <= timers.now()) rings = Infinity;
    if (wakes >= rings) return;
    rings = wakes;
    values.wakeAt(wakes);
  }

  let subject: RoomSubject | null = texts.get(SUBJECT) ?? null;
  return {
    groups() {
      flush();
      // Values are listed in lexicographic order, in which 10 precedes 9.
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

/** An in-memory store for a deleted room, so that running work no longer writes to storage. */
export const passingStore = (timers: Timers): RoomStore =>
  createRoomStore(
    memoryValues(timers, () => undefined),
    timers,
  );
