// Audits: selects a share of the groups to be judged again by another judge, and measures how far the second
// ranking agrees with the rewards. An audit never changes a reward.

import * as z from "zod";
import { said } from "#said";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { canonicalJudge, JudgeSchema } from "../contract/judge-settings.ts";
import type { Audit } from "../contract/spec.ts";
import { hashText } from "../math/random.ts";
import { spearman } from "../math/tau-b.ts";
import { judgeFault } from "../tournament/judge-fault.ts";
import { needsReference, ScheduleSchema } from "../tournament/named-schedule.ts";
import type { Spec } from "./spec.ts";
import { ofFlat } from "./spec-forms.ts";

/** The score in every audit spec. Only the ranking is used, so any score would do. */
const SCORE = "win_rate";

/** Schema of a spec's `audit`; parsing returns the canonical form. */
export const AuditSchema = z
  .strictObject({
    share: z.number().gt(0).max(1).default(0.01).meta(said("share of groups to audit; default 0.01")),
    judge: JudgeSchema.safeExtend({ schedule: ScheduleSchema }).meta(
      said("judge settings of the audit: another model, preset or schedule than those behind the rewards"),
    ),
  })
  .transform(({ share, judge }): Audit => ({ share, judge: canonicalJudge(judge) }))
  .superRefine(({ judge }, context) => {
    const refuse = (path: readonly string[], message: string) =>
      context.addIssue({ code: "custom", path: ["judge", ...path], message });
    const fault = judgeFault(judge, SCORE);
    if (fault !== null) refuse(fault.path, fault.message);
    else if (needsReference(judge.schedule))
      refuse(["schedule"], "an audit compares only rollouts of the group, without a reference");
  })
  .meta(said("judges a share of the groups again with another judge, without effect on rewards (docs/alarms.md)"));

/** The spec for judging a group again; null if the spec has no audit. */
export function auditSpec({ audit, candidate, seed }: Spec): Spec | null {
  if (audit === undefined) return null;
  const format = { rules: [], penalty: 0 };
  return ofFlat({ judge: audit.judge, candidate, reward: SCORE, format, overlong: null, seed });
}

const WORDS = 2 ** 32;

/**
 * Whether a group is audited. Depends only on the seed and the group's prompt and candidates, so it is
 * reproducible.
 */
export function isAudited({ share }: Audit, seed: number, { question, texts }: PreparedGroup): boolean {
  return hashText("audit", seed, question, ...texts)[0] / WORDS < share;
}

/**
 * Spearman's correlation between a group's rewards and its audit, in [-1, 1], over the rollouts that have
 * both values; null if fewer than two have both, or if either side is constant.
 */
export function auditCorrelation(
  rewards: readonly (number | null)[],
  audits: readonly (number | null)[],
): number | null {
  const both = rewards.flatMap((reward, r) => {
    const audit = audits[r] ?? null;
    return reward === null || audit === null ? [] : [{ reward, audit }];
  });
  return spearman(
    both.map(({ reward }) => reward),
    both.map(({ audit }) => audit),
  );
}
