// Owns a room's storage in this process's memory: gone with it, for tests and hosts without Durable
// Objects.
import type { GroupState } from "./group-state.ts";
import type { Answer, JournalRow, MemberContent, RoomStore, RoomSubject } from "./room-store.ts";

interface MemoryGroup {
  state: string;
  members: MemberContent[];
  answers: (Answer | undefined)[];
  journal: Map<string, JournalRow>;
}

/**
 * Group states are kept as text, as a database would: what the room changes later is not in here
 * until it is saved.
 * `wakeAt` is told what a Durable Object's alarm would be.
 */
export function createMemoryStore(wakeAt: RoomStore["wakeAt"] = () => undefined): RoomStore {
  const kept = new Map<number, MemoryGroup>();
  let subject: RoomSubject | null = null;
  const of = (epoch: number): MemoryGroup => {
    const found = kept.get(epoch) ?? { state: "", members: [], answers: [], journal: new Map() };
    kept.set(epoch, found);
    return found;
  };
  return {
    groups: () => [...kept.values()].map(({ state }) => JSON.parse(state) as GroupState),
    saveGroup: (group) => {
      of(group.epoch).state = JSON.stringify(group);
    },
    subject: () => subject,
    saveSubject: (given) => {
      subject = given;
    },
    members: (epoch, count) => of(epoch).members.slice(0, count),
    addMember: (epoch, member, content) => {
      of(epoch).members[member] = content;
    },
    answer: (epoch, member) => of(epoch).answers[member] ?? null,
    saveAnswer: (epoch, member, answer) => {
      of(epoch).answers[member] = answer;
    },
    journal: (epoch) => new Map(of(epoch).journal),
    addToJournal: (epoch, key, row) => void of(epoch).journal.set(key, row),
    dropJournal: (epoch) => of(epoch).journal.clear(),
    forget: (epoch) => void kept.delete(epoch),
    wakeAt,
    flush: () => undefined,
  };
}
