// POST /v1/specs/check: returns a spec's canonical form, cost and warnings without calling a verifier.

import * as z from "zod";
import { said } from "#said";
import { isRelative } from "../../core/asking/signal.ts";
import { withLogTexts } from "../../core/contract/kept-texts.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { auditSpec } from "../../core/reward/audit.ts";
import { type CompiledSpec, compileSpec } from "../../core/reward/compiled-spec.ts";
import { costOf, type GroupCost } from "../../core/reward/cost.ts";
import { specLints } from "../../core/reward/lints.ts";
import { RewardsRequestSchema } from "../../core/reward/requests.ts";
import { SpecSchema } from "../../core/reward/signals-spec.ts";
import { asWritten } from "../../core/reward/spec-forms.ts";
import { readJson } from "../door/body.ts";
import type { RouteDeps } from "../door/deps.ts";
import { numberText, queryParameters, wholeNumber } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { checkedSpec } from "../door/spec-lookup.ts";
import { validated } from "../door/validation.ts";
import { bareSpec } from "./specs.ts";
import { documented } from "./words.ts";

/** Default group size for the cost estimate. */
const GROUP = 8;

export const SpecCheckQuerySchema = z.strictObject({
  n: wholeNumber(1, "rollouts_per_group_max")
    .default(GROUP)
    .meta(said(`number of rollouts per group for which cost and range are computed; default ${GROUP}`)),
  deadline_ms: numberText(RewardsRequestSchema.shape.deadline_ms.unwrap())
    .default(LIMITS.deadline_ms_default)
    .meta(said("deadline that the warnings assume, in milliseconds")),
});

const end = z.number().nullable().meta(said("null: unbounded"));
const RangeSchema = z.tuple([end, end]);
const CostSchema = z.object({
  rollouts: z.int(),
  generations: z
    .int()
    .nullable()
    .meta(
      said(
        "number of generations in the first wave, without retries; null, like the fields below, if the group is too large for the schedule",
      ),
    ),
  generations_max: z
    .int()
    .nullable()
    .meta(
      said(
        "maximum number of generations, whatever the verifier answers: all waves, retries of unreadable verdicts, and questions that find their cause",
      ),
    ),
  completion_tokens: z.int().nullable().meta(said("maximum tokens of `generations`, with `max_tokens` each")),
  completion_tokens_max: z.int().nullable().meta(said("maximum tokens of `generations_max`, or the token budget")),
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
  cost: CostSchema,
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

export function checkSpec(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const { n, deadline_ms } = queryParameters(c, SpecCheckQuerySchema);
    const given = validated(SpecSchema, await readJson(c.req.raw));
    const { spec, spec_hash } = await bareSpec(() => checkedSpec(deps, c.get("scope"), given));
    const compiled = compileSpec(spec, n);
    const audited = auditSpec(spec);
    const audit = audited === null ? undefined : costOf(compileSpec(audited, n), n).base;
    const reply = {
      spec_hash,
      spec: asWritten(withLogTexts(spec, deps)),
      ...checkReply(compiled, n),
      ...(spec.audit !== undefined && audit !== undefined && { audit: { share: spec.audit.share, cost: audit } }),
      warnings: specLints(compiled, deadline_ms),
    };
    return c.json(reply satisfies Omit<z.input<typeof SpecCheckReplySchema>, "spec"> & { spec: object });
  };
}

function checkReply(compiled: CompiledSpec, n: number) {
  const costs = costOf(compiled, n);
  const byName = compiled.names.map((name) => {
    const compiledSignal = compiled.signals.find((each) => each.name === name) as (typeof compiled.signals)[number];
    const relative = isRelative(compiledSignal.signal, compiledSignal.settings);
    return [
      name,
      { kind: compiledSignal.signal.kind, range: shown(compiledSignal.range), relative, cost: costs[name] ?? null },
    ] as const;
  });
  const sum = (field: keyof Omit<GroupCost, "rollouts">) =>
    Object.values(costs).reduce<number | null>((total, cost) => {
      const amount = cost[field];
      return total === null || amount === null ? null : total + amount;
    }, 0);
  return {
    reward_range: shown(compiled.reward.range),
    signals: Object.fromEntries(byName),
    relative: compiled.relative,
    facts: [...compiled.facts],
    cost: {
      rollouts: n,
      generations: sum("generations"),
      generations_max: sum("generations_max"),
      completion_tokens: sum("completion_tokens"),
      completion_tokens_max: sum("completion_tokens_max"),
    },
  };
}

export const words = /* @__PURE__ */ documented(() => ({
  "POST /v1/specs/check": {
    operationId: "checkSpec",
    tag: "Specs",
    summary: "Explains a spec, its cost and its warnings, without judging anything",
    description:
      "Returns the canonical form, the hash, the proved range of the reward, the facts that requests must have, the generations and tokens of a group of `n`, and warnings. The body is the spec.",
    query: SpecCheckQuerySchema,
    request: SpecSchema,
    said: "Checked.",
    reply: SpecCheckReplySchema,
    faults: [400, 401, 408, 413, 415],
  },
}));
