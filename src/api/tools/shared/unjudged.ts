// The error for contracts that cannot express a missing score: reports the failure as an error of the whole
// request.
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
 * For each item code: the closest request error, which determines `retryable` and Retry-After, and the HTTP
 * status.
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
/** For all other codes, which are caused by the request's content: a retry has the same outcome. */
const OF_THE_REQUEST: Nearest = ["invalid_request", 422];

interface UnjudgedParts {
  detail?: string;
  nearest?: Nearest;
  title?: string;
  errors?: readonly FieldError[];
  /** Longest wait in ms that a verifier asked for; null: the status's default. */
  retry_after_ms?: number | null;
}

/** A request without scores, in a contract whose 200 reply cannot express that. */
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

/** The code with the highest precedence in the error table; null if there is none. */
function commonFailure(codes: readonly (ItemErrorCode | null)[]): ItemErrorCode | null {
  return (Object.keys(ITEM_ERRORS) as ItemErrorCode[]).find((code) => codes.includes(code)) ?? null;
}

const NO_CHOICE =
  "The verifier answered but gave no verdict, so the texts stay unranked. The same request will fail again.";

/**
 * Whether the verifier was asked about a group and chose no candidate. A single candidate needs no verdict.
 */
function choseNothing({ groups, reply }: ScoredRequest, group = 0): boolean {
  const verdicts = groups[group]?.verdicts ?? [];
  const judged =
    reply.groups[group]?.rollouts.filter((rollout) => rollout.format_ok && rollout.duplicate_of === null) ?? [];
  return judged.length > 1 && verdicts.length > 0 && verdicts.every(saysNothing);
}

/** Whether a row holds no verdict, or one that finds no candidate right. */
function saysNothing(row: VerdictRow): boolean {
  const verdict = verdictIn(row);
  return verdict === null || (verdict.kind === "letters" && verdict.places.length === 0);
}

/** Prefix of warnings that quote a verifier's reason for a refusal. */
const REFUSED = "verifier_refused: ";

/** The sentence, followed by the verifier's own reasons if there are any. */
function withReasons(detail: string, { warnings }: ScoredRequest["reply"]): string {
  const reasons = warnings.flatMap((text) => (text.startsWith(REFUSED) ? [text.slice(REFUSED.length)] : []));
  return reasons.length === 0 ? detail : `${detail} The verifier said: ${reasons.join("; ")}.`;
}

/**
 * The error of a request for one code.
 * @param which start of the sentence: the texts that lack a score
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
 * The error for a group whose scores are missing or unsafe. A verdict's failure takes precedence over a
 * rollout's, which only results from it. If all verdicts arrived, the error is not retryable, because the
 * same texts produce the same questions.
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
 * The error for a request in which some texts lack scores.
 * @param missing the failure of each such text, by its path in the request
 */
export function incomplete(scored: ScoredRequest, missing: ReadonlyMap<string, ItemErrorCode>, advice = ""): Unjudged {
  const code = commonFailure([...missing.values()]) ?? "verifier_bad_reply";
  const paths = [...missing.keys()];
  const more = paths.length > NAMED_MAX ? ` and ${paths.length - NAMED_MAX} more` : "";
  const which = `${paths.slice(0, NAMED_MAX).join(", ")}${more} could not be judged${advice}. `;
  const errors = [...missing].map(([path, item]) => ({ path, message: ITEM_ERRORS[item] }));
  return refusalBy(code, scored, which, errors);
}

/** Maximum number of paths in the message. */
const NAMED_MAX = 5;

/**
 * Rejects a group in which the verifier made no choice. A trainer may treat that as ties, because it sees the
 * parse rate; a client that reads a ranking or a best candidate would take chance for a judgement
 * (docs/decisions.md).
 */
export function requireChoice(scored: ScoredRequest, group = 0): void {
  if (choseNothing(scored, group)) throw unjudged(scored, group);
}
