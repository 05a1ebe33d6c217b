// The descriptions of native routes for the API reference, which are written next to the handlers. Used only
// by the OpenAPI generator.
import * as z from "zod";
import { RunIdSchema } from "../../core/contract/request-fields.ts";

/** The documentation of one route. */
export interface Words {
  operationId: string;
  tag: "Scoring" | "Specs" | "Run log" | "Service";
  summary: string;
  description?: string;
  path?: z.ZodObject;
  /** Schema of the query parameters. */
  query?: z.ZodObject;
  request?: z.ZodType;
  /** Description of the reply. Omitted: `Found.` */
  said?: string;
  /** Schema of the reply. Omitted: it is defined in the generator, because only the generator uses it. */
  reply?: z.ZodType;
  /** Content type of a reply without a schema. */
  type?: string;
  /** Schema of the lines of an NDJSON reply, which exists in addition to or instead of `reply`. */
  lines?: z.ZodType | true;
  /** Error statuses that the route returns; 401 implies 403. */
  faults?: readonly number[];
  /** Custom descriptions of errors, by status. */
  faulty?: Readonly<Record<number, string>>;
}

/** Documentation of routes by method and path, such as `GET /v1/runs`. */
type Pages = Readonly<Record<string, Words>>;

const all: (() => Pages)[] = [];

/**
 * Registers the documentation of routes. Assign the result to an unused export and mark the call as pure, so
 * that the documentation is excluded from the Worker's bundle (test/stack/bundle.test.ts).
 */
export function documented(pages: () => Pages): () => Pages {
  all.push(pages);
  return pages;
}

/** The documentation of all native routes. */
export const nativeWords = (): Pages => Object.assign({}, ...all.map((pages) => pages()));

/** Error statuses of routes that only read. */
export const READ = [401, 404, 503] as const;
export const WRITE = [400, 401, 406, 408, 413, 415, 503] as const;

export const pathOf = (name: string, schema: z.ZodString, description: string) =>
  z.object({ [name]: schema.meta({ description }) });

/** Documentation of a route that reads a run from the log. */
export const ofOneRun = (operationId: string, summary: string, query: z.ZodObject, description?: string): Words => ({
  ...{ operationId, tag: "Run log", summary, query, faults: [400, ...READ] },
  path: pathOf("run_id", RunIdSchema, "Name of the run, chosen by the trainer"),
  ...(description !== undefined && { description }),
});

/** Documentation of a service route. */
export const serviceWords = (operationId: string, summary: string, type: string): Words => ({
  ...{ operationId, tag: "Service", summary, said: "OK", type },
});
