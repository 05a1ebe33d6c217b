// Adds descriptions to fields whose schemas have none. The descriptions are in words/; only the document
// contains them, so that they do not enlarge the Worker.
import { CONTRACT_WORDS } from "./words/contracts.ts";
import { REPLY_WORDS } from "./words/replies.ts";
import { REQUEST_WORDS } from "./words/requests.ts";
import { LOG_WORDS } from "./words/run-log.ts";
import { SPEC_WORDS } from "./words/spec.ts";

type Node = { [keyword: string]: unknown };
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Descriptions by a field's name or by the end of its path, such as `judge.mode` or `Rollout.text`; the
 * longest match is used. No key occurs in two tables.
 */
export const WORDS: readonly (readonly [end: string, words: string])[] = [
  ...[CONTRACT_WORDS, LOG_WORDS, REPLY_WORDS, REQUEST_WORDS, SPEC_WORDS],
].flatMap((table) => Object.entries(table));

const BY_END: ReadonlyMap<string, string> = new Map(WORDS);

/** The longest end of a field's path that has a description; undefined if there is none. */
export function endWithWords(path: readonly string[]): string | undefined {
  for (let from = 0; from < path.length; from++) {
    const end = path.slice(from).join(".");
    if (BY_END.has(end)) return end;
  }
  return undefined;
}

const BRANCHES = ["anyOf", "oneOf", "allOf", "prefixItems"] as const;

/** Visits a schema's fields at every depth. Lists and alternatives add nothing to a path. */
export function eachField(
  schema: unknown,
  path: readonly string[],
  visit: (field: Node, path: readonly string[]) => void,
): void {
  if (!isNode(schema)) return;
  for (const [name, field] of Object.entries(isNode(schema.properties) ? schema.properties : {})) {
    if (!isNode(field)) continue;
    visit(field, [...path, name]);
    eachField(field, [...path, name], visit);
  }
  for (const key of BRANCHES) {
    for (const branch of Array.isArray(schema[key]) ? schema[key] : []) eachField(branch, path, visit);
  }
  eachField(schema.items, path, visit);
  eachField(schema.additionalProperties, path, visit);
}

interface Document {
  paths?: object;
  components?: { schemas?: object };
}

interface Operation {
  operationId: string;
  parameters?: (Node & { name: string; schema?: Node })[];
  requestBody?: { content: Record<string, { schema?: unknown }> };
  responses: Record<string, { content?: Record<string, { schema?: unknown }> }>;
}

/** Visits every field of the document: of components and bodies, and parameters. */
export function eachDocumentField(
  { paths = {}, components }: Document,
  visit: (field: Node, path: readonly string[]) => void,
): void {
  for (const [name, schema] of Object.entries(components?.schemas ?? {})) eachField(schema, [name], visit);
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(operations as Record<string, Operation>)) {
      const { operationId, parameters = [], requestBody, responses } = operation;
      for (const parameter of parameters) {
        if (parameter.schema?.description === undefined) visit(parameter, [operationId, parameter.name]);
      }
      const contents = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)];
      for (const media of contents.flatMap((content) => Object.values(content ?? {}))) {
        eachField(media.schema, [operationId], visit);
      }
    }
  }
}

/** Adds descriptions, in place, to fields without one. References to components stay as they are. */
export function describeFields<D extends Document>(document: D): D {
  eachDocumentField(document, (field, path) => {
    if (field.description !== undefined) return;
    const end = endWithWords(path);
    if (end !== undefined) field.description = BY_END.get(end);
  });
  return document;
}
