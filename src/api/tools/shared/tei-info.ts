// TEI's `GET /info`, from which clients learn how large their batches may be: `max_client_batch_size` is the
// maximum number of documents per request.
import * as z from "zod";
import { said } from "#said";
import { LIMITS } from "../../../core/faults/limits.ts";
import type { AppContext } from "../../door/scope.ts";
import { VERSION } from "../../routes/service.ts";

const UNUSED = said("constant; describes only TEI's own server");

export const TeiInfoSchema = z.object({
  model_id: z.string().meta(said("the spec used if a request names none")),
  model_sha: z.null().meta(UNUSED),
  model_dtype: z.literal("float32").meta(UNUSED),
  model_type: z
    .object({
      reranker: z
        .object({
          id2label: z.record(z.string(), z.string()).meta(UNUSED),
          label2id: z.record(z.string(), z.int()).meta(UNUSED),
        })
        .meta(said("a reranker: one score per text")),
    })
    .meta(said("kind of model that TEI's clients detect")),
  max_concurrent_requests: z.int().meta(said("concurrent requests per instance")),
  max_input_length: z.int().meta(said("maximum size of a text, in bytes; texts are never truncated")),
  max_batch_tokens: z.int().meta(said("maximum size of a request body, in bytes")),
  max_batch_requests: z.null().meta(UNUSED),
  max_client_batch_size: z
    .int()
    .meta(
      said(
        "maximum number of texts per request. Send all texts of a query in one request: scores of different requests are not comparable",
      ),
    ),
  auto_truncate: z.literal(false).meta(said("texts are never truncated")),
  tokenization_workers: z.literal(1).meta(UNUSED),
  version: z.string().meta(said("version of Kritai")),
  sha: z.null().meta(UNUSED),
  docker_label: z.null().meta(UNUSED),
});

/** The reply of GET /info, which is the same for all deployments. */
const INFO: z.output<typeof TeiInfoSchema> = {
  model_id: "default",
  model_sha: null,
  model_dtype: "float32",
  model_type: { reranker: { id2label: { "0": "LABEL_0" }, label2id: { LABEL_0: 0 } } },
  max_concurrent_requests: LIMITS.in_flight_requests_max,
  max_input_length: LIMITS.rollout_text_bytes,
  max_batch_tokens: LIMITS.body_bytes,
  max_batch_requests: null,
  max_client_batch_size: LIMITS.rollouts_per_group_max,
  auto_truncate: false,
  tokenization_workers: 1,
  version: VERSION,
  sha: null,
  docker_label: null,
};

export const info = () => (c: AppContext) => c.json(INFO);
