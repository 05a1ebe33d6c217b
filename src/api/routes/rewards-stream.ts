// The NDJSON reply of /v1/rewards: one line per group as soon as it is judged, heartbeats, and a final line.

import type { GroupResult } from "../../core/contract/group-reply.ts";
import { type JsonWriter, jsonWriter } from "../../core/contract/json-text.ts";
import { type RewardsEvent, RewardsEventSchema, type RewardsReply } from "../../core/contract/rewards-reply.ts";
import { asApiError, REQUEST_ERRORS } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { Timers } from "../../ports/ports.ts";
import { line, ndjsonResponse, pushedText } from "../door/streams.ts";

type ScoringRun = (onGroup: (index: number, group: GroupResult) => void) => Promise<RewardsReply>;

const write: JsonWriter = (event) => jsonWriter(RewardsEventSchema)(event);

function doneLine({ groups: _groups, rewards: _rewards, ...tail }: RewardsReply): RewardsEvent {
  return { type: "done", ...tail };
}

function errorLine(error: unknown, request_id: string): RewardsEvent {
  const { code, message: detail } = asApiError(error);
  return { type: "error", code, detail, request_id, retryable: REQUEST_ERRORS[code].retryable };
}

/**
 * Starts `run` and returns the response at the first event: a group, a heartbeat (every heartbeat_ms), or the
 * end. An error before the first event is thrown; a later error becomes an `error` line.
 */
export async function streamRewards(
  timers: Timers,
  run: ScoringRun,
  cancel: () => void,
  requestId: string,
  groups: number,
): Promise<Response> {
  const { body, sink } = pushedText(cancel);
  let groupsDone = 0;
  let begin: () => void;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const say = (event: RewardsEvent) => {
    sink.write(line(event, write));
    begin();
  };
  const stopBeats = timers.every(LIMITS.heartbeat_ms, () =>
    say({ type: "heartbeat", groups_done: groupsDone, groups }),
  );
  const running = run((index, group) => {
    groupsDone++;
    say({ type: "group", index, ...group });
  });
  running
    .then(doneLine, (error) => errorLine(error, requestId))
    .then((last) => sink.write(line(last, write)))
    .finally(() => {
      stopBeats();
      sink.close();
    });
  await Promise.race([begun, running]);
  return ndjsonResponse(body);
}
