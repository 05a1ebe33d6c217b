// POST /v1/specs/check: returns a spec's canonical form, cost and warnings without calling a verifier.

import * as z from "zod";
import { said } from "#said";
import { TYPICAL_LENGTHS } from "../../core/asking/request-cost.ts";
import { isRelative } from "../../core/asking/signal.ts";
import { withLogTexts } from "../../core/contract/kept-texts.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { knownUsd, costOf as tokenCost } from "../../core/load/prices.ts";
import { auditSpec } from "../../core/reward/audit.ts";
import { type CompiledSpec, compileSpec } from "../../core/reward/compiled-spec.ts";
import { costOf, type GroupCost } from "../../core/reward/cost.ts";
import { specLints } from "../../core/reward/lints.ts";
import { RewardsRequestSchema } from "../../core/reward/requests.ts";
import { SpecSchema } from "../../core/reward/signals-spec.ts";
import { asWritten } from "../../core/reward/spec-forms.ts";
import { readJson } from "../door/body.ts";
import type { AppDeps } from "../door/deps.ts";
import { numberText, queryParameters, wholeNumber } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { checkedSpec } from "../door/spec-lookup.ts";
import { validated } from "../door/validation.ts";
import { bareSpec } from "./specs.ts";
import { documented } from "./words.ts";

/** Defaults of the cost estimate: groups of a step, and rollouts of a group. */
const GROUPS = 64;
const GROUP = 8;

export const SpecCheckQuerySchema = z.strictObject({
  n: wholeNumber(1, "rollouts_per_group_max")
    .default(GROUP)
    .meta(said(`number of rollouts per group for which cost and range are computed; default ${GROUP}`)),
  groups: wholeNumber(1, "groups_max")
    .default(GROUPS)
    .meta(said(`number of groups of a training step, for \`step\`; default ${GROUPS}`)),
  prompt_tokens: wholeNumber(0, "max_tokens_max")
    .default(TYPICAL_LENGTHS.prompt_tokens)
    .meta(said(`tokens of a prompt, for \`prompt_tokens\` and \`usd\`; default ${TYPICAL_LENGTHS.prompt_tokens}`)),
  rollout_tokens: wholeNumber(0, "max_tokens_max")
    .default(TYPICAL_LENGTHS.rollout_tokens)
    .meta(said(`tokens of a rollout as the verifier is shown it; default ${TYPICAL_LENGTHS.rollout_tokens}`)),
  deadline_ms: numberText(RewardsRequestSchema.shape.deadline_ms.unwrap())
    .default(LIMITS.deadline_ms_default)
    .meta(said("deadline that the warnings assume, in milliseconds")),
});

const end = z.number().nullable().meta(said("null: unbounded"));
const RangeSchema = z.tuple([end, end]);
const amount = (description: string) => z.int().nullable().meta(said(description));
const CostSchema = z.object({
  rollouts: z.int(),
  calls: amount(
    "requests to the verifier for `generations`, without retries; null, like the fields below, if the group is too large for the schedule",
  ),
  generations: amount("number of generations in the first wave, without retries"),
  generations_max: amount(
    "maximum number of generations, whatever the verifier answers: all waves, retries of unreadable verdicts, and questions that find their cause",
  ),
  prompt_tokens: amount("input tokens of `calls`, estimated from above for texts of the given lengths"),
  completion_tokens: amount("maximum tokens of `generations`, with `max_tokens` each"),
  completion_tokens_max: amount("maximum tokens of `generations_max`, or the token budget"),
  usd: z
    .number()
    .nullable()
    .optional()
    .meta(
      said(
        "US dollars for `prompt_tokens` and `completion_tokens` by `PRICES`; null if the model has no price; only if `PRICES` is set",
      ),
    ),
});

export const SpecCheckReplySchema = z.object({
  spec_hash: z.string(),
  spec: z.record(z.string(), z.unknown()).meta(said("canonical form of the spec")),
  reward_range: RangeSchema,
  signals: z.record(
    z.string(),
    z.object({ kind: z.string(), range: RangeSchema, relative: z.boolean(), cost: CostSchema.nullable() }),
  ),
  relative: z.boolean().meta(said("true: rewards are comparable only within a group")),
  facts: z.array(z.string()).meta(said("fields that requests must have: per rollout, per group (`group.`), or `step`")),
  cost: CostSchema.meta(said("cost of one group")),
  step: CostSchema.pick({ calls: true, prompt_tokens: true, completion_tokens: true, usd: true })
    .extend({ groups: z.int() })
    .meta(said("cost of a training step of `groups` groups, without the audit")),
  audit: z
    .object({
      share: z.number().meta(said("fraction of groups that are audited")),
      cost: CostSchema.meta(said("additional cost of one audited group; multiply by `share` for the mean per group")),
    })
    .optional()
    .meta(said("only if the spec has `audit`")),
  warnings: z.array(z.string()),
});

const shown = (range: readonly [number, number]) =>
  range.map((value) => (Number.isFinite(value) ? value : null)) as [number | null, number | null];

export function checkSpec(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const { n, groups, deadline_ms, ...lengths } = queryParameters(c, SpecCheckQuerySchema);
    const given = validated(SpecSchema, await readJson(c.req.raw));
    const { spec, spec_hash } = await bareSpec(() => checkedSpec(deps, c.get("scope"), given));
    const compiled = compileSpec(spec, n);
    const assumed = { lengths, requestCost: deps.verifier.requestCost?.bind(deps.verifier) };
    const audited = auditSpec(spec);
    const auditing = audited === null ? null : compileSpec(audited, n);
    const audit = auditing === null ? undefined : withDollars(costOf(auditing, n, assumed), auditing, deps).base;
    const reply = {
      spec_hash,
      spec: asWritten(withLogTexts(spec, deps)),
      ...checkReply(compiled, n, groups, costOf(compiled, n, assumed), deps),
      ...(spec.audit !== undefined && audit !== undefined && { audit: { share: spec.audit.share, cost: audit } }),
      warnings: specLints(compiled, deadline_ms),
    };
    return c.json(reply satisfies Omit<z.input<typeof SpecCheckReplySchema>, "spec"> & { spec: object });
  };
}

/** Dollars of `groups` groups; null if a model has no price or a cost is unknown, undefined without prices. */
function dollarsOf(
  costs: Readonly<Record<string, GroupCost>>,
  groups: number,
  { signals }: CompiledSpec,
  { prices, verifier }: AppDeps,
): { usd?: number | null } {
  if (prices === null) return {};
  const used = Object.entries(costs).map(([name, { prompt_tokens, completion_tokens }]) => {
    if (prompt_tokens === null || completion_tokens === null) return null;
    const asked = signals.find((signal) => signal.name === name)?.judge?.model ?? verifier.model ?? null;
    const tokens = { prompt_tokens: groups * prompt_tokens, completion_tokens: groups * completion_tokens };
    return { model: null, asked, ...tokens };
  });
  const known = used.filter((tokens) => tokens !== null);
  return { usd: known.length < used.length ? null : knownUsd(tokenCost(known, prices)) };
}

/** The costs of the signals, each with its dollars. */
const withDollars = (costs: Readonly<Record<string, GroupCost>>, compiled: CompiledSpec, deps: AppDeps) =>
  Object.fromEntries(
    Object.entries(costs).map(([name, cost]) => [name, { ...cost, ...dollarsOf({ [name]: cost }, 1, compiled, deps) }]),
  );

function checkReply(
  compiled: CompiledSpec,
  n: number,
  groups: number,
  costs: Record<string, GroupCost>,
  deps: AppDeps,
) {
  const priced = withDollars(costs, compiled, deps);
  const byName = compiled.names.map((name) => {
    const compiledSignal = compiled.signals.find((each) => each.name === name) as (typeof compiled.signals)[number];
    const relative = isRelative(compiledSignal.signal, compiledSignal.settings);
    return [
      name,
      { kind: compiledSignal.signal.kind, range: shown(compiledSignal.range), relative, cost: priced[name] ?? null },
    ] as const;
  });
  const sum = (field: keyof Omit<GroupCost, "rollouts">) =>
    Object.values(costs).reduce<number | null>((total, cost) => {
      const value = cost[field];
      return total === null || value === null ? null : total + value;
    }, 0);
  const ofStep = (field: keyof Omit<GroupCost, "rollouts">) => {
    const value = sum(field);
    return value === null ? null : value * groups;
  };
  return {
    reward_range: shown(compiled.reward.range),
    signals: Object.fromEntries(byName),
    relative: compiled.relative,
    facts: [...compiled.facts],
    cost: {
      rollouts: n,
      calls: sum("calls"),
      generations: sum("generations"),
      generations_max: sum("generations_max"),
      prompt_tokens: sum("prompt_tokens"),
      completion_tokens: sum("completion_tokens"),
      completion_tokens_max: sum("completion_tokens_max"),
      ...dollarsOf(costs, 1, compiled, deps),
    },
    step: {
      groups,
      calls: ofStep("calls"),
      prompt_tokens: ofStep("prompt_tokens"),
      completion_tokens: ofStep("completion_tokens"),
      ...dollarsOf(costs, groups, compiled, deps),
    },
  };
}

export const words = /* @__PURE__ */ documented(() => ({
  "POST /v1/specs/check": {
    operationId: "checkSpec",
    tag: "Specs",
    summary: "Explains a spec, its cost and its warnings, without judging anything",
    description:
      "Returns the canonical form, the hash, the proved range of the reward, the facts that requests must have, the calls, tokens and dollars of a group of `n` and of a step, and warnings. The body is the spec.",
    query: SpecCheckQuerySchema,
    request: SpecSchema,
    said: "Checked.",
    reply: SpecCheckReplySchema,
    faults: [400, 401, 408, 413, 415],
  },
}));
