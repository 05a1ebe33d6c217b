// The error table: every code that a reply can contain, its status, and whether a retry can help.

/** Errors that concern the whole request. Each code has an entry in docs/errors.jsonl. */
export const REQUEST_ERRORS = {
  invalid_json: { status: 400, title: "The body is not valid JSON", retryable: false },
  invalid_encoding: { status: 400, title: "The body is not valid UTF-8", retryable: false },
  invalid_request: { status: 400, title: "The request does not match the contract", retryable: false },
  unsupported_content: { status: 400, title: "The verifier would not see all of the content", retryable: false },
  unknown_spec: { status: 400, title: "No such spec", retryable: false },
  unknown_prompt: { status: 400, title: "No such prompt template", retryable: false },
  unsafe_regex: { status: 400, title: "The regular expression is not accepted", retryable: false },
  unbounded_reward: { status: 400, title: "The reward's range is not finite", retryable: false },
  list_too_long: { status: 400, title: "Too many candidates for one list", retryable: false },
  too_many_rollouts: { status: 400, title: "Too many rollouts in one request", retryable: false },
  too_many_generations: { status: 400, title: "Too many generations in one request", retryable: false },
  length_tokens_required: { status: 400, title: "length_tokens is required by overlong", retryable: false },
  facts_required: { status: 400, title: "Data that a signal needs is missing", retryable: false },
  facts_disagree: { status: 400, title: "The samples of a group disagree about the group", retryable: false },
  body_incomplete: { status: 400, title: "The body is incomplete", retryable: true },
  unauthorized: { status: 401, title: "A valid key is required", retryable: false },
  forbidden_scope: { status: 403, title: "The key may not do this", retryable: false },
  model_not_allowed: { status: 403, title: "The key cannot use this model", retryable: false },
  not_found: { status: 404, title: "Not found", retryable: false },
  method_not_allowed: { status: 405, title: "Method not allowed", retryable: false },
  not_acceptable: { status: 406, title: "Not acceptable", retryable: false },
  request_timeout: { status: 408, title: "The body arrived too slowly", retryable: true },
  idempotency_in_progress: {
    status: 409,
    title: "The first request with this key is still running",
    retryable: true,
  },
  group_closed: { status: 409, title: "The group is closed", retryable: false },
  body_too_large: { status: 413, title: "The body is too large", retryable: false },
  unsupported_media_type: { status: 415, title: "Unsupported media type", retryable: false },
  needs_judging: { status: 422, title: "The run's log lacks data that the spec needs", retryable: false },
  idempotency_key_reused: { status: 422, title: "The idempotency key was used for another request", retryable: false },
  rate_limited: { status: 429, title: "The key's request limit per minute is reached", retryable: true },
  log_budget_exceeded: { status: 429, title: "The key's daily limit of log rows is reached", retryable: true },
  budget_spent: { status: 429, title: "The key's daily dollar budget is spent", retryable: true },
  token_budget_exceeded: { status: 429, title: "The key's daily token limit is reached", retryable: true },
  storage_budget_exceeded: { status: 429, title: "The key's storage limit is reached", retryable: true },
  too_many_concurrent: { status: 429, title: "The key has too many requests running", retryable: true },
  overloaded: { status: 429, title: "Too many requests", retryable: true },
  internal: { status: 500, title: "Internal error", retryable: true },
  store_unavailable: { status: 503, title: "The database is not reachable", retryable: true },
  busy: { status: 503, title: "This instance is at its limit", retryable: true },
  gathering: { status: 503, title: "The sample's group is not complete yet", retryable: true },
  not_ready: { status: 503, title: "Not ready", retryable: true },
  not_configured: { status: 503, title: "The deployment is not configured", retryable: false },
} as const;

export type RequestErrorCode = keyof typeof REQUEST_ERRORS;

/**
 * Reasons why a generation has no answer or a rollout has no reward. They appear inside a reply with status
 * 200; a number never stands for an error. If several codes apply to a rollout, the first one in this order
 * is reported.
 */
export const ITEM_ERRORS = {
  verifier_unavailable: "The verifier could not be reached or failed (connection, 5xx) until the deadline.",
  verifier_overloaded: "The verifier was overloaded (429, 503) until the deadline.",
  context_exceeded: "The question is longer than the verifier's context, and no single candidate is the cause.",
  content_filtered: "The verifier's content filter refused the question or cut the answer.",
  verifier_misconfigured: "The verifier refused the deployment's key, account, model or address (401, 402, 403, 404).",
  verifier_rejected: "The verifier refused the question itself (4xx).",
  verifier_bad_reply: "The verifier's reply was incomplete or malformed.",
  judge_read_less: "The verifier did not read all of its input: the check at the end of the state failed.",
  logprobs_unavailable: "The judge uses soft votes, but the verifier returned no log probabilities.",
  scalar_backend_saturated:
    "The scalar model's server returns 1 for two different texts, so its scores carry no information.",
  other_model: "The spec sets strict_model, and the answer came from a different model than most answers of the group.",
  deadline: "The request's deadline passed before the verdict.",
  cancelled: "The client closed the connection before the verdict.",
  unparsed: "The verifier answered, but none of its answers about this rollout could be read as a verdict.",
  too_long:
    "The rollout's text is longer than rollout_text_bytes, and this spec assigns no value to an unreadable rollout.",
  partial:
    "Too few comparisons were decided (judge.min_decided), or another rollout's number that the value depends on is missing.",
  sandbox_failed: "The sandbox failed on a test that decides the value; the program is not the cause.",
  checker_failed: "A checker failed, returned no number, or returned one outside the spec's range.",
  facts_required:
    "The group lacks data that the signal needs, such as its reference or its test cases; `details` names it.",
  no_tests: "The rollout has no tests, or only tests with zero weight.",
  no_steps: "No step of the rollout was scored.",
  no_number: "The number that the signal reads is missing from the rollout's `numbers`, or outside the signal's range.",
  rubric_undecided: "The verifier decided none of the rubric items with positive points.",
  invalid_reference: "The reference answer has nothing to compare with.",
  rules_undecided: "The rules cannot decide whether the answer equals the reference, and no judge is set.",
  no_answer: "The rollout, or its whole group, has no answer, and the spec maps that to null.",
  no_majority: "Several answers tie as the most frequent, in the group or in the verifier's samples.",
  label_free_over: "The step is at or beyond the signal's max_steps.",
  abstained: "The spec's expression assigns no reward to this rollout (abstain).",
  unbounded: "A computed value is not finite: an overflow, or infinity minus infinity.",
  group_too_small: "The rollout is alone in its group, so there is nothing to compare it with.",
} as const;

export type ItemErrorCode = keyof typeof ITEM_ERRORS;

/** An error in one field. `path` has the form `groups[3].rollouts[0].text`; the message names the limit. */
export interface FieldError {
  path: string;
  message: string;
}

/** An error that concerns the whole request. It can be thrown anywhere; the app's `onError` renders it. */
export class ApiError extends Error {
  readonly code: RequestErrorCode;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: RequestErrorCode,
    detail: string,
    more: { errors?: readonly FieldError[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail);
    this.name = "ApiError";
    this.code = code;
    this.errors = more.errors ?? [];
    this.headers = more.headers ?? {};
  }
}

/**
 * Converts any thrown value to an ApiError. Unexpected errors become `internal`, and their message is not
 * exposed.
 */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  return new ApiError(
    "internal",
    "An internal error occurred; the request is not the cause. Search the logs for the request id.",
  );
}
