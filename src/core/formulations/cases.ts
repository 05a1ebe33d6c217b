// Owns reading /v1/verdicts items: how many candidates, which is correct, what is missing or
// contradicts. Knows no verdict text.
import type { VerdictItem, VerdictsRequest } from "../contract/requests.ts";
import { ApiError, type RequestErrorCode } from "../faults/errors.ts";
import { counted } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";
import { NEEDS_PASS_RATES, PAIRS_ONLY, uniqueMaximum, type VerdictCase } from "./formulations.ts";
import { isSetFormulation } from "./label-sets.ts";

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

function readItem({ formulation, overlong }: VerdictsRequest, item: VerdictItem): VerdictCase | CaseFault {
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
  const indices = correct === undefined ? [] : [correct].flat();
  if (indices.some((index) => index >= k)) {
    return {
      field: "correct",
      message: `must be ${Array.isArray(correct) ? "indices" : "an index"} below the ${k} candidates`,
    };
  }
  if (isSetFormulation(formulation)) return readSetItem(item, k, overlong);
  if (Array.isArray(correct)) {
    return { field: "correct", message: `${formulation} has one correct candidate: send its index` };
  }
  const gold = pass_rates === undefined ? (correct ?? null) : goldOf(pass_rates, correct);
  if (typeof gold === "object" && gold !== null) return gold;
  if (gold === null && pass_rates === undefined) return { field: "correct", message: "needed beside candidates" };
  if (gold === null && !NEEDS_PASS_RATES.has(formulation)) {
    return { field: "pass_rates", message: "the highest pass rate is shared; name the correct candidate in correct" };
  }
  return {
    text: item.text,
    k,
    gold,
    pass_rates: pass_rates ?? null,
    length_tokens: item.length_tokens ?? null,
    max_tokens: overlong?.max_tokens ?? null,
  };
}

/** Without `correct`, the correct ones are those whose pass rate is 1. */
function readSetItem(item: VerdictItem, k: number, overlong: VerdictsRequest["overlong"]): VerdictCase | CaseFault {
  const { correct, pass_rates = null, length_tokens = null, text } = item;
  if (correct === undefined && pass_rates === null) return { field: "correct", message: "needed beside candidates" };
  const passed = (pass_rates ?? []).flatMap((rate, i) => (rate === 1 ? [i] : []));
  const golds = correct === undefined ? passed : [...new Set([correct].flat())].sort((a, b) => a - b);
  const least = Math.min(...golds.map((index) => pass_rates?.[index] ?? 1));
  if (pass_rates?.some((rate, i) => rate > least && !golds.includes(i))) {
    return { field: "correct", message: "contradicts pass_rates: another candidate has a higher one" };
  }
  return { text, k, gold: null, golds, pass_rates, length_tokens, max_tokens: overlong?.max_tokens ?? null };
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
