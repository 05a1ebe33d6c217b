// Scores one batch. Scoring and logging are the same as for a request to /v1/rewards.

import type { RewardsReply } from "../../core/contract/rewards-reply.ts";
import type { JudgingDeps } from "../../scoring/deps.ts";
import { holdingLater } from "../../scoring/held-work.ts";
import type { ReadingJournal } from "../../scoring/reading-journal.ts";
import { scoreAndLog } from "../../scoring/score-and-log.ts";
import type { ScoringBatch } from "../../scoring/score-batch.ts";
import type { BatchRequest } from "./view.ts";

interface BatchWork extends BatchRequest {
  /** Id of the batch and its log entry. Scoring again with the same id does not add a second entry. */
  request_id: string;
  key_name: string | null;
  deadline_ms: number;
  signal: AbortSignal;
  onGroup: NonNullable<ScoringBatch["onGroup"]>;
  journal: ReadingJournal;
}

/** Rejects with an ApiError only for errors in the request. */
export type BatchScorer = (work: BatchWork) => Promise<RewardsReply>;

export function createBatchScorer(deps: JudgingDeps): BatchScorer {
  return ({ request_id, key_name, deadline_ms, request, spec, signal, onGroup, journal }) =>
    holdingLater(deps, key_name, deadline_ms, signal, async ({ reserveBytes }, left_ms) => {
      const scope = {
        id: request_id,
        started_ms: deps.clock.now(),
        key_name,
        verifier_ms: 0,
        store_ms: 0,
        reserveBytes,
      };
      const timed = { ...request, deadline_ms: left_ms };
      return (await scoreAndLog(deps, scope, timed, spec, signal, onGroup, journal)).reply;
    });
}
