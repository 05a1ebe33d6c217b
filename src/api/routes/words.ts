// How the reference's words of native routes are written, beside their handlers. Read by the generator of the
// OpenAPI document alone.
import * as z from "zod";
import { RunIdSchema } from "../../core/contract/requests.ts";

/** One route in the document. */
export interface Words {
  operationId: string;
  tag: "Scoring" | "Specs" | "Run log" | "Service";
  summary: string;
  description?: string;
  path?: z.ZodObject;
  /** The parameters of the URL as they are read. */
  query?: z.ZodObject;
  request?: z.ZodType;
  /** Description of the reply; absent: `Found.` */
  said?: string;
  /** The reply; absent: the generator has its schema, for no code here needs one. */
  reply?: z.ZodType;
  /** The type of a reply that has no schema. */
  type?: string;
  /** The lines of a reply as NDJSON: beside `reply`, or in its place. */
  lines?: z.ZodType | true;
  /** Statuses of its problem documents; 401 brings 403. */
  faults?: readonly number[];
  /** Descriptions of these statuses in the route's words. */
  faulty?: Readonly<Record<number, string>>;
}

/** By method and path, as the table of routes has them. */
type Pages = Readonly<Record<string, Words>>;

const all: (() => Pages)[] = [];

/**
 * Gives routes their words. Call it as an unused export behind a mark of purity, so that the
 * Worker's bundle holds nothing of it: test/stack/bundle.test.ts.
 */
export function documented(pages: () => Pages): () => Pages {
  all.push(pages);
  return pages;
}

/** The words of all native routes. */
export const nativeWords = (): Pages => Object.assign({}, ...all.map((pages) => pages()));

/** Statuses of a route that reads, and of one that is given a body. */
export const READ = [401, 404, 503] as const;
export const WRITE = [400, 401, 406, 408, 413, 415, 503] as const;

export const pathOf = (name: string, schema: z.ZodString, description: string) =>
  z.object({ [name]: schema.meta({ description }) });

/** A route that reads something of a run out of the log. */
export const ofOneRun = (operationId: string, summary: string, query: z.ZodObject, description?: string): Words => ({
  ...{ operationId, tag: "Run log", summary, query, faults: [400, ...READ] },
  path: pathOf("run_id", RunIdSchema, "The trainer's name of the run"),
  ...(description !== undefined && { description }),
});

/** A route of the service itself. */
export const serviceWords = (operationId: string, summary: string, type: string): Words => ({
  ...{ operationId, tag: "Service", summary, said: "OK", type },
});
