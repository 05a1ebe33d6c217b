// Guarantees that a request's wait for its reward ends at the deadline or when the client disconnects,
// wherever the room that gathers its group is running.

import type { RolloutResult } from "../../core/contract/group-reply.ts";
import type { ItemErrorCode } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { within } from "../../platform/waiting.ts";
import type { Timers } from "../../ports/ports.ts";
import { specHash } from "../../scoring/digest.ts";
import type { ClientProbe, GatheredReward, GatheredSample, GroupRooms } from "./gathering.ts";
import { type RoomReply, rewardOf } from "./reply.ts";

/** Connection to rooms whose calls have no time limit. */
interface RoomLine {
  join(sample: GatheredSample, probe: ClientProbe | null, signal: AbortSignal): Promise<RoomReply>;
  /** Tells the room that a request has stopped waiting. */
  leave(room: string, waiterId: string): Promise<void>;
  forget(room: string): Promise<void>;
}

/** Adds time limits to a connection to rooms. */
export function boundedRooms(timers: Timers, line: RoomLine): Omit<GroupRooms, "named"> {
  return {
    forget: (room) => line.forget(room),
    async join(sample, signal, probe = undefined) {
      const end = untilEnd(timers, sample.answer_within_ms, signal);
      try {
        const reply = await Promise.race([line.join(sample, probe ?? null, end.signal), end.reason]);
        const leave = () => line.leave(sample.room, sample.waiter_id).catch(() => undefined);
        if (typeof reply !== "string") {
          // Tells the room about a later disconnect too: the client may not have received the reply.
          if (signal.aborted) void leave();
          else signal.addEventListener("abort", leave, { once: true });
          return rewardOf(reply);
        }
        // Waits briefly so that the room receives the call, but not longer if the room is unreachable.
        const left = leave();
        await within(timers, LIMITS.room_leave_ms, left, () => undefined);
        return await unanswered(sample, reply);
      } finally {
        end.disarm();
      }
    },
  };
}

function untilEnd(timers: Timers, afterMs: number, signal: AbortSignal) {
  const ended = new AbortController();
  const disarmTimer = timers.after(afterMs, () => ended.abort("deadline"));
  const cancel = () => ended.abort("cancelled");
  if (signal.aborted) cancel();
  else signal.addEventListener("abort", cancel, { once: true });
  const reason = new Promise<"deadline" | "cancelled">((resolve) => {
    const settle = () => resolve(ended.signal.reason as "deadline" | "cancelled");
    if (ended.signal.aborted) settle();
    else ended.signal.addEventListener("abort", settle, { once: true });
  });
  const disarm = () => {
    disarmTimer();
    signal.removeEventListener("abort", cancel);
  };
  return { signal: ended.signal, reason, disarm };
}

/** A result without a reward. All counts are zero, so that no value can be mistaken for a reward. */
const NOTHING: Omit<RolloutResult, "error"> = {
  reward: null,
  components: { base: null, format: 0, overlong: 0 },
  wins: 0,
  losses: 0,
  ties: 0,
  undecided: 0,
  forfeits: 0,
  unparsed: 0,
  votes: null,
  rank: null,
  duplicate_of: null,
  format_ok: true,
  jams_judge: false,
};

const NO_METRICS: GatheredReward["metrics"] = {
  parse_rate: null,
  tau_b: null,
  tau_b_undefined: null,
  list_acc: null,
  position_flip_rate: null,
  reward_mean: null,
  reward_std: null,
};

async function unanswered({ waiter_id, spec }: GatheredSample, error: ItemErrorCode): Promise<GatheredReward> {
  return {
    request_id: waiter_id,
    logged: false,
    warnings: [],
    members: 0,
    closed: "deadline",
    late: false,
    attached: false,
    result: { ...NOTHING, error },
    metrics: NO_METRICS,
    spec_hash: await specHash(spec),
  };
}
