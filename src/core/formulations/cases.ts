// Reads the items of /v1/verdicts: the number of candidates and the correct one. Rejects missing or
// contradictory fields.

import { canonicalJson } from "../contract/canonical-json.ts";
import type { VerdictItem, VerdictsRequest } from "../contract/verdicts-request.ts";
import { ApiError, type RequestErrorCode } from "../faults/errors.ts";
import { counted, theLimit } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { NEEDS_PASS_RATES, PAIRS_ONLY, uniqueMaximum, type VerdictCase } from "./formulations.ts";

/** An error in one field, without the item's index. */
interface CaseFault {
  field: keyof VerdictItem;
  message: string;
}

/**
 * Reads every item. With `pass_rates`, k is their number, and the correct candidate is the one with the
 * highest rate (`correct` may resolve a tie). Without `pass_rates`, `candidates` and `correct` give both
 * values.
 * @throws ApiError `invalid_request`, or `length_tokens_required` if only lengths are missing; names the
 * first errors
 */
export function readVerdictCases(request: VerdictsRequest): VerdictCase[] {
  const read = request.items.map((item) => readItem(request, item));
  refuse(
    "invalid_request",
    read.map((item) => ("field" in item ? item : null)),
  );
  const unmeasured = {
    field: "length_tokens",
    message: "required by overlong; never estimated from characters",
  } as const;
  const measured = ({ length_tokens }: VerdictItem) => request.overlong === null || length_tokens !== undefined;
  refuse(
    "length_tokens_required",
    request.items.map((item) => (measured(item) ? null : unmeasured)),
  );
  return read as VerdictCase[];
}

/**
 * Groups item indices by the prompt that the verifier was shown, in order of first appearance. Returns null
 * if no item has a prompt.
 * @throws ApiError `invalid_request` if only some items have a prompt, if `log_texts` requires one, or for
 * more than `groups_max` prompts or `rollouts_per_group_max` items per prompt
 */
export function itemsByPrompt({ items, log_texts }: VerdictsRequest): number[][] | null {
  if (log_texts !== true && items.every(({ prompt }) => prompt === undefined)) return null;
  const missing = {
    field: "prompt",
    message: "needed in every item if any item has one, or if log_texts is true",
  } as const;
  refuse(
    "invalid_request",
    items.map(({ prompt }) => (prompt === undefined ? missing : null)),
  );
  const groups = Map.groupBy(items.keys(), (i) => canonicalJson(items[i]?.prompt));
  const firstBeyond = [...groups.values()][LIMITS.groups_max]?.[0];
  const beyond = new Set([...groups.values()].map((group) => group[LIMITS.rollouts_per_group_max]));
  refuse(
    "invalid_request",
    items.map((_, i) => {
      if (i === firstBeyond) return { field: "prompt", message: `too many prompts; ${theLimit("groups_max")}` };
      if (beyond.has(i))
        return {
          field: "prompt",
          message: `too many items with the same prompt; ${theLimit("rollouts_per_group_max")}`,
        };
      return null;
    }),
  );
  return [...groups.values()];
}

/** Throws if any item has an error. The message describes the first error and counts the others. */
function refuse(code: RequestErrorCode, faults: readonly (CaseFault | null)[]): void {
  const found = faults.flatMap((fault, i) => (fault === null ? [] : [{ ...fault, i }]));
  const errors = found
    .slice(0, LIMITS.validation_errors_max)
    .map(({ field, message, i }) => ({ path: `items[${i}].${field}`, message }));
  const [first] = errors;
  if (first === undefined) return;
  const more = found.length > 1 ? ` (and ${counted(found.length - 1, "more item")})` : "";
  throw new ApiError(code, `${first.path}: ${first.message}${more}`, { errors });
}

function readItem({ formulation }: VerdictsRequest, item: VerdictItem): VerdictCase | CaseFault {
  const { pass_rates, candidates, correct } = item;
  if (pass_rates === undefined && NEEDS_PASS_RATES.has(formulation)) {
    return { field: "pass_rates", message: `${formulation} needs pass_rates with two entries, one per candidate` };
  }
  const k = pass_rates?.length ?? candidates;
  if (k === undefined) return { field: "candidates", message: "candidates and correct, or pass_rates, are needed" };
  if (candidates !== undefined && candidates !== k) {
    return { field: "candidates", message: `contradicts pass_rates, which has ${k} entries` };
  }
  if (k !== 2 && PAIRS_ONLY.has(formulation)) {
    const field = pass_rates === undefined ? "candidates" : "pass_rates";
    return { field, message: `${formulation} compares exactly 2 candidates, not ${k}` };
  }
  if (correct !== undefined && correct >= k) {
    return { field: "correct", message: `must be an index below ${k}, the number of candidates` };
  }
  const gold = pass_rates === undefined ? (correct ?? null) : goldOf(pass_rates, correct);
  if (typeof gold === "object" && gold !== null) return gold;
  if (gold === null && pass_rates === undefined)
    return { field: "correct", message: "required if candidates is given without pass_rates" };
  if (gold === null && !NEEDS_PASS_RATES.has(formulation)) {
    return {
      field: "pass_rates",
      message: "the highest pass rate is shared; set correct to the index of the correct candidate",
    };
  }
  return { text: item.text, k, gold, pass_rates: pass_rates ?? null };
}

/**
 * The correct candidate according to the pass rates; null if several candidates share the highest rate and
 * `correct` is omitted.
 */
function goldOf(passRates: readonly number[], correct: number | undefined): number | null | CaseFault {
  if (correct === undefined) return uniqueMaximum(passRates);
  if (passRates.some((rate) => rate > (passRates[correct] as number))) {
    return { field: "correct", message: "contradicts pass_rates: another candidate has a higher one" };
  }
  return correct;
}
