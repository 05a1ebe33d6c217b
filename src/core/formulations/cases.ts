// Reads /v1/verdicts items: how many candidates, which is correct, what is missing or contradicts.
import type { VerdictItem, VerdictsRequest } from "../contract/requests.ts";
import { canonicalJson } from "../contract/spec.ts";
import { ApiError, type RequestErrorCode } from "../faults/errors.ts";
import { counted, theLimit } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { NEEDS_PASS_RATES, PAIRS_ONLY, uniqueMaximum, type VerdictCase } from "./formulations.ts";

/** One field's fault, without the item's place. */
interface CaseFault {
  field: keyof VerdictItem;
  message: string;
}

/**
 * Reads every item. With `pass_rates`, k is their number and the correct candidate the one with the
 * highest (`correct` may settle a shared maximum); without, `candidates` and `correct` say so.
 * Throws ApiError `invalid_request`, or `length_tokens_required` when only lengths are missing,
 * with the first faults named.
 */
export function readVerdictCases(request: VerdictsRequest): VerdictCase[] {
  const read = request.items.map((item) => readItem(request, item));
  refuse(
    "invalid_request",
    read.map((item) => ("field" in item ? item : null)),
  );
  const unmeasured = { field: "length_tokens", message: "needed by overlong; never guessed from characters" } as const;
  const measured = ({ length_tokens }: VerdictItem) => request.overlong === null || length_tokens !== undefined;
  refuse(
    "length_tokens_required",
    request.items.map((item) => (measured(item) ? null : unmeasured)),
  );
  return read as VerdictCase[];
}

/**
 * Indices of the items by the prompt that the verifier was shown, in the order in which prompts appear;
 * null where the items have none. Throws ApiError `invalid_request` where some lack it, or `log_texts`
 * needs one, and beyond `groups_max` prompts or `rollouts_per_group_max` items of one prompt.
 */
export function itemsByPrompt({ items, log_texts }: VerdictsRequest): number[][] | null {
  if (log_texts !== true && items.every(({ prompt }) => prompt === undefined)) return null;
  const missing = { field: "prompt", message: "needed in every item where one has it, and by log_texts" } as const;
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
        return { field: "prompt", message: `too many items of one prompt; ${theLimit("rollouts_per_group_max")}` };
      return null;
    }),
  );
  return [...groups.values()];
}

/** Throws for the items that have a fault: the first in words, and how many there are. */
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
    return { field: "pass_rates", message: `${formulation} needs pass_rates, one for each of the two candidates` };
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
    return { field: "correct", message: `must be an index below the ${k} candidates` };
  }
  const gold = pass_rates === undefined ? (correct ?? null) : goldOf(pass_rates, correct);
  if (typeof gold === "object" && gold !== null) return gold;
  if (gold === null && pass_rates === undefined) return { field: "correct", message: "needed beside candidates" };
  if (gold === null && !NEEDS_PASS_RATES.has(formulation)) {
    return { field: "pass_rates", message: "the highest pass rate is shared; name the correct candidate in correct" };
  }
  return { text: item.text, k, gold, pass_rates: pass_rates ?? null };
}

/**
 * The correct candidate by pass rates, null when the highest is shared and `correct` does not
 * settle it.
 */
function goldOf(passRates: readonly number[], correct: number | undefined): number | null | CaseFault {
  if (correct === undefined) return uniqueMaximum(passRates);
  if (passRates.some((rate) => rate > (passRates[correct] as number))) {
    return { field: "correct", message: "contradicts pass_rates: another candidate has a higher one" };
  }
  return correct;
}
