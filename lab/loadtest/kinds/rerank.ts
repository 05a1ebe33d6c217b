// The kind `rerank`: POST /v1/rerank, whose unjudged documents are missing from the results.
import * as z from "zod";
import type { RerankBody } from "./item.ts";
import { jsonReply, serverSplit } from "./json-reply.ts";
import { bodyParts, NOTHING_READ, oneCall, type Work } from "./kind.ts";

const ReplySchema = z.object({
  results: z.array(z.object({ relevance_score: z.number() })),
  meta: z.object({ tokens: z.object({ input_tokens: z.number(), output_tokens: z.number() }) }),
});

/** One request to rank documents; a document that could not be judged counts as a null reward. */
export function rerankWork(body: RerankBody): Work {
  return oneCall({
    path: "/v1/rerank",
    body: bodyParts(body),
    open: () =>
      jsonReply(ReplySchema, ({ results, meta }, { server_timing }) => ({
        ...NOTHING_READ,
        rewards: results.length,
        nulls: Math.max(0, Math.min(body.top_n || body.documents.length, body.documents.length) - results.length),
        prompt_tokens: meta.tokens.input_tokens,
        completion_tokens: meta.tokens.output_tokens,
        split: serverSplit(server_timing),
      })),
  });
}
