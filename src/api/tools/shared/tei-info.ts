// TEI's `GET /info`, by which its clients size their blocks: `max_client_batch_size` is the number of
// texts of one query that one request may hold.
import * as z from "zod";
import { said } from "#said";
import { LIMITS } from "../../../core/faults/limits.ts";
import type { AppContext } from "../../door/scope.ts";
import { VERSION } from "../../routes/service.ts";

const UNUSED = said("of TEI's own server; says nothing here");

export const TeiInfoSchema = z.object({
  model_id: z.string().meta(said("the spec that judges where a request names none")),
  model_sha: z.null().meta(UNUSED),
  model_dtype: z.literal("float32").meta(UNUSED),
  model_type: z
    .object({
      reranker: z
        .object({
          id2label: z.record(z.string(), z.string()).meta(UNUSED),
          label2id: z.record(z.string(), z.int()).meta(UNUSED),
        })
        .meta(said("a reranker: one score a text")),
    })
    .meta(said("what kind of model TEI's clients find")),
  max_concurrent_requests: z.int().meta(said("requests of one instance under way at one time")),
  max_input_length: z.int().meta(said("of a text, in bytes; nothing is ever cut")),
  max_batch_tokens: z.int().meta(said("of a body, in bytes")),
  max_batch_requests: z.null().meta(UNUSED),
  max_client_batch_size: z
    .int()
    .meta(said("texts in one request. Send all texts of a query in one: scores of two requests are not comparable")),
  auto_truncate: z.literal(false).meta(said("nothing is ever cut")),
  tokenization_workers: z.literal(1).meta(UNUSED),
  version: z.string().meta(said("of Kritai")),
  sha: z.null().meta(UNUSED),
  docker_label: z.null().meta(UNUSED),
});

/** The same for every deployment. */
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
