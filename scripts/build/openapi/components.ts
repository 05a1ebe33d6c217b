// Named schemas of the OpenAPI document. Each is written once, and becomes a type in generated clients.
import * as z from "zod";
import { BatchReplySchema } from "../../../src/api/routes/batches.ts";
import { RescoreRequestSchema } from "../../../src/api/routes/rescore.ts";
import { MessageSchema } from "../../../src/api/tools/shared/messages.ts";
import { GroupResultSchema, RolloutResultSchema } from "../../../src/core/contract/group-reply.ts";
import {
  BatchMetricsSchema,
  RewardsEventSchema,
  RewardsReplySchema,
} from "../../../src/core/contract/rewards-reply.ts";
import { OverlongSchema } from "../../../src/core/contract/spec.ts";
import { VerdictItemSchema, VerdictsRequestSchema } from "../../../src/core/contract/verdicts-request.ts";
import { VerifierUseSchema } from "../../../src/core/contract/verifier-use.ts";
import { FlatSpecSchema } from "../../../src/core/reward/flat-spec.ts";
import { FactualGroupSchema, FactualRolloutSchema, RewardsRequestSchema } from "../../../src/core/reward/requests.ts";
import { SignalsSpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { contractComponents } from "./contracts.ts";
import { ExportLineSchema } from "./export-lines.ts";
import { GroupRowSchema, StoredTextSchema, StoredVerdictSchema } from "./log.ts";
import { RescoreLineSchema } from "./rescoring.ts";

const NAMED: Readonly<Record<string, z.ZodType>> = {
  Spec: FlatSpecSchema,
  SignalsSpec: SignalsSpecSchema,
  Overlong: OverlongSchema,
  RewardsRequest: RewardsRequestSchema,
  Group: FactualGroupSchema,
  Rollout: FactualRolloutSchema,
  RewardsReply: RewardsReplySchema,
  RewardsEvent: RewardsEventSchema,
  GroupResult: GroupResultSchema,
  RolloutResult: RolloutResultSchema,
  VerifierUse: VerifierUseSchema,
  BatchMetrics: BatchMetricsSchema,
  VerdictsRequest: VerdictsRequestSchema,
  VerdictItem: VerdictItemSchema,
  BatchReply: BatchReplySchema,
  GroupRow: GroupRowSchema,
  StoredVerdict: StoredVerdictSchema,
  StoredText: StoredTextSchema,
  ExportLine: ExportLineSchema,
  RescoreRequest: RescoreRequestSchema,
  RescoreLine: RescoreLineSchema,
  Message: MessageSchema,
};

/**
 * Registers the names in zod's registry, where the generator of the document looks them up.
 */
export function nameComponents(): void {
  for (const [id, schema] of Object.entries({ ...NAMED, ...contractComponents() }))
    z.globalRegistry.add(schema, { ...schema.meta(), id });
}
