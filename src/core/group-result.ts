// Owns the step from a prepared and judged group to its result: decide, reward, shape, select, measure. Knows no verifier and no clock.
import type { GroupResult, RolloutResult, VerifierUse } from "./contract-replies.ts";
import type { ItemErrorCode } from "./errors.ts";
import { type AskedSamples, commonFailure, modelsOf, outcomesOf } from "./judged.ts";
import { groupTau, latencySummary, listAccuracy, parseRate, positionFlipRate, rewardMoments } from "./metrics.ts";
import { softOverlong } from "./overlong.ts";
import type { PreparedGroup } from "./prepare.ts";
import type { Outcome } from "./schedule.ts";
import type { Spec } from "./spec.ts";
import { baseRewards, type Decision, decide, ranks, type Selection, select, type Tally, tally } from "./tournament.ts";

/** The group's result, the same for the same samples whatever order they came in (api.md, "Scoring a group", steps 4 to 6). */
export function groupResult(prepared: PreparedGroup, asked: readonly AskedSamples[], spec: Spec): GroupResult {
  const { classes, keys, group } = prepared;
  const asks = asked.map(({ ask }) => ask);
  const outcomes = outcomesOf(asked);
  const decision = decide(keys.length, spec.judge.mode, asks, outcomes);
  const tallies = tally(classes, decision);
  const base = baseRewards(spec.reward, classes.classOf, tallies);
  const wins = tallies.map((counts, r) => (base[r] === null ? null : counts.wins));
  const selection = informedSelection(prepared, decision, wins, outcomes, spec.seed);
  const rollouts = rolloutResults(prepared, asked, spec, { decision, tallies, base, wins });
  const labels = group.rollouts.map(({ pass_rate }) => pass_rate);
  const verifier = verifierUse(asked);
  return {
    group_id: prepared.group_id,
    status: statusOf(rollouts),
    win_counts: wins,
    selected: selection.selected,
    selected_tied: selection.tied,
    rollouts,
    metrics: {
      parse_rate: parseRate(verifier),
      ...groupTau(wins, labels),
      list_acc: listAccuracy(selection.selected, labels),
      position_flip_rate: positionFlipRate(asks, outcomes),
      ...rewardMoments(rollouts.map(({ reward }) => reward)),
    },
    verifier,
  };
}

/** No parsed verdict among several classes is no information: nothing is selected, rather than a candidate by its hash. */
function informedSelection(
  { classes, keys }: PreparedGroup,
  decision: Decision,
  wins: readonly (number | null)[],
  outcomes: readonly Outcome[],
  seed: number,
): Selection {
  if (keys.length > 1 && !outcomes.some(({ state }) => state === "parsed")) return { selected: null, tied: [] };
  return select(wins, classes, decision, keys, seed);
}

interface Scored {
  decision: Decision;
  tallies: readonly Tally[];
  base: readonly (number | null)[];
  wins: readonly (number | null)[];
}

function rolloutResults(
  { group, classes, formatOk }: PreparedGroup,
  asked: readonly AskedSamples[],
  spec: Spec,
  { decision, tallies, base, wins }: Scored,
): RolloutResult[] {
  const places = ranks(wins);
  const unparsed = unparsedByClass(asked, classes.members.length);
  return group.rollouts.map((rollout, r) => {
    const own = classes.classOf[r] ?? null;
    const first = own === null ? r : (classes.members[own]?.[0] as number);
    const format = formatOk[r] ? 0 : 0 - spec.format.penalty;
    const overlong = spec.overlong === null ? 0 : softOverlong(rollout.length_tokens as number, spec.overlong);
    const score = base[r] ?? null;
    return {
      reward: score === null ? null : score + format + overlong,
      error: score === null ? failureOf(own, asked, group.rollouts.length) : null,
      components: { base: score, format: format === 0 ? 0 : format, overlong },
      ...(tallies[r] as Tally),
      unparsed: own === null ? 0 : (unparsed[own] as number),
      votes: own === null || decision.votes === null ? null : (decision.votes[own] as number),
      rank: places[r] ?? null,
      duplicate_of: first === r ? null : first,
      format_ok: formatOk[r] as boolean,
    };
  });
}

function failureOf(classIndex: number | null, asked: readonly AskedSamples[], groupSize: number): ItemErrorCode {
  if (groupSize === 1 || classIndex === null) return "group_too_small";
  return commonFailure(asked, classIndex) ?? "verifier_bad_reply";
}

function unparsedByClass(asked: readonly AskedSamples[], classCount: number): number[] {
  const counts = new Array<number>(classCount).fill(0);
  for (const { ask, samples } of asked) {
    const unparsed = samples.filter(({ status }) => status !== null && status !== "ok").length;
    for (const member of ask.order) counts[member] = (counts[member] as number) + unparsed;
  }
  return counts;
}

function statusOf(rollouts: readonly RolloutResult[]): GroupResult["status"] {
  if (rollouts.every(({ reward }) => reward === null)) return "failed";
  return rollouts.some(({ reward, undecided }) => reward === null || undecided > 0) ? "partial" : "ok";
}

/** What the group itself asked of the verifier. `saved`: samples left out by early stop, and those shared with an equal group. */
function verifierUse(asked: readonly AskedSamples[]): VerifierUse {
  const own = asked.filter((entry) => entry.own);
  const samples = own.flatMap((entry) => entry.samples.filter(({ saved }) => !saved));
  const answered = samples.filter(({ error }) => error === null);
  const parsed = answered.filter(({ status }) => status === "ok").length;
  const total = (field: "prompt_tokens" | "completion_tokens") =>
    own.reduce((sum, entry) => entry.samples.reduce((inner, sample) => inner + sample[field], sum), 0);
  return {
    comparisons: own.length,
    generations: samples.length,
    parsed,
    unparsed: answered.length - parsed,
    failed: samples.length - answered.length,
    saved: asked.reduce((sum, entry) => sum + entry.samples.length, 0) - samples.length,
    prompt_tokens: total("prompt_tokens"),
    completion_tokens: total("completion_tokens"),
    latency_ms: latencySummary(answered.map(({ latency_ms }) => latency_ms)),
    models: modelsOf(
      asked.map((entry) => ({ ...entry, samples: entry.samples.filter(({ error }) => error === null) })),
    ),
  };
}
