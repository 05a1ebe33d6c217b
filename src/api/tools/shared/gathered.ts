// The way of samples to the rooms of their groups, and of their rewards back.

import type { Group, Prompt, Rollout } from "../../../core/contract/requests.ts";
import { canonicalJson } from "../../../core/contract/spec.ts";
import { asApiError, type FieldError } from "../../../core/faults/errors.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { type CompiledSpec, compileSpec } from "../../../core/reward/compiled-spec.ts";
import { unmetSignal } from "../../../core/reward/facts.ts";
import type { ClientProbe, GatheredReward, GroupFacts } from "../../../objects/gathering/gathering.ts";
import { incompleteWarnings, isCutShort } from "../../../objects/gathering/incomplete.ts";
import { sha256Hex } from "../../../platform/sha256.ts";
import { specHash } from "../../../scoring/digest.ts";
import type { RouteDeps } from "../../door/deps.ts";
import { type AppContext, cancellation, keepAlive } from "../../door/scope.ts";
import { resolveSpec } from "../../door/spec-lookup.ts";
import type { Contract } from "./contract.ts";
import { contractDeadline } from "./deadlines.ts";
import { refuseUnmet } from "./judging.ts";
import type { SampleOptions } from "./options.ts";
import { lacking, needsStated, type Stated, statedFacts } from "./stated-facts.ts";

/** One sample as a contract brings it. */
export interface Sample {
  prompt: Prompt;
  /** Any JSON value; samples of one prompt with different labels are different problems. */
  label: unknown;
  rollout: Rollout;
  /** Further statements of the sample, for specs that need facts; absent: none. */
  stated?: Stated;
  /** The sender's own name of its group, which then is one whatever its label. */
  cohort?: readonly unknown[];
  /** The sample is for validation, and its group has another size. */
  validates?: boolean;
  /** Content of its answer that the judge would not be shown: its group is refused. */
  unshown?: readonly FieldError[];
  /** From bodies that name them; the URL's go first. */
  run_id?: string | undefined;
  step?: number | undefined;
  /** For the run log alone; goes before the URL's. */
  log_step?: number | undefined;
}

/** How the clients of such a contract come back. */
export interface Returning {
  /** How long a client may come back with the very same sample, ms. */
  retry_ms: number;
  /**
   * How often a client asks, whatever the status; 1 where that is left to whoever wrote the call.
   */
  tries: number;
  /**
   * Clients open a connection for every sample; elsewhere a sample that waits may hold the one that
   * its group lacks.
   */
  unpooled?: true;
}

/** Fields that all samples of a request share. */
interface GatherRequest {
  contract: Contract;
  returning: Returning;
  options: SampleOptions;
  compiled: CompiledSpec;
  /** SHA-256 hex of the request's body. */
  body_hash: string;
}

/** A sample with what its spec needs to know of it and of its group. */
export interface FactualSample extends Sample {
  /** Facts of the group; null where the spec needs none. */
  facts: GroupFacts | null;
}

/**
 * The spec that the URL names, and the samples with the facts that it needs, as far as they carry
 * them. Throws `unknown_spec`, and `length_tokens_required` or `facts_required` for a spec that needs
 * what no sample has.
 * @param declared the caller's own `on_failure`, which a sample that lacks a fact gets instead of a refusal
 */
export async function factualSamples(
  c: AppContext,
  deps: RouteDeps,
  { spec: name = "default" }: SampleOptions,
  field: string,
  samples: readonly Sample[],
  declared: SampleOptions["on_failure"],
): Promise<{ compiled: CompiledSpec; given: FactualSample[] }> {
  const spec = await resolveSpec(deps, c.get("scope"), name);
  const compiled = compileSpec(spec);
  const needed = needsStated(compiled) && samples.every(({ stated }) => stated !== undefined);
  const measured = samples.every(({ rollout }) => rollout.length_tokens !== undefined);
  refuseUnmet(compiled, field, { lengths: measured, facts: needed });
  if (!needed) return { compiled, given: samples.map((sample) => ({ ...sample, facts: null })) };
  const given = samples.map((sample) => {
    const { group, rollout } = statedFacts(sample.stated as Stated, compiled);
    return { ...sample, rollout: { ...sample.rollout, ...rollout }, facts: group };
  });
  const groups = given.map(({ prompt, rollout, facts }): Group => ({ ...facts, prompt, rollouts: [rollout] }));
  const unmet = declared === undefined ? unmetSignal(groups, compiled) : null;
  if (unmet !== null) throw lacking(samples[0]?.stated as Stated, unmet, groups[0] as Group);
  return { compiled, given };
}

/**
 * Brings each sample to its room and waits for its reward. Samples of one request are as distinct
 * as those of several.
 */
export async function gather(
  c: AppContext,
  deps: RouteDeps,
  { contract, returning, options, compiled, body_hash }: GatherRequest,
  samples: readonly FactualSample[],
  probe: ClientProbe,
): Promise<GatheredReward[]> {
  const { id, key_name, started_ms } = c.get("scope");
  const { run_id = null, step = null, log_step: stated_step } = options;
  c.get("scope").run_id = run_id;
  const { spec } = compiled;
  // A spec that compares nothing waits for no other sample.
  const group_size = compiled.relative ? (options.group_size ?? null) : 1;
  const spec_hash = await specHash(spec);
  const left_ms = contractDeadline(contract, options.deadline_ms) - (deps.clock.now() - started_ms);
  const answer_within_ms = Math.max(LIMITS.deadline_ms_min, left_ms);
  const untold_ms = group_size === null ? LIMITS.group_window_ms_default : answer_within_ms / 2;
  const tries = options.tries ?? returning.tries;
  const patience_ms = returning.unpooled === true ? answer_within_ms : LIMITS.room_patience_ms;
  const takes_failure = typeof options.on_failure === "number";
  const whole_only = group_size !== null && options.on_incomplete === "error";
  const client = { answer_within_ms, retain_ms: returning.retry_ms, tries, patience_ms, takes_failure, whole_only };
  const shared = { language: null, spec, run_id, step, key_name, group_size, ...client };
  const window_ms = options.group_window_ms ?? untold_ms;
  const joined = samples.map(async ({ prompt, label, cohort, rollout, facts, unshown, log_step = stated_step }, i) => {
    const many = samples.length > 1;
    // A cohort that disagrees on what is scored is refused, not split.
    const problem = cohort === undefined ? (label ?? null) : facts === null ? { label, cohort } : { cohort };
    const group = [key_name, run_id, step, spec_hash, prompt, problem, group_size, ...(whole_only ? ["whole"] : [])];
    const room = await sha256Hex(canonicalJson(group));
    const names = many
      ? { waiter_id: `${id}.${i}`, body_hash: await sha256Hex(`${body_hash}.${i}`) }
      : { waiter_id: id, body_hash };
    const stated = {
      ...(facts !== null && { facts }),
      ...(unshown !== undefined && { unshown }),
      ...(log_step !== undefined && { log_step }),
    };
    const sample = { ...shared, ...names, room, prompt, rollout, window_ms, ...stated };
    return deps.rooms.join(sample, cancellation(c).signal, probe).then(
      (judged) => signed(deps, contract, judged, group_size),
      (error) => {
        if (asApiError(error).code === "gathering")
          deps.metrics.add("kritai_gathered_let_go_total", 1, { contract: contract.name });
        throw error;
      },
    );
  });
  const running = Promise.all(joined);
  keepAlive(c, running);
  return running;
}

/** A reward of a part of its group looks like any other: counts it, and warns of it. */
function signed(
  { metrics }: RouteDeps,
  contract: Contract,
  judged: GatheredReward,
  size: number | null,
): GatheredReward {
  const { result, late, warnings } = judged;
  const part = isCutShort({ ...judged, size }) ? "cut_short" : late ? "late" : "whole";
  const group = result.reward === null ? (result.error === "group_too_small" ? "alone" : "failed") : part;
  metrics.add("kritai_gathered_samples_total", 1, { contract: contract.name, group });
  if (result.reward === null) return judged;
  return { ...judged, warnings: [...warnings, ...incompleteWarnings({ ...judged, size })] };
}
