// Defines what a room says to a join, in a form that survives a call between isolates (errors lose their
// class there).

import { ApiError, asApiError, type FieldError, type RequestErrorCode } from "../../core/faults/errors.ts";
import { faultLine } from "../../core/faults/fault-line.ts";
import type { GatheredReward } from "./gathering.ts";

export interface GatheringFault {
  code: RequestErrorCode;
  detail: string;
  errors: readonly FieldError[];
  /** Such as `retry-after`. */
  headers: Readonly<Record<string, string>>;
}

type Faulty = { fault: GatheringFault };
export type RoomReply = { reward: GatheredReward } | Faulty;

export const GATHERING: GatheringFault = {
  code: "gathering",
  detail:
    "The other samples of this one's group have not come yet, and may lack a connection. Its place is kept: send it again.",
  errors: [],
  headers: { "retry-after": "1" },
};

/** A fault of the request as it is; anything else is reported and named `internal`. */
export function faultReply(thrown: unknown, id: string, report: (line: Record<string, unknown>) => void): Faulty {
  const { code, message, errors, headers } = asApiError(thrown);
  if (code === "internal") report(faultLine(thrown, id));
  return { fault: { code, detail: message, errors, headers } };
}

/** What is not a fault; a fault is thrown as the ApiError it was. */
export function unlessFault<R extends object>(reply: R): Exclude<R, Faulty> {
  if (!("fault" in reply)) return reply as Exclude<R, Faulty>;
  const { code, detail, errors, headers } = (reply as unknown as Faulty).fault;
  throw new ApiError(code, detail, { errors, headers });
}

/** The reward, or the fault thrown. */
export const rewardOf = (reply: RoomReply): GatheredReward => unlessFault(reply).reward;
