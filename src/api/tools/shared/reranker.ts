// The one handler of all rerankers: a vendor's body becomes a query with texts, and their ranking the
// vendor's reply.
// Rows: ../rerankers.ts.
import type * as z from "zod";
import type { ContentPlace } from "../../content/shown-body.ts";
import type { FaultDialect } from "../../door/dialect.ts";
import type { BodyFields } from "../../door/validation.ts";
import { type ContractRoute, contractBody } from "./contract.ts";
import { type RankedDocuments, rankDocuments } from "./ranked-documents.ts";
import { textRoute } from "./text-route.ts";

/** A ranking request read from a vendor's body. */
interface AskedRanking {
  /** The documents as they are judged. */
  texts: readonly string[];
  /** Number of results, the best first; 0, null or absent: all. */
  top?: number | null | undefined;
  /** The shaped reward instead of a score in 0..1. */
  raw?: boolean;
}

/** A ranking to tell, each document with the text that was judged. `created` is in seconds since 1970. */
interface ToldRanking extends Omit<RankedDocuments, "results"> {
  results: { index: number; score: number; text: string }[];
  /** As it was asked, else `default`. */
  model: string;
  id: string;
  created: number;
}

/** How one vendor's clients write a request and read a reply. */
interface Reranker<B extends z.ZodObject, R> {
  path: string;
  /** How its clients read an error. */
  faults: FaultDialect;
  /** Milliseconds that its clients wait; `timeout=` changes it. null: the native default. */
  wait_ms: number | null;
  /** Field of the documents. */
  list: string;
  /** The form of a document: a text, a text or an object, or a record with `title` and `content`. */
  carrier: "text" | "documents" | "rows";
  body: B;
  reply: z.ZodType<R>;
  /** The body in the schema's form, where clients write others. */
  prepare?(body: BodyFields): BodyFields;
  /** Throws `invalid_request`. */
  read(body: z.output<B>): AskedRanking;
  toReply(ranking: ToldRanking, body: z.output<B>): NoInfer<R>;
}

/** Where a body holds the query and what is ranked. */
function contentOf(list: string, carrier: "text" | "documents" | "rows"): ContentPlace[] {
  const places = carrier === "rows" ? [`${list}[].title`, `${list}[].content`] : [];
  const texts = places.map((at) => ({ at, carrier: "text", side: "answer" }) as const);
  return [{ at: "query", carrier: "text" }, ...texts, { at: list, carrier, side: "answer" }];
}

/**
 * The row with its `read` and `tell` in the form of `textRoute`: documents are counted, and known in
 * the reply.
 */
export function reranker<B extends z.ZodObject, R>(row: Reranker<B, R>) {
  const { list, carrier, body: schema, reply, prepare = (body) => body, read, toReply } = row;
  const lists = [list, "rank_fields"].filter((name) => Object.hasOwn(schema.shape, name));
  const limits = Object.fromEntries(lists.map((name) => [name, "rollouts_per_group_max" as const]));
  return {
    path: row.path,
    speaks: row.faults,
    wait_ms: row.wait_ms,
    list,
    carrier,
    content: contentOf(list, carrier),
    schema,
    reply,
    read(given: BodyFields) {
      const body = contractBody(schema, prepare(given), limits);
      const { query, model = null } = body as { query: string; model?: string | null };
      const { texts, top = null, raw = false } = read(body);
      return {
        field: list,
        query,
        texts,
        model,
        top_n: top,
        raw,
        toReply({ results, ...ranking }: RankedDocuments, head: { id: string; created: number }): R {
          const resultsWithText = results.map((result) => ({ ...result, text: texts[result.index] as string }));
          return toReply({ ...ranking, ...head, model: model ?? "default", results: resultsWithText }, body);
        },
      };
    },
  };
}

export type RerankerRow = ReturnType<typeof reranker>;

/** The handler of a route that ranks; `rowOf` says in whose form a body is. */
export const rankingRoute = (rowOf: (body: BodyFields) => RerankerRow): ContractRoute["handler"] =>
  textRoute(rankDocuments, rowOf);
