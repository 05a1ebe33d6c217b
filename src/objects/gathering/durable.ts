// Owns the Durable Object that is a room: its storage, its alarm, and the two calls it answers.
// Knows no decision.
import { DurableObject } from "cloudflare:workers";
import { createRequestIds } from "../../platform/request-ids.ts";
import type { JudgingDeps } from "../../scoring/deps.ts";
import type { RunObjects } from "../run-objects/run-objects.ts";
import { durableValues } from "../storage/durable.ts";
import type { ClientProbe, GatheredSample } from "./gathering.ts";
import { createEarlyJudge, createGroupJudge } from "./judge-group.ts";
import type { RoomReply } from "./reply.ts";
import { Room } from "./room.ts";
import { listing } from "./room-listing.ts";
import { createRoomStore } from "./room-store.ts";

/** The class for a Worker whose environment `depsOf` turns into what judging takes. */
export function groupRoomClass(
  depsOf: (env: Record<string, unknown>) => JudgingDeps & { counted(): Promise<void>; runObjects?: RunObjects },
) {
  return class extends DurableObject<Record<string, unknown>> {
    readonly #values = durableValues(this.ctx);
    #room: Room | null = null;
    #counted: () => Promise<void> = async () => undefined;

    /** Resolves with the sample's answer, however long it takes. */
    async join(sample: GatheredSample, probe: ClientProbe | null): Promise<RoomReply> {
      try {
        return await this.#open().join(sample, probe);
      } finally {
        void this.#counted();
      }
    }

    async leave(waiterId: string): Promise<void> {
      this.#open().leave(waiterId);
    }

    async forget(): Promise<void> {
      this.#room?.forget();
      await this.#clear();
    }

    /**
     * Closes groups after a restart even if nobody comes, keeps the object alive while it judges,
     * and deletes what is over.
     */
    override async alarm(): Promise<void> {
      const room = this.#open();
      await room.wake();
      if (room.isEmpty && this.#room === room) await this.#clear();
    }

    async #clear(): Promise<void> {
      this.#room = null;
      await this.#values.clear();
    }

    #open(): Room {
      if (this.#room !== null) return this.#room;
      const deps = depsOf(this.env);
      this.#counted = deps.counted;
      this.#room = new Room({
        store: createRoomStore(this.#values),
        judge: createGroupJudge(deps),
        ...(deps.early_judging && { early: createEarlyJudge(deps) }),
        now: () => Date.now(),
        nextRequestId: createRequestIds(() => deps.clock.date().getTime()),
        report: deps.report,
        began: listing(deps.runObjects, deps.report, () => this.forget()),
      });
      return this.#room;
    }
  };
}
