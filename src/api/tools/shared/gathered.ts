// Sends samples to the rooms that gather them into groups, and returns their rewards.

import { canonicalJson } from "../../../core/contract/canonical-json.ts";
import type { Group, Rollout } from "../../../core/contract/group.ts";
import type { Prompt } from "../../../core/contract/prompt.ts";
import { asApiError, type FieldError } from "../../../core/faults/errors.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { type CompiledSpec, compileSpec } from "../../../core/reward/compiled-spec.ts";
import { unmetSignal } from "../../../core/reward/facts.ts";
import type { ClientProbe, GatheredReward, GroupFacts } from "../../../objects/gathering/gathering.ts";
import { incompleteWarnings, isCutShort } from "../../../objects/gathering/incomplete.ts";
import { sha256Hex } from "../../../platform/sha256.ts";
import { specHash } from "../../../scoring/digest.ts";
import type { AppDeps } from "../../door/deps.ts";
import { type AppContext, cancellation, keepAlive } from "../../door/scope.ts";
import { resolveSpec } from "../../door/spec-lookup.ts";
import type { Contract } from "./contract.ts";
import { contractDeadline } from "./deadlines.ts";
import { refuseUnmet } from "./judging.ts";
import type { SampleOptions } from "./options.ts";
import { lacking, needsStated, type Stated, statedFacts } from "./stated-facts.ts";

/** A sample as parsed from another tool's request. */
export interface Sample {
  prompt: Prompt;
  /** Any JSON value. Samples with the same prompt but different labels belong to different problems. */
  label: unknown;
  rollout: Rollout;
  /** Raw data from which facts are extracted for specs that need them. Omitted: there is none. */
  stated?: Stated;
  /**
   * The client's own group id. It identifies the group together with the label, or alone if the spec needs
   * facts.
   */
  cohort?: readonly unknown[];
  /** Whether this is a validation sample. Groups of validation samples may have another size. */
  validates?: boolean;
  /**
   * Errors for content of the answer that the judge would not see. If there are any, the group is rejected.
   */
  unshown?: readonly FieldError[];
  /** `run_id` and `step` from bodies with these fields. Values in the URL take precedence. */
  run_id?: string | undefined;
  step?: number | undefined;
  /** The step to log, which takes precedence over the URL's but does not affect grouping. */
  log_step?: number | undefined;
}

/** How a tool's clients retry. */
export interface Returning {
  /** Time in ms within which a client may retry the same sample. */
  retry_ms: number;
  /**
   * Number of attempts that a client makes regardless of the status; 1 if the client does not retry itself.
   */
  tries: number;
  /**
   * Set if clients open a connection per sample. With a connection pool, samples that wait for their group
   * may keep its missing samples from being sent.
   */
  unpooled?: true;
}

/** Values that all samples of a request have in common. */
interface GatherRequest {
  contract: Contract;
  returning: Returning;
  options: SampleOptions;
  compiled: CompiledSpec;
  /** SHA-256 of the request body, in hex. */
  body_hash: string;
}

/** A sample with the facts that its spec needs. */
export interface FactualSample extends Sample {
  /** Facts about the group; null if the spec needs none. */
  facts: GroupFacts | null;
}

/**
 * Resolves the spec named in the URL, and extracts the facts that the spec needs from the samples.
 * @param declared the client's `on_failure`: if it is a number, a sample that lacks facts gets this number as
 *   its reward instead of being rejected
 * @throws ApiError `unknown_spec`; `length_tokens_required` or `facts_required` if the samples lack what the
 *   spec needs
 */
export async function factualSamples(
  c: AppContext,
  deps: AppDeps,
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
 * Sends each sample to the room of its group and waits for the rewards. Samples of one request are grouped
 * like samples of separate requests.
 */
export async function gather(
  c: AppContext,
  deps: AppDeps,
  { contract, returning, options, compiled, body_hash }: GatherRequest,
  samples: readonly FactualSample[],
  probe: ClientProbe,
): Promise<GatheredReward[]> {
  const { id, key_name, started_ms } = c.get("scope");
  const { run_id = null, step = null, log_step: stated_step } = options;
  c.get("scope").run_id = run_id;
  const { spec } = compiled;
  // A spec without comparisons does not wait for other samples.
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
    // With facts, the client's group id is used without the label, so that a group whose samples disagree on
    // the facts is rejected instead of split.
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

/** Counts the sample in the metrics, and adds a warning if its group was incomplete. */
function signed({ metrics }: AppDeps, contract: Contract, judged: GatheredReward, size: number | null): GatheredReward {
  const { result, late, warnings } = judged;
  const part = isCutShort({ ...judged, size }) ? "cut_short" : late ? "late" : "whole";
  const group = result.reward === null ? (result.error === "group_too_small" ? "alone" : "failed") : part;
  metrics.add("kritai_gathered_samples_total", 1, { contract: contract.name, group });
  if (result.reward === null) return judged;
  return { ...judged, warnings: [...warnings, ...incompleteWarnings({ ...judged, size })] };
}
