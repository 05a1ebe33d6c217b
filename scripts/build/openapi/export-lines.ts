// The lines of an export as the document shows them.
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

/** As messages, or with `form=text` as one text. */
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
    chosen: SaidSchema.meta({ description: "the better answer" }),
    rejected: SaidSchema.meta({ description: "the worse answer" }),
    score_chosen: z.number().meta({ description: "the better answer's reward" }),
    score_rejected: z.number().meta({ description: "the worse answer's reward" }),
  }),
  TrainedSchema.extend({
    completion: SaidSchema.meta({ description: "the answer" }),
    score: z.number().meta({ description: "its reward" }),
  }),
  z.object({
    ...{ type: z.literal("end"), rows: count, metadata: RunMetadataSchema.exactOptional() },
    left_out: z
      .object({
        without_texts: count.meta({ description: "of a spec that does not log texts" }),
        no_single_text: count.meta({ description: "of chats and agents' runs, where texts are asked for" }),
        prompts_beyond: count.exactOptional().meta({
          description: `with per_prompt: of prompts beyond the first export_prompts_max = ${LIMITS.export_prompts_max}`,
        }),
      })
      .exactOptional()
      .meta({ description: "of pairs and positives: groups that could give none" }),
  }),
  z.object({ type: z.literal("error"), code: z.string(), detail: z.string(), rows: count, request_id: z.string() }),
]);
