// The common handler for all reranker APIs: parses a vendor's request body to a query and documents, and
// formats their ranking as the vendor's reply. The vendors are listed in reranker-rows.ts.
import type * as z from "zod";
import type { ContentPlace } from "../../content/shown-body.ts";
import type { FaultDialect } from "../../door/dialect.ts";
import type { BodyFields } from "../../door/validation.ts";
import { type ContractRoute, contractBody } from "./contract.ts";
import { type RankedDocuments, rankDocuments } from "./ranked-documents.ts";
import { textRoute } from "./text-route.ts";

/** A ranking request parsed from a vendor's body. */
interface AskedRanking {
  /** The text of each document. */
  texts: readonly string[];
  /** Number of results to return; 0, null or omitted: all. */
  top?: number | null | undefined;
  /** Whether to return the shaped reward instead of a score in 0..1. */
  raw?: boolean;
}

/** A ranking to be formatted as a reply, with the text of each document. `created` is in Unix seconds. */
interface ToldRanking extends Omit<RankedDocuments, "results"> {
  results: { index: number; score: number; text: string }[];
  /** The model named in the request, or `default`. */
  model: string;
  id: string;
  created: number;
}

/** The request and reply format of one vendor's API. */
interface Reranker<B extends z.ZodObject, R> {
  path: string;
  /** The vendor's error dialect. */
  faults: FaultDialect;
  /** The default timeout of the vendor's clients, ms. Null: our default deadline applies. */
  wait_ms: number | null;
  /** Name of the field that contains the documents. */
  list: string;
  /** Type of a document: a string, a string or an object, or a record with `title` and `content`. */
  carrier: "text" | "documents" | "rows";
  body: B;
  reply: z.ZodType<R>;
  /** Converts other accepted forms of the body to a form that matches the schema. */
  prepare?(body: BodyFields): BodyFields;
  /** Parses the body. Throws `invalid_request`. */
  read(body: z.output<B>): AskedRanking;
  toReply(ranking: ToldRanking, body: z.output<B>): NoInfer<R>;
}

/** The fields of a body that contain the query and the documents. */
function contentOf(list: string, carrier: "text" | "documents" | "rows"): ContentPlace[] {
  const places = carrier === "rows" ? [`${list}[].title`, `${list}[].content`] : [];
  const texts = places.map((at) => ({ at, carrier: "text", side: "answer" }) as const);
  return [{ at: "query", carrier: "text" }, ...texts, { at: list, carrier, side: "answer" }];
}

/**
 * Converts a vendor's row to the form that `textRoute` expects. Adds a check of the number of documents, and
 * the documents' texts in the reply.
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

/** The handler for a ranking route; `rowOf` selects the vendor's row by the request body. */
export const rankingRoute = (rowOf: (body: BodyFields) => RerankerRow): ContractRoute["handler"] =>
  textRoute(rankDocuments, rowOf);
