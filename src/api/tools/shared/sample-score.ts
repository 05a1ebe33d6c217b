// Turns one gathered sample's judgement into a number or a refusal, a score in 0..1, and log values whose
// names never change. Must not know dialects.

import * as z from "zod";
import { said } from "#said";
import type { ValueRange } from "../../../core/asking/signal-value.ts";
import type { Spec } from "../../../core/contract/spec.ts";
import { type AnySpec, compileSpec, hasSignals } from "../../../core/reward/compiled-spec.ts";
import { scoreRange } from "../../../core/tournament/scores.ts";
import type { GatheredReward } from "../../../objects/gathering/gathering.ts";
import type { SampleOptions } from "./options.ts";
import { Unjudged } from "./unjudged.ts";

/** One sample, judged; what there is to tell of it. */
export interface JudgedSample {
  judged: GatheredReward;
  spec: AnySpec;
  on_failure: SampleOptions["on_failure"];
  /** From the request's arrival, ms. */
  latency_ms: number;
}

const ALONE =
  "The sample is alone in its group, so there is nothing to compare it with: no other sample of its prompt, label, run and step came in time. Name group_size, or a longer group_window_ms.";

const STATED_ALONE =
  "The spec compares answers, and this sample is alone in its group, whose size is 1 as its URL, header or row says (verl's validation rows: by default), so it has no score. Name the group's true size (validation: val_group_size, with as many samples of each prompt), a spec that compares nothing, or on_failure=<number>.";

/**
 * Why a sample has no reward, as a refusal. The client may repeat it where the others of its group
 * may still come, which they do not in a group whose size is 1.
 */
export function ungathered({ result, closed, retry_after_ms = null }: GatheredReward): Unjudged {
  if (result.error !== "group_too_small") return new Unjudged(result.error ?? "verifier_bad_reply", { retry_after_ms });
  return closed === "full"
    ? new Unjudged("group_too_small", { detail: STATED_ALONE })
    : new Unjudged("group_too_small", { detail: ALONE, nearest: ["not_ready", 503] });
}

/**
 * The reward, or the number that the caller declared for one that could not be had. Throws
 * `Unjudged` when there is neither.
 */
export function rewardOrDeclared({ judged, on_failure }: JudgedSample): number {
  if (judged.result.reward !== null) return judged.result.reward;
  if (typeof on_failure === "number") return on_failure;
  throw ungathered(judged);
}

/**
 * A reward on 0..1 by the range that its spec implies: base in its score's range, format
 * -penalty..0, overlong -1..0; of a spec with signals the range that is proved. What lies outside
 * (an overlong without clamp, a declared number) becomes the nearer end; where every reward is the
 * same number it is 0.
 */
export function unitScore(reward: number, spec: AnySpec, members: number): number {
  const [bottom, top] = hasSignals(spec) ? compileSpec(spec, members).reward.range : sugarRange(spec, members);
  return bottom === top ? 0 : Math.min(1, Math.max(0, (reward - bottom) / (top - bottom)));
}

/**
 * The share of a sample's decided comparisons that it won, a tie counting half; where nothing was
 * compared the reward on 0..1. Without a reward it is the declared number, cut to 0..1.
 */
export function winShare(sample: JudgedSample): number {
  const { wins, losses, ties, reward } = sample.judged.result;
  if (reward === null) return Math.min(1, Math.max(0, rewardOrDeclared(sample)));
  const decided = wins + losses + ties;
  if (decided > 0) return (wins + ties / 2) / decided;
  return unitScore(reward, sample.spec, sample.judged.members);
}

function sugarRange({ reward: rule, format, overlong }: Spec, members: number): ValueRange {
  const [min, max] = scoreRange(rule, Math.max(2, members));
  return [min - format.penalty - (overlong === null ? 0 : 1), max];
}

const flag = z.union([z.literal(0), z.literal(1)]);

/**
 * Values that a trainer can plot. Every name is always there and always a number: two samples with different
 * keys end a training step in OpenRLHF and verl, and a name that both use (`reward`, `score`, `kl`, ..) would
 * overwrite the trainer's own.
 */
export const SampleLogsSchema = z
  .object({
    rm_fallback: flag.meta(said("1: no reward could be had, and a declared number stands in its place")),
    rm_attached: flag.meta(said("1: a retry, answered with the judgement of the sample that it repeats")),
    rm_late: flag.meta(said("1: came after its group was judged, and was compared with the members judged")),
    rm_cut_short: flag.meta(said("1: the group was judged with who was there, for want of time")),
    rm_tied: flag.meta(said("1: all rewards of the group are equal, so that a trainer relative to it learns nothing")),
    rm_early: z.int().meta(said("the group's generations that were asked before it was complete")),
    rm_members: z.int().meta(said("samples judged together")),
    rm_parse_rate: z.number().meta(said("of the group's answers; 1 when none was needed, 0 when none came")),
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
  .meta(said("of a spec with signals rm_signal_<name> for each, in the place of rm_base, rm_format and rm_overlong"));
type SampleLogs = z.output<typeof SampleLogsSchema>;

/** Rounding of a mean of equal rewards leaves less than this of a spread. */
const SPREAD_NONE = 1e-9;

/**
 * Whether all rewards of the sample's group are equal, whatever they are worth. A sample that was scored
 * alone is never tied.
 */
export const isTied = ({ metrics: { reward_std }, members }: GatheredReward): boolean =>
  members > 1 && reward_std !== null && reward_std < SPREAD_NONE;

const bit = (on: boolean) => (on ? 1 : 0);

/**
 * The log values of a sample. With a declared number the components are those that add up to it.
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
    ...prefixed(hasSignals(sample.spec) ? "rm_signal_" : "rm_", sampleComponents(sample)),
  };
}

const prefixed = (prefix: string, values: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value]));

/**
 * Each signal's value as a number, for trainers that can hold nothing else: where there is none,
 * the declared number, else 0. A declared reward's are those that add up to it.
 */
export function sampleComponents({ judged: { result }, spec, on_failure }: JudgedSample): Record<string, number> {
  const declared = typeof on_failure === "number" ? on_failure : 0;
  if (hasSignals(spec)) {
    return Object.fromEntries(Object.keys(spec.signals).map((name) => [name, result.components[name] ?? declared]));
  }
  const { base, format, overlong } = result.components;
  const shaped = (value: number | null | undefined) => (result.reward === null ? 0 : (value ?? 0));
  return { base: base ?? declared, format: shaped(format), overlong: shaped(overlong) };
}
