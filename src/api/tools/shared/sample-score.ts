// Converts the judgement of one gathered sample to a reward or an error, to a score in 0..1, and to values
// for a trainer's plots.

import * as z from "zod";
import { said } from "#said";
import type { ValueRange } from "../../../core/asking/signal-value.ts";
import { type CompiledSpec, compileSpec } from "../../../core/reward/compiled-spec.ts";
import type { Spec } from "../../../core/reward/spec.ts";
import { formOf } from "../../../core/reward/spec-forms.ts";
import type { GatheredReward } from "../../../objects/gathering/gathering.ts";
import type { SampleOptions } from "./options.ts";
import { Unjudged } from "./unjudged.ts";

/** A judged sample, with the data for its reply. */
export interface JudgedSample {
  judged: GatheredReward;
  spec: Spec;
  on_failure: SampleOptions["on_failure"];
  /** Time since the request arrived, in ms. */
  latency_ms: number;
}

const ALONE =
  "The sample is alone in its group, so there is nothing to compare it with: no other sample of its prompt, label, run and step arrived in time. Set group_size or a longer group_window_ms.";

const STATED_ALONE =
  "The spec compares answers, but this sample is alone in its group, so it has no score: its URL, header or row sets the group size to 1 (the default for verl's validation rows). Set the real group size (validation: val_group_size, with as many samples per prompt), a spec without comparisons, or on_failure=<number>.";

/**
 * The error for a sample without a reward. A sample that was alone is retryable unless its group has size 1,
 * because the rest of the group may still arrive.
 */
export function ungathered({ result, closed, retry_after_ms = null }: GatheredReward): Unjudged {
  if (result.error !== "group_too_small") return new Unjudged(result.error ?? "verifier_bad_reply", { retry_after_ms });
  return closed === "full"
    ? new Unjudged("group_too_small", { detail: STATED_ALONE })
    : new Unjudged("group_too_small", { detail: ALONE, nearest: ["not_ready", 503] });
}

/** The reward, or if there is none, the number in `on_failure`. Throws `Unjudged` if there is neither. */
export function rewardOrDeclared({ judged, on_failure }: JudgedSample): number {
  if (judged.result.reward !== null) return judged.result.reward;
  if (typeof on_failure === "number") return on_failure;
  throw ungathered(judged);
}

/** The range of an overlong penalty with a clamp. */
const CLAMPED: ValueRange = [-1, 0];

/** The range of a spec's rewards; an overlong penalty without a clamp counts as if it had one. */
export function rewardRange({ signals, reward }: CompiledSpec): ValueRange {
  if (reward.range.every(Number.isFinite)) return reward.range;
  const unclamped = signals.filter(({ range }) => !range.every(Number.isFinite));
  return reward.rangeWith(Object.fromEntries(unclamped.map(({ name }) => [name, CLAMPED])));
}

/**
 * A value's place in its range, in 0..1. Values outside the range, such as an overlong penalty without a clamp
 * or the number in `on_failure`, are clamped. If the range is a single value, the result is 0.
 */
export const shareOf = (value: number, [bottom, top]: ValueRange): number =>
  bottom === top ? 0 : Math.min(1, Math.max(0, (value - bottom) / (top - bottom)));

/** Normalizes a reward to 0..1 by the spec's range of rewards in a group of the given size. */
export const unitScore = (reward: number, spec: Spec, members: number): number =>
  shareOf(reward, rewardRange(compileSpec(spec, Math.max(2, members))));

/**
 * The share of decided comparisons that a sample won; ties count half. If nothing was compared, the
 * normalized reward. If the reward is null, the number in `on_failure`, clamped to 0..1.
 */
export function winShare(sample: JudgedSample): number {
  const { wins, losses, ties, reward } = sample.judged.result;
  if (reward === null) return Math.min(1, Math.max(0, rewardOrDeclared(sample)));
  const decided = wins + losses + ties;
  if (decided > 0) return (wins + ties / 2) / decided;
  return unitScore(reward, sample.spec, sample.judged.members);
}

const flag = z.union([z.literal(0), z.literal(1)]);

/**
 * Values for a trainer's plots. All names are always present and all values are numbers, because OpenRLHF and
 * verl abort a training step if samples have different keys. The prefix keeps the names from overwriting the
 * trainer's own (`reward`, `score`, `kl`, ..).
 */
export const SampleLogsSchema = z
  .object({
    rm_fallback: flag.meta(said("1: the reward is missing and was replaced by the declared number")),
    rm_attached: flag.meta(said("1: a retry, which received the judgement of the original sample")),
    rm_late: flag.meta(said("1: arrived after its group was judged, and was compared with the judged members")),
    rm_cut_short: flag.meta(said("1: an incomplete group was judged because of the deadline")),
    rm_tied: flag.meta(
      said("1: all rewards of the group are equal, so group-relative training learns nothing from it"),
    ),
    rm_early: z.int().meta(said("generations requested before the group was complete")),
    rm_members: z.int().meta(said("number of samples judged together")),
    rm_parse_rate: z
      .number()
      .meta(said("share of the group's answers that were parsed; 1 if no answer was needed, 0 if no answer arrived")),
    rm_latency_ms: z.number(),
    rm_wins: z.int(),
    rm_losses: z.int(),
    rm_ties: z.int(),
    rm_undecided: z.int(),
    rm_format_ok: flag,
    rm_base: z.number().exactOptional(),
    rm_format: z.number().exactOptional(),
    rm_overlong: z.number().exactOptional(),
  })
  .catchall(z.number())
  .meta(
    said("For a spec with signals, `rm_signal_<name>` per signal replaces `rm_base`, `rm_format` and `rm_overlong`"),
  );
type SampleLogs = z.output<typeof SampleLogsSchema>;

/** Upper bound of the standard deviation that rounding errors cause for equal rewards. */
const SPREAD_NONE = 1e-9;

/** Whether all rewards of the sample's group are equal. Always false for a sample that was scored alone. */
export const isTied = ({ metrics: { reward_std }, members }: GatheredReward): boolean =>
  members > 1 && reward_std !== null && reward_std < SPREAD_NONE;

const bit = (on: boolean) => (on ? 1 : 0);

/**
 * Values for the trainer's plots. If the spec has no signals and the reward is missing, the components sum to
 * `on_failure`.
 */
export function sampleLogs(sample: JudgedSample): SampleLogs {
  const { judged, latency_ms } = sample;
  const { result, metrics, members, late, attached, closed, early = 0 } = judged;
  const missing = result.reward === null;
  return {
    rm_fallback: bit(missing),
    rm_attached: bit(attached),
    rm_late: bit(late),
    rm_cut_short: bit(closed === "deadline"),
    rm_tied: bit(isTied(judged)),
    rm_early: early,
    rm_members: members,
    rm_parse_rate: metrics.parse_rate ?? bit(!missing),
    rm_latency_ms: Math.round(latency_ms),
    rm_wins: result.wins,
    rm_losses: result.losses,
    rm_ties: result.ties,
    rm_undecided: result.undecided,
    rm_format_ok: bit(result.format_ok),
    ...prefixed(formOf(sample.spec).named ? "rm_signal_" : "rm_", sampleComponents(sample)),
  };
}

const prefixed = (prefix: string, values: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value]));

/**
 * Each signal's value, for trainers that accept only numbers: a missing value becomes the number in
 * `on_failure`, or 0. In the flat form, the components of a missing reward sum to that number.
 */
export function sampleComponents({ judged: { result }, spec, on_failure }: JudgedSample): Record<string, number> {
  const declared = typeof on_failure === "number" ? on_failure : 0;
  const { ranked_by, components } = formOf(spec);
  const shown = (name: string): number => {
    const value = result.components[name] ?? null;
    if (ranked_by === null || name === ranked_by) return value ?? declared;
    return result.reward === null ? 0 : (value ?? 0);
  };
  const names = Object.keys({ ...components, ...spec.signals });
  return Object.fromEntries(names.map((name) => [name, shown(name)]));
}
