// Owns which schemas have a name of their own in the OpenAPI document: said once there, and a type to clients that generate code from it.
import * as z from "zod";
import {
  EvaluationsRequestSchema,
  GroupSchema,
  RewardsRequestSchema,
  RolloutSchema,
  VerdictItemSchema,
  VerdictsRequestSchema,
} from "../src/core/contract.ts";
import {
  BatchMetricsSchema,
  EvaluationSummarySchema,
  GroupResultSchema,
  RewardsEventSchema,
  RewardsReplySchema,
  RolloutResultSchema,
  VerifierUseSchema,
} from "../src/core/contract-replies.ts";
import { OverlongSchema, SpecSchema } from "../src/core/spec.ts";
import { BatchReplySchema } from "../src/routes/batches.ts";
import { TeiRequestSchema } from "../src/routes/contracts/bare-rerank.ts";
import { ChatRequestSchema } from "../src/routes/contracts/chat-completions.ts";
import { ChatReplySchema } from "../src/routes/contracts/chat-replies.ts";
import { ClassifyRequestSchema } from "../src/routes/contracts/classify.ts";
import { EvaluateRequestSchema } from "../src/routes/contracts/eval-protocol.ts";
import { ScoreBatchRequestSchema } from "../src/routes/contracts/flat-batch.ts";
import { MessageSchema } from "../src/routes/contracts/messages.ts";
import { VerifyReplySchema, VerifyRequestSchema } from "../src/routes/contracts/nemo-gym.ts";
import { OpenRlhfRequestSchema } from "../src/routes/contracts/openrlhf.ts";
import { RerankReplySchema, RerankRequestSchema } from "../src/routes/contracts/rerank.ts";
import { ScoreReplySchema, ScoreRequestSchema } from "../src/routes/contracts/score.ts";
import { SlimeRequestSchema } from "../src/routes/contracts/slime.ts";
import { VerlRequestSchema } from "../src/routes/contracts/verl.ts";
import { ExportLineSchema, GroupRowSchema, StoredTextSchema, StoredVerdictSchema } from "./openapi-log.ts";

const NAMED: Readonly<Record<string, z.ZodType>> = {
  Spec: SpecSchema,
  Overlong: OverlongSchema,
  RewardsRequest: RewardsRequestSchema,
  Group: GroupSchema,
  Rollout: RolloutSchema,
  RewardsReply: RewardsReplySchema,
  RewardsEvent: RewardsEventSchema,
  GroupResult: GroupResultSchema,
  RolloutResult: RolloutResultSchema,
  VerifierUse: VerifierUseSchema,
  BatchMetrics: BatchMetricsSchema,
  VerdictsRequest: VerdictsRequestSchema,
  VerdictItem: VerdictItemSchema,
  EvaluationsRequest: EvaluationsRequestSchema,
  EvaluationSummary: EvaluationSummarySchema,
  BatchReply: BatchReplySchema,
  GroupRow: GroupRowSchema,
  StoredVerdict: StoredVerdictSchema,
  StoredText: StoredTextSchema,
  ExportLine: ExportLineSchema,
  Message: MessageSchema,
  RerankRequest: RerankRequestSchema,
  RerankReply: RerankReplySchema,
  TeiRequest: TeiRequestSchema,
  ScoreRequest: ScoreRequestSchema,
  ScoreReply: ScoreReplySchema,
  ClassifyRequest: ClassifyRequestSchema,
  ScoreBatchRequest: ScoreBatchRequestSchema,
  ChatRequest: ChatRequestSchema,
  ChatReply: ChatReplySchema,
  OpenRlhfRequest: OpenRlhfRequestSchema,
  EvaluateRequest: EvaluateRequestSchema,
  SlimeRequest: SlimeRequestSchema,
  VerlRequest: VerlRequestSchema,
  NemoGymVerifyRequest: VerifyRequestSchema,
  NemoGymVerifyReply: VerifyReplySchema,
};

/** Gives the schemas their names in zod's registry, where the document's generator looks for them. */
export function nameComponents(): void {
  for (const [id, schema] of Object.entries(NAMED)) z.globalRegistry.add(schema, { ...schema.meta(), id });
}
