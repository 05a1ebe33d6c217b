// Owns what a room says to a join, in a form that survives a call between isolates (errors lose
// their class there).

import { ApiError, asApiError, type FieldError, type RequestErrorCode } from "../../core/faults/errors.ts";
import { faultLine } from "../../core/faults/fault-line.ts";
import type { GatheredReward } from "./gathering.ts";

export interface GatheringFault {
  code: RequestErrorCode;
  detail: string;
  errors: readonly FieldError[];
}

export type RoomReply = { reward: GatheredReward } | { fault: GatheringFault };

export const GATHERING: GatheringFault = {
  code: "gathering",
  detail:
    "The other samples of this one's group have not come yet, and may lack a connection. Its place is kept: send it again.",
  errors: [],
};

/** A fault of the request as it is; anything else is reported and named `internal`. */
export function faultReply(
  thrown: unknown,
  id: string,
  report: (line: Record<string, unknown>) => void,
): { fault: GatheringFault } {
  const { code, message, errors } = asApiError(thrown);
  if (code === "internal") report(faultLine(thrown, id));
  return { fault: { code, detail: message, errors } };
}

/** The reward, or the fault thrown as the ApiError it was. */
export function rewardOf(reply: RoomReply): GatheredReward {
  if ("reward" in reply) return reply.reward;
  const { code, detail, errors } = reply.fault;
  const soon = code === "gathering" || code === "busy";
  throw new ApiError(code, detail, { errors, headers: soon ? { "retry-after": "1" } : {} });
}
