// Warnings in a reply or for a training step: rewards that may be flat or misleading although no error
// occurred. Codes: docs/errors.jsonl.
import { isUsualLanguage } from "../candidate/languages.ts";
import { hasNearCopies } from "../candidate/near-copies.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import type { GroupResult } from "../contract/group-reply.ts";
import type { BatchMetrics } from "../contract/rewards-reply.ts";

/**
 * Parse rate below which many results are decided by unreadable answers instead of by candidates (design,
 * evaluations).
 */
export const PARSE_RATE_LOW = 0.8;

const LOW = "parse_rate_low";
const parseRateWarnings = (parse_rate: number | null) =>
  parse_rate !== null && parse_rate < PARSE_RATE_LOW ? [LOW] : [];

/**
 * `no_candidates`: in some group no rollout has a candidate, and the spec uses candidates.
 * `language_not_supported`: a group's `language` is not a common one and the embedded verifier cannot run it;
 * a trained verifier may know it. `cut_by_deadline`: some comparisons were not answered in time, and the spec
 * does not require them. `evidence_cut`: some run is so long that less than half of it is shown.
 * `near_copies`: not all pairs are asked, so copies of one candidate can change the results of others.
 * `flat_groups`: many groups carry no training signal. `groups_failed`: some groups have no reward; lists the
 * codes.
 */
export function rewardWarnings(
  prepared: readonly PreparedGroup[],
  results: readonly GroupResult[],
  { parse_rate }: Pick<BatchMetrics, "parse_rate">,
  candidatesCount: boolean,
  copies: boolean,
): string[] {
  const when = (code: string, holds: boolean) => (holds ? [code] : []);
  return [
    ...parseRateWarnings(parse_rate),
    ...flatGroups(results),
    ...failedGroups(results),
    ...when(
      "no_candidates",
      candidatesCount && prepared.some(({ candidates }) => candidates.every((candidate) => candidate === null)),
    ),
    ...when(
      "language_not_supported",
      prepared.some(({ group: { language } }) => language !== undefined && !isUsualLanguage(language)),
    ),
    ...when(
      "jams_judge",
      results.some(({ rollouts }) => rollouts.some(({ jams_judge }) => jams_judge)),
    ),
    ...when(
      "does_not_fit",
      prepared.some(({ overlong, formatOk }, g) => overlong || refusedAny(formatOk, results[g])),
    ),
    ...when(
      "too_long",
      prepared.some(({ tooLong }) => tooLong.includes(true)),
    ),
    ...when(
      "evidence_cut",
      prepared.some(({ evidence }) => evidence?.cut.some((share) => 1 - share < EVIDENCE_SHOWN) === true),
    ),
    ...when(
      "cut_by_deadline",
      results.some(({ verifier }) => verifier.why?.deadline !== undefined),
    ),
    ...when("near_copies", copies),
    ...when(
      "models_mixed",
      results.some(({ verifier }) => verifier.models.length > 1),
    ),
  ];
}

/** Same threshold as the alarm `evidence_cut`. */
const EVIDENCE_SHOWN = 0.5;

/** Minimum number of groups for a meaningful share. */
const FLAT_OF = 4;
/** Same threshold as the alarm `flat_rewards`. */
const FLAT_SHARE = 0.3;

function flatGroups(results: readonly GroupResult[]): string[] {
  const complete = results.filter(({ status, rollouts }) => status === "ok" && rollouts.length > 1);
  const flat = complete.filter(({ rollouts: [first, ...rest] }) =>
    rest.every(({ reward }) => reward === first?.reward),
  );
  if (complete.length < FLAT_OF || flat.length <= FLAT_SHARE * complete.length) return [];
  return [
    `flat_groups: ${flat.length} of ${complete.length} complete groups have equal rewards and give no training signal`,
  ];
}

function failedGroups(results: readonly GroupResult[]): string[] {
  const failed = results.filter(({ status }) => status === "failed");
  if (failed.length === 0) return [];
  const codes = new Set(failed.flatMap(({ rollouts }) => rollouts.flatMap(({ error }) => error ?? [])));
  return [
    `groups_failed: ${failed.length} of ${results.length} groups have no reward: ${[...codes].sort().join(", ")}`,
  ];
}

/**
 * Whether a group contains near-copies, or several equal candidates among others. Yields the amount of work
 * done, so that other requests can run in between.
 */
export function* hasCopies(prepared: readonly PreparedGroup[]): Generator<number, boolean> {
  for (const { classes, texts } of prepared) {
    if (classes.members.length < 2) continue;
    if (classes.members.some(({ length }) => length > 1) || (yield* hasNearCopies(texts))) return true;
  }
  return false;
}

/**
 * Whether the verifier refused a rollout: it was well-formed before judging, is not afterwards, and was not
 * found to make the verifier's answers unreadable.
 */
const refusedAny = (formatOk: readonly boolean[], result: GroupResult | undefined): boolean =>
  result?.rollouts.some(({ format_ok, jams_judge }, r) => formatOk[r] === true && !format_ok && !jams_judge) ?? false;

/**
 * The distinct warnings of all requests in a step, ascending. The parse rate warning is based on the rate of
 * the whole step, since a single request may contain only three pairs.
 */
export function stepWarnings(requests: readonly (readonly string[])[], parse_rate: number | null): string[] {
  // A step keeps only the warning code; the details stay with its requests.
  const codes = requests.flat().flatMap((text) => (text === LOW ? [] : (text.split(":")[0] as string)));
  return [...new Set([...codes, ...parseRateWarnings(parse_rate)])].sort();
}
