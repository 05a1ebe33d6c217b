// The Durable Object that gathers one-sample requests into groups, or holds one named group. Connects
// storage, alarm and RPC methods to the implementations in room.ts and named-group.ts.
import { DurableObject } from "cloudflare:workers";
import { systemClock } from "../../platform/clock.ts";
import { createRequestIds } from "../../platform/request-ids.ts";
import { durableValues } from "../storage/durable.ts";
import type { ClientProbe, GatheredSample, GroupClosing, NamedMembers } from "./gathering.ts";
import { type AddReply, type CloseReply, NamedGroup } from "./named-group.ts";
import type { RoomReply } from "./reply.ts";
import { Room } from "./room.ts";
import { type RoomDeps, type RoomParts, releaseStored, roomParts } from "./room-listing.ts";
import { createRoomStore } from "./room-store.ts";

/** Creates the Durable Object class. `depsOf` builds the dependencies from the Worker's environment. */
export function groupRoomClass(depsOf: (env: Record<string, unknown>) => RoomDeps & { counted(): Promise<void> }) {
  return class extends DurableObject<Record<string, unknown>> {
    readonly #values = durableValues(this.ctx);
    #room: Room | NamedGroup | null = null;
    #counted: () => Promise<void> = async () => undefined;

    /** Resolves with the sample's answer, without a time limit. */
    async join(sample: GatheredSample, probe: ClientProbe | null): Promise<RoomReply> {
      try {
        return await this.#open(Room).join(sample, probe);
      } finally {
        void this.#counted();
      }
    }

    async leave(waiterId: string): Promise<void> {
      this.#open(Room).leave(waiterId);
    }

    async add(members: NamedMembers): Promise<AddReply> {
      return this.#open(NamedGroup).add(members);
    }

    /** Resolves with the group's reply, without a time limit. */
    async close(closing: GroupClosing): Promise<CloseReply> {
      try {
        return await this.#open(NamedGroup).close(closing);
      } finally {
        void this.#counted();
      }
    }

    async forget(): Promise<void> {
      if (this.#room === null) releaseStored(this.#parts());
      else this.#room.forget();
      await this.#clear();
    }

    /** Closes groups without a request, keeps the object alive while it judges, and deletes expired data. */
    override async alarm(): Promise<void> {
      const kind = createRoomStore(this.#values, systemClock).subject()?.named === undefined ? Room : NamedGroup;
      const room = this.#open<Room | NamedGroup>(kind);
      await room.wake();
      if (room.isEmpty && this.#room === room) await this.#clear();
    }

    async #clear(): Promise<void> {
      this.#room = null;
      await this.#values.clear();
    }

    /** Opens the room or named group. An object never changes its kind, since its name is a digest. */
    #open<R extends Room | NamedGroup>(kind: new (parts: RoomParts) => R): R {
      if (this.#room !== null) return this.#room as R;
      const room = new kind(this.#parts());
      this.#room = room;
      return room;
    }

    #parts(): RoomParts {
      const deps = depsOf(this.env);
      this.#counted = deps.counted;
      const ids = createRequestIds(() => deps.clock.date().getTime());
      return roomParts(deps, this.#values, ids, () => this.forget());
    }
  };
}
