// Owns the refusal of a contract that has no place for a missing score: which failure it was, as a
// fault of the whole request. Knows no wire shape.
import { ApiError, ITEM_ERRORS, type ItemErrorCode, type RequestErrorCode } from "../../../core/faults/errors.ts";
import { verdictIn } from "../../../core/judges/verdicts.ts";
import type { VerdictRow } from "../../../ports/run-log.ts";
import { programsWarning } from "../../../scoring/programs-only.ts";
import type { ScoredRequest } from "../../../scoring/score-and-log.ts";

/**
 * By item code: the nearest fault of a whole request (it decides `retryable` and Retry-After), and
 * the status to answer with.
 */
type Nearest = readonly [code: RequestErrorCode, status: number];
const NEAREST: Partial<Record<ItemErrorCode, Nearest>> = {
  verifier_unavailable: ["not_ready", 503],
  verifier_overloaded: ["overloaded", 429],
  logprobs_unavailable: ["not_ready", 503],
  scalar_backend_saturated: ["not_ready", 503],
  other_model: ["not_ready", 503],
  verifier_bad_reply: ["not_ready", 503],
  deadline: ["not_ready", 504],
  cancelled: ["request_timeout", 499],
  partial: ["not_ready", 503],
  sandbox_failed: ["not_ready", 503],
  group_too_small: ["invalid_request", 400],
};
/** Every other is what the request holds: another try has the same outcome. */
const OF_THE_REQUEST: Nearest = ["invalid_request", 422];

/** A request whose scores could not be had, where a client could not be told so within a 200. */
export class Unjudged extends ApiError {
  readonly item: ItemErrorCode;
  readonly status: number;
  readonly title: string;

  constructor(
    item: ItemErrorCode,
    detail: string = ITEM_ERRORS[item],
    [code, status]: Nearest = NEAREST[item] ?? OF_THE_REQUEST,
    title: string = ITEM_ERRORS[item],
  ) {
    super(code, detail);
    this.name = "Unjudged";
    this.item = item;
    this.status = status;
    this.title = title;
  }
}

/**
 * The failure that stands for several, by the error table's order of precedence; null when there
 * was none.
 */
function commonFailure(codes: readonly (ItemErrorCode | null)[]): ItemErrorCode | null {
  return (Object.keys(ITEM_ERRORS) as ItemErrorCode[]).find((code) => codes.includes(code)) ?? null;
}

const NO_CHOICE =
  "The verifier answered, but none of its answers held a choice, so any order would be chance. Asking again the same way will not help.";

/**
 * Whether the verifier was asked of a group and named nobody in it. One candidate that stands alone
 * needs no verdict.
 */
function choseNothing({ groups, reply }: ScoredRequest, group = 0): boolean {
  const verdicts = groups[group]?.verdicts ?? [];
  const judged =
    reply.groups[group]?.rollouts.filter((rollout) => rollout.format_ok && rollout.duplicate_of === null) ?? [];
  return judged.length > 1 && verdicts.length > 0 && verdicts.every(saysNothing);
}

/** No verdict, or that nobody is right. */
function saysNothing(row: VerdictRow): boolean {
  const verdict = verdictIn(row);
  return verdict === null || (verdict.kind === "letters" && verdict.places.length === 0);
}

/**
 * Why a group's scores are missing or unsafe, as the refusal of the whole request: the failure of a
 * verdict before that of a rollout, which is only its consequence. Where all verdicts came, asking
 * again does not help: the same texts are the same question.
 */
export function unjudged(scored: ScoredRequest, group = 0): Unjudged {
  const codesOf = (of: readonly { error: ItemErrorCode | null }[] = []) => commonFailure(of.map(({ error }) => error));
  const failed = codesOf(scored.groups[group]?.verdicts);
  if (failed !== null) return new Unjudged(failed);
  const why = programsWarning(scored.reply.warnings);
  if (choseNothing(scored, group)) {
    return new Unjudged(
      "verifier_bad_reply",
      why === null ? NO_CHOICE : `${NO_CHOICE} ${why}`,
      ["invalid_request", 422],
      "The verifier's answers held no choice",
    );
  }
  const code = codesOf(scored.reply.groups[group]?.rollouts) ?? "verifier_bad_reply";
  return new Unjudged(code === "partial" ? "unparsed" : code);
}

/**
 * Refuses a group in which the verifier chose nothing at all. A trainer may take that as ties (it
 * sees the parse rate); a client that reads an order or a best candidate would take chance for a
 * judgement (docs/decisions/0003).
 */
export function requireChoice(scored: ScoredRequest, group = 0): void {
  if (choseNothing(scored, group)) throw unjudged(scored, group);
}
