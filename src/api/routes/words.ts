// The text of the API reference for native routes, written next to the handlers. Used only by the OpenAPI
// generator.
import * as z from "zod";
import { RunIdSchema } from "../../core/contract/requests.ts";

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
  /** Description of the reply; default `Found.` */
  said?: string;
  /** Schema of the reply. Omitted: the generator has it, because no code here uses it. */
  reply?: z.ZodType;
  /** Content type of a reply without a schema. */
  type?: string;
  /** Schema of the lines of an NDJSON reply, in addition to or instead of `reply`. */
  lines?: z.ZodType | true;
  /** Error statuses of the route; 401 implies 403. */
  faults?: readonly number[];
  /** Custom descriptions per status. */
  faulty?: Readonly<Record<number, string>>;
}

/** Keyed by method and path, as in the route table. */
type Pages = Readonly<Record<string, Words>>;

const all: (() => Pages)[] = [];

/**
 * Registers the documentation of routes. Call it as an unused export marked pure, so that the Worker's bundle
 * excludes it (test/stack/bundle.test.ts).
 */
export function documented(pages: () => Pages): () => Pages {
  all.push(pages);
  return pages;
}

/** The documentation of all native routes. */
export const nativeWords = (): Pages => Object.assign({}, ...all.map((pages) => pages()));

/** Error statuses of routes that read. */
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
