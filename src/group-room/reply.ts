// Owns what a room says to a join, in a form that survives a call between isolates (errors lose their class there).
import { ApiError, type FieldError, type RequestErrorCode } from "../core/errors.ts";
import type { GatheredReward } from "../core/gathering.ts";
import { asApiError } from "../http/problem.ts";

export interface Fault {
  code: RequestErrorCode;
  detail: string;
  errors: readonly FieldError[];
}

export type RoomReply = { reward: GatheredReward } | { fault: Fault };

export function faultOf(thrown: unknown): Fault {
  const { code, message, errors } = asApiError(thrown);
  return { code, detail: message, errors };
}

/** The reward, or the fault thrown as the ApiError it was. */
export function rewardOf(reply: RoomReply): GatheredReward {
  if ("reward" in reply) return reply.reward;
  const { code, detail, errors } = reply.fault;
  throw new ApiError(code, detail, { errors });
}
