// Errors for APIs whose replies cannot express a missing score: the whole request fails if a score is
// missing.
import {
  ApiError,
  type FieldError,
  ITEM_ERRORS,
  type ItemErrorCode,
  REQUEST_ERRORS,
  type RequestErrorCode,
} from "../../../core/faults/errors.ts";
import { verdictIn } from "../../../core/judges/verdicts.ts";
import type { VerdictRow } from "../../../ports/log-entry.ts";
import { programsWarning } from "../../../scoring/programs-only.ts";
import type { ScoredRequest } from "../../../scoring/score-and-log.ts";
import { retryAfter } from "../../door/retry-after.ts";

/**
 * For each error code of a rollout: the closest request error, which determines `retryable` and Retry-After,
 * and the HTTP status.
 */
type Nearest = readonly [code: RequestErrorCode, status: number];
const NEAREST: Partial<Record<ItemErrorCode, Nearest>> = {
  verifier_unavailable: ["not_ready", 503],
  verifier_misconfigured: ["not_configured", 502],
  verifier_overloaded: ["overloaded", 429],
  logprobs_unavailable: ["not_ready", 503],
  scalar_backend_saturated: ["not_ready", 503],
  other_model: ["not_ready", 503],
  verifier_bad_reply: ["not_ready", 503],
  deadline: ["not_ready", 504],
  cancelled: ["request_timeout", 499],
  partial: ["not_ready", 503],
  sandbox_failed: ["not_ready", 503],
  facts_required: ["facts_required", 400],
  checker_failed: ["not_ready", 503],
  group_too_small: ["invalid_request", 400],
};
/** For all other codes. They are caused by the request's content, so a retry would have the same outcome. */
const OF_THE_REQUEST: Nearest = ["invalid_request", 422];

interface UnjudgedParts {
  detail?: string;
  nearest?: Nearest;
  title?: string;
  errors?: readonly FieldError[];
  /** The longest wait that a verifier requested, ms; null: the default for the status. */
  retry_after_ms?: number | null;
}

/** The error of a request without scores, for APIs whose 200 reply cannot express that. */
export class Unjudged extends ApiError {
  readonly item: ItemErrorCode;
  readonly status: number;
  readonly title: string;

  constructor(item: ItemErrorCode, parts: UnjudgedParts = {}) {
    const { detail = ITEM_ERRORS[item], title = ITEM_ERRORS[item], errors = [], retry_after_ms = null } = parts;
    const [code, status] = parts.nearest ?? NEAREST[item] ?? OF_THE_REQUEST;
    const headers = REQUEST_ERRORS[code].retryable ? retryAfter(retry_after_ms) : {};
    super(code, detail, { errors, headers });
    this.name = "Unjudged";
    this.item = item;
    this.status = status;
    this.title = title;
  }
}

/** The code that comes first in the table of error codes; null for an empty list. */
function commonFailure(codes: readonly (ItemErrorCode | null)[]): ItemErrorCode | null {
  return (Object.keys(ITEM_ERRORS) as ItemErrorCode[]).find((code) => codes.includes(code)) ?? null;
}

const NO_CHOICE =
  "The verifier answered but gave no verdict, so the texts stay unranked. The same request will fail again.";

/** Whether the verifier was asked about a group of several candidates and preferred none of them. */
function choseNothing({ groups, reply }: ScoredRequest, group = 0): boolean {
  const verdicts = groups[group]?.verdicts ?? [];
  const judged =
    reply.groups[group]?.rollouts.filter((rollout) => rollout.format_ok && rollout.duplicate_of === null) ?? [];
  return judged.length > 1 && verdicts.length > 0 && verdicts.every(saysNothing);
}

/** Whether a row contains no verdict, or a verdict that no candidate is correct. */
function saysNothing(row: VerdictRow): boolean {
  const verdict = verdictIn(row);
  return verdict === null || (verdict.kind === "letters" && verdict.places.length === 0);
}

/** Prefix of warnings that quote a verifier's reason for refusing a question. */
const REFUSED = "verifier_refused: ";

/** Appends the verifier's own reasons, if there are any, to the sentence. */
function withReasons(detail: string, { warnings }: ScoredRequest["reply"]): string {
  const reasons = warnings.flatMap((text) => (text.startsWith(REFUSED) ? [text.slice(REFUSED.length)] : []));
  return reasons.length === 0 ? detail : `${detail} The verifier said: ${reasons.join("; ")}.`;
}

/**
 * Builds the error of a request from a rollout's error code.
 * @param which start of the error's detail, which names the candidates without a score
 */
function refusalBy(
  item: ItemErrorCode,
  scored: ScoredRequest,
  which = "",
  errors: readonly FieldError[] = [],
): Unjudged {
  const detail = withReasons(`${which}${ITEM_ERRORS[item]}`, scored.reply);
  return new Unjudged(item, { detail, errors, retry_after_ms: scored.retry_after_ms });
}

/**
 * The error for a group whose scores are missing or unreliable. A verdict's error takes precedence over a
 * rollout's error, which only results from it. If all verdicts arrived, the error is not retryable, because
 * the same candidates would produce the same questions.
 */
export function unjudged(scored: ScoredRequest, group = 0): Unjudged {
  const codesOf = (verdicts: readonly { error: ItemErrorCode | null }[] = []) =>
    commonFailure(verdicts.map(({ error }) => error));
  const failed = codesOf(scored.groups[group]?.verdicts);
  if (failed !== null) return refusalBy(failed, scored);
  const why = programsWarning(scored.reply.warnings);
  if (choseNothing(scored, group)) {
    return new Unjudged("verifier_bad_reply", {
      detail: why === null ? NO_CHOICE : `${NO_CHOICE} ${why}`,
      nearest: ["invalid_request", 422],
      title: "The verifier's answers contain no choice",
    });
  }
  const code = codesOf(scored.reply.groups[group]?.rollouts) ?? "verifier_bad_reply";
  return refusalBy(code === "partial" ? "unparsed" : code, scored);
}

/**
 * The error for a request in which some candidates have no score.
 * @param missing the error codes of these candidates, by their paths in the request
 */
export function incomplete(scored: ScoredRequest, missing: ReadonlyMap<string, ItemErrorCode>, advice = ""): Unjudged {
  const code = commonFailure([...missing.values()]) ?? "verifier_bad_reply";
  const paths = [...missing.keys()];
  const more = paths.length > NAMED_MAX ? ` and ${paths.length - NAMED_MAX} more` : "";
  const which = `${paths.slice(0, NAMED_MAX).join(", ")}${more} could not be judged${advice}. `;
  const errors = [...missing].map(([path, item]) => ({ path, message: ITEM_ERRORS[item] }));
  return refusalBy(code, scored, which, errors);
}

/** Maximum number of paths in the error message. */
const NAMED_MAX = 5;

/**
 * Throws if the verifier preferred no candidate of a group. A trainer may treat that as ties, because it sees
 * the parse rate, but a client that reads a ranking or a best candidate would mistake chance for a judgement
 * (docs/decisions.md).
 */
export function requireChoice(scored: ScoredRequest, group = 0): void {
  if (choseNothing(scored, group)) throw unjudged(scored, group);
}
