// The result of one judged group and of its rollouts.
import * as z from "zod";
import { said } from "#said";
import { ITEM_ERRORS, type ItemErrorCode } from "../faults/errors.ts";
import { count, numberOrNull, share } from "./reply-numbers.ts";
import { type VerifierUse, VerifierUseSchema } from "./verifier-use.ts";

const ItemErrorSchema = z.enum(Object.keys(ITEM_ERRORS) as [ItemErrorCode, ...ItemErrorCode[]]);

export const TAU_UNDEFINED = ["no_labels", "too_few", "tied_wins", "tied_labels", "undecided"] as const;

export type TauUndefined = (typeof TAU_UNDEFINED)[number];

export const RolloutResultSchema = z.object({
  reward: numberOrNull,
  error: ItemErrorSchema.nullable(),
  retryable: z
    .boolean()
    .optional()
    .meta(said("for a null reward: whether sending the same request again may produce one; omitted otherwise")),
  components: z
    .record(z.string(), numberOrNull)
    .meta(
      said(
        "value of each signal; for a spec without signals: `base` (null if the reward is null), `format` and `overlong`",
      ),
    ),
  errors: z
    .record(z.string(), ItemErrorSchema.nullable())
    .optional()
    .meta(said("for a spec with signals: why a signal has no value")),
  details: z
    .record(z.string(), z.record(z.string(), z.unknown()))
    .optional()
    .meta(
      said("details of each signal in addition to its value; `turns`: how many verdicts named each turn of the run"),
    ),
  wins: count,
  losses: count,
  ties: count,
  undecided: count,
  unasked: count
    .optional()
    .meta(said("pairs that the schedule or the budget left out; omitted if every pair is asked")),
  forfeits: count,
  unparsed: count,
  votes: count.nullable(),
  rank: z.int().min(1).nullable(),
  duplicate_of: count.nullable(),
  format_ok: z.boolean(),
  too_long: z
    .literal(true)
    .optional()
    .meta(
      said("true if the text is longer than rollout_text_bytes, so that the rollout is malformed; omitted otherwise"),
    ),
  shown: share
    .optional()
    .meta(said("for a multi-turn rollout: share of its characters, excluding thoughts, that the verifier sees")),
  left_out: z
    .record(z.string(), count)
    .optional()
    .meta(said("number of characters left out, by kind: thoughts, results, turns, calls, files, other")),
  jams_judge: z
    .boolean()
    .meta(said("whether the verifier's answers are unreadable if, and only if, this candidate is shown")),
});

export type RolloutResult = z.output<typeof RolloutResultSchema>;

const GroupMetricsSchema = z.object({
  parse_rate: numberOrNull,
  tau_b: numberOrNull,
  tau_b_undefined: z.enum(TAU_UNDEFINED).nullable(),
  list_acc: z.boolean().nullable(),
  position_flip_rate: numberOrNull,
  reward_mean: numberOrNull,
  reward_std: numberOrNull,
  parts_correlation: numberOrNull
    .optional()
    .meta(
      said(
        "for a spec with signals: mean Spearman correlation between the measured values of any two signals that the reward names and that vary, over the rollouts that have all of them; null if fewer than two vary",
      ),
    ),
  cyclic: z.boolean().optional().meta(said("whether the wins form a cycle")),
  agreement: numberOrNull
    .optional()
    .meta(said("mean share of a pair's verdicts, over both orders, that agree with their majority")),
  tie_rate: numberOrNull.optional(),
  decided_rate: numberOrNull.optional().meta(said("share of the asked pairs that were decided")),
});

export type GroupMetrics = z.output<typeof GroupMetricsSchema>;

const POINTS = z
  .array(numberOrNull)
  .optional()
  .meta(
    said(
      "wins, with ties counted as 0.5 and soft outcomes as their value, scaled to all n - 1 pairs; `tau_b` is computed from these",
    ),
  );

export const GroupResultSchema = z.object({
  group_id: z.string(),
  status: z.enum(["ok", "partial", "failed"]),
  win_counts: z.array(count.nullable()),
  points: POINTS,
  selected: count.nullable(),
  selected_tied: z.array(count),
  rollouts: z.array(RolloutResultSchema),
  metrics: GroupMetricsSchema,
  verifier: VerifierUseSchema,
  positions: z
    .array(count)
    .optional()
    .meta(said("for a group that was filled by position: position of each rollout; omitted otherwise")),
  early: count
    .optional()
    .meta(
      said(
        "for a group that was filled by position: generations asked before the group was complete; omitted otherwise",
      ),
    ),
  shared_turns: count
    .optional()
    .meta(
      said(
        "number of turns that all rollouts of the group begin with, shown once with the prompt; omitted for plain texts",
      ),
    ),
});

export type GroupResult = z.output<typeof GroupResultSchema>;

/**
 * Additional fields of a group's result, for specs that leave out pairs, use graded outcomes, or use a score
 * other than the win rate.
 */
export interface TournamentReport {
  points: (number | null)[];
  /** One entry per rollout. */
  unasked: number[];
  measures: Pick<GroupMetrics, "cyclic" | "agreement" | "tie_rate" | "decided_rate">;
  asked: Pick<VerifierUse, "schedule" | "chosen" | "why">;
}
