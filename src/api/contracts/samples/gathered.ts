// Owns the way of one-sample contracts: a request's sample to the room of its group and its reward
// back. Knows no dialect.
import type * as z from "zod";
import type { Prompt, Rollout } from "../../../core/contract/requests.ts";
import { canonicalJson } from "../../../core/contract/spec.ts";
import { asApiError, type FieldError } from "../../../core/faults/errors.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { type CompiledSpec, compileSpec } from "../../../core/signals/compiled-spec.ts";
import type { ClientProbe, GatheredReward, GroupFacts } from "../../../objects/gathering/gathering.ts";
import { incompleteWarnings, isCutShort } from "../../../objects/gathering/incomplete.ts";
import { sha256Hex, specHash } from "../../../scoring/digest.ts";
import { readJsonBody } from "../../http/body.ts";
import type { RouteDeps } from "../../http/deps.ts";
import { type AppContext, cancellation, keepAlive } from "../../http/scope.ts";
import { slowJson, sparingStatus } from "../../http/slow-json.ts";
import { resolveSpec } from "../../routes/specs.ts";
import { objectBody } from "../body.ts";
import { unshownIn, unsupported, warnOf, withoutAnswer } from "../content/shown-body.ts";
import type { SampleContract } from "../contract.ts";
import { contractDeadline } from "../deadlines.ts";
import { refuseUnmet } from "../judged-request.ts";
import { type SampleOptions, sampleOptions } from "../options.ts";
import { warningHeaders } from "../rerank/ranked-documents.ts";
import type { JudgedSample } from "./sample-score.ts";
import { needsStated, type Stated, statedFacts } from "./stated-facts.ts";

/** One sample as a contract brings it. */
export interface Sample {
  prompt: Prompt;
  /** Any JSON value; samples of one prompt with different labels are different problems. */
  label: unknown;
  rollout: Rollout;
  /** What it says besides, for specs that need facts; absent: nothing. */
  stated?: Stated;
  /** The sender's own name of its group, which then is one whatever its label. */
  cohort?: readonly unknown[];
  /** It is no sample that is trained on, and its group has another size. */
  validates?: boolean;
  /** What of its answer the judge would not be shown: its group is refused. */
  unshown?: readonly FieldError[];
  /** Of bodies that name them; the URL's go first. */
  run_id?: string | undefined;
  step?: number | undefined;
}

/** What all samples of a request share. */
export interface GatherRequest {
  contract: SampleContract;
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
 * The spec that the URL names, and the samples with the facts that it needs. Throws
 * `unknown_spec`, and `length_tokens_required` or `facts_required` for a spec that needs what the
 * samples do not have.
 */
export async function factualSamples(
  c: AppContext,
  deps: RouteDeps,
  { spec: name = "default" }: SampleOptions,
  field: string,
  samples: readonly Sample[],
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
  return { compiled, given };
}

/**
 * Brings each sample to its room and waits for its reward. Samples of one request are as distinct
 * as those of several.
 */
export async function gather(
  c: AppContext,
  deps: RouteDeps,
  { contract, options, compiled, body_hash }: GatherRequest,
  samples: readonly FactualSample[],
  probe: ClientProbe,
): Promise<GatheredReward[]> {
  const { id, key_name, started_ms } = c.get("scope");
  const { run_id = null, step = null } = options;
  const { spec } = compiled;
  // Where nothing is compared there is nobody to wait for.
  const group_size = compiled.relative ? (options.group_size ?? null) : 1;
  const spec_hash = await specHash(spec);
  const left_ms = contractDeadline(contract, options.deadline_ms) - (deps.clock.now() - started_ms);
  const answer_within_ms = Math.max(LIMITS.deadline_ms_min, left_ms);
  const untold_ms = group_size === null ? LIMITS.group_window_ms_default : answer_within_ms / 2;
  const tries = options.tries ?? contract.tries;
  const patience_ms = contract.unpooled === true ? answer_within_ms : LIMITS.room_patience_ms;
  const takes_failure = typeof options.on_failure === "number";
  const whole_only = group_size !== null && options.on_incomplete === "error";
  const client = { answer_within_ms, retain_ms: contract.retry_ms, tries, patience_ms, takes_failure, whole_only };
  const shared = { language: null, spec, run_id, step, key_name, group_size, ...client };
  const window_ms = options.group_window_ms ?? untold_ms;
  const joined = samples.map(async ({ prompt, label, cohort, rollout, facts, unshown }, i) => {
    const many = samples.length > 1;
    // A cohort that disagrees on what is scored is refused, not split.
    const problem = cohort === undefined ? (label ?? null) : facts === null ? { label, cohort } : { cohort };
    const group = [key_name, run_id, step, spec_hash, prompt, problem, group_size, ...(whole_only ? ["whole"] : [])];
    const room = await sha256Hex(canonicalJson(group));
    const names = many
      ? { waiter_id: `${id}.${i}`, body_hash: await sha256Hex(`${body_hash}.${i}`) }
      : { waiter_id: id, body_hash };
    const own = { ...(facts !== null && { facts }), ...(unshown !== undefined && { unshown }) };
    const sample = { ...shared, ...names, room, prompt, rollout, window_ms, ...own };
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
  contract: SampleContract,
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

/** A contract whose requests carry one sample: how it is read, and how its judgement is told. */
interface SampleDialect {
  contract: SampleContract;
  /** The rollout's field, for refusals. */
  field: string;
  /** Of the reply. */
  schema: z.core.$ZodType;
  /** Throws ApiError for a body that is not the contract's. */
  read(body: Record<string, unknown>): Sample;
  /** The reply's JSON. Throws `Unjudged` where the contract has no place for a missing reward. */
  tell(sample: JudgedSample, body: Record<string, unknown>, options: SampleOptions): unknown;
}

/**
 * A trainer's validation takes one number a sample, whose mean it shows: one that has no group is
 * told as 0, flagged, and never trained on.
 */
function validationOptions(options: SampleOptions): SampleOptions {
  const { val_group_size: group_size = 1, on_failure } = options;
  return { ...options, group_size, on_failure: group_size === 1 ? (on_failure ?? 0) : on_failure };
}

/**
 * The sample of a body. What its answer holds besides is its group's to be refused for, so that the
 * others do not wait for it; what its prompt holds, every sample of the group is refused for.
 */
function readShown(
  c: AppContext,
  { content }: SampleContract,
  body: Record<string, unknown>,
  read: SampleDialect["read"],
): Sample {
  const { prompt, answer, warnings } = unshownIn(content, body);
  if (prompt.length > 0) throw unsupported(prompt);
  warnOf(c, warnings);
  if (answer.length === 0) return read(body);
  try {
    return { ...read(withoutAnswer(content, body)), unshown: answer };
  } catch {
    throw unsupported(answer);
  }
}

/**
 * The handler of such a contract. Its reply begins before its end only when a proxy would cut it
 * else, or when it has a reward and an equal sample asks whether its client is there.
 */
export function sampleRoute(deps: RouteDeps, { contract, field, schema, read, tell }: SampleDialect) {
  return async (c: AppContext): Promise<Response> => {
    const { value, text } = await readJsonBody(c.req.raw);
    const body = objectBody(value);
    const sample = readShown(c, contract, body, read);
    const told = sampleOptions(c, deps);
    const own = sample.validates === true ? validationOptions(told) : told;
    const options = { ...own, run_id: own.run_id ?? sample.run_id, step: own.step ?? sample.step };
    const { compiled, given } = await factualSamples(c, deps, options, field, [sample]);
    const request = { contract, options, compiled, body_hash: await sha256Hex(text) };
    const reply = slowJson(c, deps, schema, sparingStatus(contractDeadline(contract, options.deadline_ms)));
    const telling = async () => {
      const [judged] = (await gather(c, deps, request, given, reply.probe)) as [GatheredReward];
      const scope = c.get("scope");
      scope.id = judged.request_id;
      const latency_ms = deps.clock.now() - scope.started_ms;
      const value = tell({ judged, spec: compiled.spec, on_failure: options.on_failure, latency_ms }, body, options);
      return { value, headers: warningHeaders(judged.warnings) };
    };
    return reply.answer(telling());
  };
}
