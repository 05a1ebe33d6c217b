// Schema of a flat spec: one judge, one schedule, one score.
import * as z from "zod";
import { CandidateSchema } from "../contract/candidate-rule.ts";
import { canonicalJudge, JudgeSchema } from "../contract/judge-settings.ts";
import { KEPT_TEXTS, leanTexts } from "../contract/kept-texts.ts";
import { type FlatSpec, FormatSchema, OverlongSchema, SeedSchema } from "../contract/spec.ts";
import { judgeFault } from "../tournament/judge-fault.ts";
import { ScheduleSchema } from "../tournament/named-schedule.ts";
import { ScoreSchema } from "../tournament/scores.ts";
import { AuditSchema } from "./audit.ts";

/** Schema of a flat spec, as sent in a request. Every field is optional. */
export const FlatSpecSchema = z
  .strictObject({
    judge: JudgeSchema.safeExtend({ schedule: ScheduleSchema }).prefault({}),
    candidate: CandidateSchema,
    reward: ScoreSchema,
    format: FormatSchema.prefault({}),
    overlong: OverlongSchema.nullable().default(null),
    seed: SeedSchema,
    ...KEPT_TEXTS,
    audit: AuditSchema.exactOptional(),
    // A spec with `signals` has the other form, even if it is invalid.
    signals: z.never().optional(),
  })
  .transform(
    ({ judge, candidate, signals: _, ...spec }): FlatSpec => ({
      ...leanTexts(spec),
      candidate,
      judge: canonicalJudge(judge),
    }),
  )
  .superRefine(({ judge, reward }, context) => {
    const fault = judgeFault(judge, reward);
    if (fault === null) return;
    const path = fault.path[0] === "score" ? ["reward"] : ["judge", ...fault.path];
    context.addIssue({ code: "custom", path, message: fault.message });
  });

export type SpecInput = z.input<typeof FlatSpecSchema>;
