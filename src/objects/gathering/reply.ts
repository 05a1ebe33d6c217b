// A room's reply to a one-sample request. It is plain data because errors lose their class between isolates.

import { ApiError, asApiError, type FieldError, type RequestErrorCode } from "../../core/faults/errors.ts";
import { faultLine } from "../../core/faults/fault-line.ts";
import type { GatheredReward } from "./gathering.ts";

export interface GatheringFault {
  code: RequestErrorCode;
  detail: string;
  errors: readonly FieldError[];
  /** Response headers such as `retry-after`. */
  headers: Readonly<Record<string, string>>;
}

type Faulty = { fault: GatheringFault };
export type RoomReply = { reward: GatheredReward } | Faulty;

export const GATHERING: GatheringFault = {
  code: "gathering",
  detail:
    "Other samples of this group have not arrived yet; their requests may be waiting for a connection. This sample's place is kept: send it again.",
  errors: [],
  headers: { "retry-after": "1" },
};

/** Converts an error to a reply. Errors other than ApiError are logged and get the code `internal`. */
export function faultReply(thrown: unknown, id: string, report: (line: Record<string, unknown>) => void): Faulty {
  const { code, message, errors, headers } = asApiError(thrown);
  if (code === "internal") report(faultLine(thrown, id));
  return { fault: { code, detail: message, errors, headers } };
}

/** Returns the reply, or throws an ApiError if the reply contains a `fault`. */
export function unlessFault<R extends object>(reply: R): Exclude<R, Faulty> {
  if (!("fault" in reply)) return reply as Exclude<R, Faulty>;
  const { code, detail, errors, headers } = (reply as unknown as Faulty).fault;
  throw new ApiError(code, detail, { errors, headers });
}

/** Returns the reply's reward, or throws an ApiError if the reply contains a `fault`. */
export const rewardOf = (reply: RoomReply): GatheredReward => unlessFault(reply).reward;
