// Owns how native routes stand in the OpenAPI document: those of the app's own table, each with its
// words, open or not as the table says.
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from "zod-openapi";
import { ROUTES } from "../../../src/api/routes/table.ts";
import { batchPaths } from "./batches.ts";
import { accessOf, documentPath } from "./contracts.ts";
import { rescoringPaths } from "./rescoring.ts";
import { paths } from "./routes.ts";

type Operations = Record<string, ZodOpenApiOperationObject>;

/** Pages that show runs, and what pages are made of, are no part of the API. */
const isDocumented = (path: string): boolean => !/\.(?:css|js)$|^\/(?:runs|groups)(?:\/|$)/.test(path);

/** Throws for a route without words, and for words without a route. */
export function nativePaths(): ZodOpenApiPathsObject {
  const words = { ...paths, ...rescoringPaths, ...batchPaths } as Record<string, Operations>;
  const told: Record<string, Operations> = {};
  for (const { method, path, access } of ROUTES) {
    if (!isDocumented(path)) continue;
    const [at, verb] = [documentPath(path), method.toLowerCase()];
    const operation = words[at]?.[verb];
    if (operation === undefined) throw new Error(`routes.ts has no words for ${method} ${path}`);
    told[at] = { ...told[at], [verb]: { ...operation, ...accessOf(access) } };
  }
  for (const [path, operations] of Object.entries(words)) {
    const spare = Object.keys(operations).find((verb) => told[path]?.[verb] === undefined);
    if (spare !== undefined) throw new Error(`the app has no route ${spare} ${path}`);
  }
  return told;
}
