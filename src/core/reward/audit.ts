// The audit: which groups another judge judges again, by what spec, and how far its order agrees with the
// rewards. Decides no reward.

import * as z from "zod";
import { said } from "#said";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { type Audit, canonicalJudge, JudgeSchema, type Spec } from "../contract/spec.ts";
import { hashText } from "../math/random.ts";
import { spearman } from "../math/stats.ts";
import { judgeFault } from "../tournament/judge-fault.ts";
import { needsReference, ScheduleSchema } from "../tournament/named-schedule.ts";
import type { AnySpec } from "./compiled-spec.ts";

/** Its score, whatever the rewards are: an order is all that is compared. */
const SCORE = "win_rate";

/** A spec's `audit`, in its canonical form when read. */
export const AuditSchema = z
  .strictObject({
    share: z.number().gt(0).max(1).default(0.01).meta(said("share of groups that are audited. Default 0.01")),
    judge: JudgeSchema.safeExtend({ schedule: ScheduleSchema }).meta(
      said("how they are judged again: another model, preset or schedule than the one that decides rewards"),
    ),
  })
  .transform(({ share, judge }): Audit => ({ share, judge: canonicalJudge(judge) }))
  .superRefine(({ judge }, context) => {
    const refuse = (path: readonly string[], message: string) =>
      context.addIssue({ code: "custom", path: ["judge", ...path], message });
    const fault = judgeFault(judge, SCORE);
    if (fault !== null) refuse(fault.path, fault.message);
    else if (needsReference(judge.schedule)) refuse(["schedule"], "an audit compares a group's rollouts alone");
  })
  .meta(said("a share of groups is judged again by another judge; decides no reward (docs/alarms.md)"));

/** The spec by which a group is judged again; null where the spec has no audit. */
export function auditSpec({ audit, candidate, seed }: AnySpec): Spec | null {
  if (audit === undefined) return null;
  const format = { rules: [], penalty: 0 };
  return { judge: audit.judge, candidate, reward: SCORE, format, overlong: null, seed };
}

const WORDS = 2 ** 32;

/** Whether a group belongs to the share, decided by the seed and the texts to be judged alone. */
export function isAudited({ share }: Audit, seed: number, { question, texts }: PreparedGroup): boolean {
  return hashText("audit", seed, question, ...texts)[0] / WORDS < share;
}

/**
 * Spearman's correlation of a group's rewards with its audit, in [-1, 1], over the rollouts that
 * have both; null where fewer than two have, or one side is all equal.
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
