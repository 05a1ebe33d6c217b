// The common handler of all rerankers: parses a vendor's body into a query with texts, and formats their
// ranking as the vendor's reply. The rows are in reranker-rows.ts.
import type * as z from "zod";
import type { ContentPlace } from "../../content/shown-body.ts";
import type { FaultDialect } from "../../door/dialect.ts";
import type { BodyFields } from "../../door/validation.ts";
import { type ContractRoute, contractBody } from "./contract.ts";
import { type RankedDocuments, rankDocuments } from "./ranked-documents.ts";
import { textRoute } from "./text-route.ts";

/** A ranking request parsed from a vendor's body. */
interface AskedRanking {
  /** The documents' texts to be judged. */
  texts: readonly string[];
  /** Number of results; 0, null or omitted: all. */
  top?: number | null | undefined;
  /** Return the shaped reward instead of a score in 0..1. */
  raw?: boolean;
}

/** A ranking to format as a reply, with each document's judged text. `created` is Unix time in seconds. */
interface ToldRanking extends Omit<RankedDocuments, "results"> {
  results: { index: number; score: number; text: string }[];
  /** The model of the request, or `default`. */
  model: string;
  id: string;
  created: number;
}

/** How one vendor's API formats requests and replies. */
interface Reranker<B extends z.ZodObject, R> {
  path: string;
  /** The vendor's error dialect. */
  faults: FaultDialect;
  /** The clients' default timeout in ms, which their `timeout=` changes. Null: the native default applies. */
  wait_ms: number | null;
  /** Field that holds the documents. */
  list: string;
  /** Type of a document: a text, a text or an object, or a record with `title` and `content`. */
  carrier: "text" | "documents" | "rows";
  body: B;
  reply: z.ZodType<R>;
  /** Converts other accepted forms of the body to the schema's form. */
  prepare?(body: BodyFields): BodyFields;
  /** Parses the body. Throws `invalid_request`. */
  read(body: z.output<B>): AskedRanking;
  toReply(ranking: ToldRanking, body: z.output<B>): NoInfer<R>;
}

/** The fields of a body that hold the query and the documents. */
function contentOf(list: string, carrier: "text" | "documents" | "rows"): ContentPlace[] {
  const places = carrier === "rows" ? [`${list}[].title`, `${list}[].content`] : [];
  const texts = places.map((at) => ({ at, carrier: "text", side: "answer" }) as const);
  return [{ at: "query", carrier: "text" }, ...texts, { at: list, carrier, side: "answer" }];
}

/**
 * Converts a row to the form that `textRoute` expects. Checks the number of documents and passes their texts
 * on to the reply.
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

/** The handler of a ranking route; `rowOf` selects the row for a body. */
export const rankingRoute = (rowOf: (body: BodyFields) => RerankerRow): ContractRoute["handler"] =>
  textRoute(rankDocuments, rowOf);
