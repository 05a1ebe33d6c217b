// Owns what of a judge's taste is taken out of strengths: how much length and being shown first
// earn, stated, or to be learnt over the run. Knows no fit.
import * as z from "zod";
import { said } from "#said";
import { bound } from "../faults/limit-advice.ts";
import { LIMITS } from "../faults/limits.ts";

export const COVARIATES = ["length", "position"] as const;
export type Covariate = (typeof COVARIATES)[number];

const EarnedSchema = z
  .number()
  .min(-LIMITS.strength_scale_max)
  .max(...bound("strength_scale_max"));
const NameSchema = z.enum(COVARIATES);

export const CovariatesSchema = z
  .union([
    z.tuple([NameSchema]),
    z.tuple([NameSchema, NameSchema]),
    z.strictObject({
      length: EarnedSchema.optional().meta(said("natural log-odds of a candidate twice as long as another")),
      position: EarnedSchema.optional().meta(said("natural log-odds of the candidate that is shown first")),
    }),
  ])
  .meta(
    said(
      "of score strength: what length and being shown first earn with this judge is taken out. Names: as learnt from the run's earlier steps, which needs `run_id` and `step`; numbers: natural log-odds a doubling of the candidate's length, and of the first place (docs/schedules.md)",
    ),
  );

export type Covariates = z.output<typeof CovariatesSchema>;

/** What is taken out, by name; of names that nothing was learnt for yet, 0. */
export type Earned = Partial<Record<Covariate, number>>;

export const earnedBy = (covariates: Covariates): Earned =>
  Array.isArray(covariates) ? Object.fromEntries(covariates.map((name) => [name, 0])) : (covariates as Earned);
