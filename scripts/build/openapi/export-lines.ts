// Schemas of the lines of an export, for the OpenAPI document.
import * as z from "zod";
import { RunMetadataSchema } from "../../../src/core/contract/run-metadata.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import {
  GroupRowSchema,
  StoredAuditVerdictSchema,
  StoredSignalSchema,
  StoredTextSchema,
  StoredTurnsSchema,
  StoredVerdictSchema,
} from "./log.ts";

const count = z.int().min(0);

/** Chat messages; with `form=text`, a string. */
const SaidSchema = z.union([z.string(), z.array(z.looseObject({ role: z.string() }))]);
const TrainedSchema = z.object({
  ...{ type: z.literal("row"), prompt: SaidSchema },
  ...{ group_id: z.string(), run_id: z.string().nullable(), step: z.int().nullable() },
});

export const ExportLineSchema = z.union([
  GroupRowSchema.extend({ type: z.literal("row") }),
  StoredVerdictSchema.extend({ type: z.literal("row") }),
  StoredAuditVerdictSchema.extend({ type: z.literal("row") }),
  StoredTextSchema.extend({ type: z.literal("row") }),
  StoredSignalSchema.extend({ type: z.literal("row") }),
  StoredTurnsSchema.extend({ type: z.literal("row") }),
  TrainedSchema.extend({
    chosen: SaidSchema.meta({ description: "answer with the higher reward" }),
    rejected: SaidSchema.meta({ description: "answer with the lower reward" }),
    score_chosen: z.number().meta({ description: "reward of the chosen answer" }),
    score_rejected: z.number().meta({ description: "reward of the rejected answer" }),
  }),
  TrainedSchema.extend({
    completion: SaidSchema.meta({ description: "answer with a high reward; the parameter `least` sets the minimum" }),
    score: z.number().meta({ description: "reward of the answer" }),
  }),
  z.object({
    ...{ type: z.literal("end"), rows: count, metadata: RunMetadataSchema.exactOptional() },
    left_out: z
      .object({
        without_texts: count.meta({ description: "number of groups whose texts are not stored" }),
        no_single_text: count.meta({ description: "with `form=text`: number of groups with a chat or an agent run" }),
        prompts_beyond: count.exactOptional().meta({
          description: `with \`per_prompt\`: number of groups whose prompt is not among the first ${LIMITS.export_prompts_max} (export_prompts_max)`,
        }),
      })
      .exactOptional()
      .meta({ description: "for pairs and positives: number of groups left out, by reason" }),
  }),
  z.object({ type: z.literal("error"), code: z.string(), detail: z.string(), rows: count, request_id: z.string() }),
]);
