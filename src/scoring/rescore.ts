// Rescores a logged run under another spec without a verifier, group by group.

import type { RunKey } from "../core/contract/owner.ts";
import { ApiError } from "../core/faults/errors.ts";
import { LIMITS } from "../core/faults/limits.ts";
import { type CompiledSpec, compileSpec } from "../core/reward/compiled-spec.ts";
import { planReplay, type ReplayPlan } from "../core/reward/replay/plan.ts";
import { replayedGroup } from "../core/reward/replay/replayed-group.ts";
import { ReplayTally } from "../core/reward/replay/summary.ts";
import type { Spec } from "../core/reward/spec.ts";
import { storedSpec } from "../core/reward/stored-spec.ts";
import type { RunLog, SpecUse, StepBounds } from "../ports/run-log.ts";
import { specHash } from "./digest.ts";

interface Rescoring {
  /** The hash of the new spec. */
  spec_hash: string;
  /** One line per group, oldest first, then one `end` line. */
  lines: AsyncGenerator<Record<string, unknown>>;
}

/**
 * Rescores a run without a verifier; null if the run does not exist.
 * @throws ApiError `needs_judging`, naming the signals; `length_tokens_required` or `invalid_request` for
 *   lengths or steps that the log does not have
 */
export async function rescoreRun(
  runLog: RunLog,
  run: RunKey,
  spec: Spec,
  steps: StepBounds,
): Promise<Rescoring | null> {
  const next = compileSpec(spec);
  const spec_hash = await specHash(spec);
  const uses = await runLog.specsUsed(run, steps);
  if (uses.length === 0 && (await runLog.run(run)) === null) return null;
  requireLogged(next, uses);
  await requireLengths(runLog, run, next, steps);
  const plans = new Map<string, ReplayPlan>();
  for (const use of uses) plans.set(use.spec_hash, planReplay(next, await loggedSpec(use)));
  return { spec_hash, lines: rescored(runLog, run, steps, plans, spec_hash) };
}

async function* rescored(
  runLog: RunLog,
  run: RunKey,
  steps: StepBounds,
  plans: ReadonlyMap<string, ReplayPlan>,
  spec_hash: string,
): AsyncGenerator<Record<string, unknown>> {
  const tally = new ReplayTally();
  const verdicts = [...plans.values()].some((plan) => plan.verdicts);
  for await (const logged of runLog.loggedGroups(run, steps, { spec_hashes: [...plans.keys()], verdicts })) {
    const { rewards, columns } = replayedGroup(plans.get(logged.spec_hash) as ReplayPlan, logged);
    const renewed = rewards.map(({ value }) => value);
    const old = logged.rollouts.map(({ reward }) => reward);
    tally.add(old, renewed);
    const values = Object.entries(columns).map(([name, values]) => [name, values.map(({ value }) => value)]);
    yield {
      type: "group",
      group_id: logged.group_id,
      step: logged.step,
      rewards: renewed,
      errors: rewards.map(({ code }) => code),
      columns: Object.fromEntries(values),
      old,
    };
  }
  yield { type: "end", spec_hash, ...tally.summary() };
}

/** Parses a logged spec with the current schema, and checks that its prompts still have the same wording. */
async function loggedSpec({ spec, spec_hash }: SpecUse) {
  const read = storedSpec(spec);
  if (read === null) {
    const message = `the run's spec ${spec_hash} is no longer valid`;
    throw new ApiError("needs_judging", `spec: ${message}.`, { errors: [{ path: "spec", message }] });
  }
  const hash = await specHash(read).catch(() => null);
  return { compiled: compileSpec(read), same_prompts: hash === spec_hash };
}

/** Throws if the new spec uses lengths that the run did not log because its own specs did not use them. */
async function requireLengths(runLog: RunLog, run: RunKey, { facts }: CompiledSpec, steps: StepBounds): Promise<void> {
  if (!facts.includes("length_tokens") || !(await runLog.lacksLengths(run, steps))) return;
  const message = "needs length_tokens, but some rollouts of the run were logged without it";
  throw new ApiError("length_tokens_required", `spec: ${message}.`, { errors: [{ path: "spec", message }] });
}

/** Throws ApiError `invalid_request` if the steps used more specs than rescore_specs_max. */
function requireFewSpecs(uses: readonly SpecUse[]): void {
  if (uses.length <= LIMITS.rescore_specs_max) return;
  const message = `the run used more than rescore_specs_max = ${LIMITS.rescore_specs_max} specs; select fewer steps`;
  throw new ApiError("invalid_request", `from_step: ${message}.`, { errors: [{ path: "from_step", message }] });
}

/** Throws if the run used too many specs, or if an expression uses the step and some requests have none. */
function requireLogged({ facts }: CompiledSpec, uses: readonly SpecUse[]): void {
  requireFewSpecs(uses);
  if (facts.includes("step") && uses.some(({ no_step }) => no_step)) {
    const message = "required: the spec's expressions use the step, but some requests of the run have no step";
    throw new ApiError("invalid_request", `from_step: ${message}.`, { errors: [{ path: "from_step", message }] });
  }
}
