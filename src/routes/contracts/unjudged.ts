// Owns the refusal of a contract that has no place for a missing score: which failure it was, as a fault of the whole request. Knows no wire shape.
import { ApiError, ITEM_ERRORS, type ItemErrorCode, type RequestErrorCode } from "../../core/errors.ts";
import type { ScoredRequest } from "../scored-request.ts";

/** By item code: the nearest fault of a whole request (it decides `retryable` and Retry-After), and the status to answer with. */
type Nearest = readonly [code: RequestErrorCode, status: number];
const NEAREST: Record<ItemErrorCode, Nearest> = {
  verifier_unavailable: ["not_ready", 503],
  verifier_overloaded: ["overloaded", 429],
  verifier_rejected: ["invalid_request", 422],
  other_model: ["not_ready", 503],
  verifier_bad_reply: ["not_ready", 503],
  deadline: ["not_ready", 504],
  cancelled: ["request_timeout", 499],
  group_too_small: ["invalid_request", 400],
};

/** A request whose scores could not be had, where a client could not be told so within a 200. */
export class Unjudged extends ApiError {
  readonly item: ItemErrorCode;
  readonly status: number;
  readonly title: string;

  constructor(
    item: ItemErrorCode,
    detail: string = ITEM_ERRORS[item],
    [code, status]: Nearest = NEAREST[item],
    title: string = ITEM_ERRORS[item],
  ) {
    super(code, detail);
    this.name = "Unjudged";
    this.item = item;
    this.status = status;
    this.title = title;
  }
}

/** The failure that stands for several, by the error table's order of precedence; null when there was none. */
function commonFailure(codes: readonly (ItemErrorCode | null)[]): ItemErrorCode | null {
  return (Object.keys(ITEM_ERRORS) as ItemErrorCode[]).find((code) => codes.includes(code)) ?? null;
}

/** The failures of one group's rollouts and of its single verdicts, as one; null when nothing failed. */
function groupFailure({ reply, groups }: ScoredRequest, group: number): ItemErrorCode | null {
  const rollouts = reply.groups[group]?.rollouts ?? [];
  const verdicts = groups[group]?.verdicts ?? [];
  return commonFailure([...rollouts, ...verdicts].map(({ error }) => error));
}

/** Why a group's scores are missing or unsafe, as the refusal of the whole request. */
export function unjudged(scored: ScoredRequest, group = 0): Unjudged {
  return new Unjudged(groupFailure(scored, group) ?? "verifier_bad_reply");
}

const NO_CHOICE =
  "The verifier answered, but none of its answers held a choice, so any order would be chance. Asking again the same way will not help.";

/**
 * Refuses a group in which the verifier chose nothing at all. A trainer may take that as ties (it sees the parse rate); a client that
 * reads an order or a best candidate would take chance for a judgement (docs/decisions/0003).
 */
export function requireChoice(scored: ScoredRequest, group = 0): void {
  if (scored.reply.groups[group]?.metrics.parse_rate !== 0) return;
  const failure = groupFailure(scored, group);
  throw failure === null
    ? new Unjudged("verifier_bad_reply", NO_CHOICE, ["invalid_request", 422], "The verifier's answers held no choice")
    : new Unjudged(failure);
}
