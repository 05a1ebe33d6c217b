// Common parts of rerankers' request bodies: the query, the documents (strings or objects), and their
// descriptions in the API reference.

import * as z from "zod";
import { said } from "#said";
import { GroupSchema, RolloutTextSchema } from "../../../core/contract/group.ts";
import type { FieldError } from "../../../core/faults/errors.ts";
import { fieldPath } from "../../../core/faults/json-fault.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { isRecord } from "../../../core/transcript/kinds.ts";
import { invalidRequest, validAt } from "../../door/validation.ts";
import { contentText } from "./messages.ts";
import { elements, fields, has, not, type Rule, refused, size, when } from "./page.ts";

/**
 * Number of documents, for the API reference only. The handler checks the limit itself, because some vendors
 * have a special error for an empty list.
 */
export const DOCUMENT_COUNT = { minItems: 1, maxItems: LIMITS.rollouts_per_group_max };

/** The query, which is used as the prompt. */
export const QuerySchema = GroupSchema.shape.prompt.options[0].min(1).meta(said("query, used as the prompt"));

/** A document: a string, or an object with `text` or vLLM's `content` parts. */
const DocumentSchema = z.union([z.string(), z.record(z.string(), z.unknown())]);

/** A list of documents, which are strings or objects. */
export const DocumentsSchema = z.array(DocumentSchema).meta({
  ...DOCUMENT_COUNT,
  ...said(`1 to ${LIMITS.rollouts_per_group_max} candidates: strings, or objects with a text`),
});

/** A list of documents that are strings. */
export const TextsSchema = z.array(RolloutTextSchema).meta({
  ...DOCUMENT_COUNT,
  ...said(`1 to ${LIMITS.rollouts_per_group_max} candidates; never truncated`),
});

/** The model, which names a stored spec. */
export const ModelSchema = z
  .string()
  .nullish()
  .meta(
    said(
      "name of a stored spec. A name similar to that of a spec or preset is rejected; any other name is only echoed",
    ),
  );

/** Maximum number of documents to return, best first. */
export const TopSchema = z.int().min(1).nullish().meta(said("number of results to return; omitted: all"));

/** TopSchema for vLLM and Vertex AI, whose documentation says that 0 returns all documents. */
export const TopOrAllSchema = z.int().min(0).nullish().meta(said("number of results to return; 0 or omitted: all"));

/** Names of the document fields to judge. */
export const RankFieldsSchema = z
  .array(z.string())
  .nullish()
  .meta(
    said(
      "fields that form the text of a document that is an object. Numbers, true, false and null are written as JSON, and a missing field is empty; lists and objects are rejected",
    ),
  );

type Document = z.output<typeof DocumentSchema>;

/**
 * The text of each document. Throws `invalid_request`, naming the field, if a document has no text or is too
 * long.
 * @param field path of the documents in the body
 */
export function documentTexts(
  field: string,
  documents: readonly Document[],
  rankFields: readonly string[] | null,
): string[] {
  const faults: FieldError[] = [];
  const named = rankFields === null || rankFields.length === 0 ? null : rankFields;
  const texts = documents.map((document, i) => {
    if (typeof document === "string") return document;
    if (named === null) return document.text ?? contentText(document.content);
    const { text, faults: found } = fieldsText(document, named);
    faults.push(...found.map(({ path, message }) => ({ path: fieldPath([field, i, path]), message })));
    return text;
  });
  if (faults.length > 0) throw invalidRequest(faults.slice(0, LIMITS.validation_errors_max), faults.length);
  return validAt(z.array(RolloutTextSchema), texts, [field]);
}

/**
 * Converts vLLM's content parts to strings. `{"content": [..]}` in place of a list becomes one document per
 * part; as an element of a list it becomes a single document.
 * @param names fields that contain documents
 */
export function withPartsAsTexts(
  body: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  const changed = { ...body };
  for (const name of names) {
    const value = body[name];
    if (Array.isArray(value)) changed[name] = value.map(textOfParts);
    else if (isRecord(value) && Array.isArray(value.content))
      changed[name] = value.content.map((part) => textOfParts({ content: [part] }));
    else if (isRecord(value)) changed[name] = textOfParts(value);
  }
  return changed;
}

/** The text of an object with `text` or `content`. Returns any other value unchanged. */
const textOfParts = (value: unknown): unknown =>
  isRecord(value) ? (value.text ?? contentText(value.content) ?? value) : value;

/** The fields in rank_fields, as one line `name: value` each. A single field is shown without its name. */
function fieldsText(
  document: Readonly<Record<string, unknown>>,
  names: readonly string[],
): { text: string; faults: FieldError[] } {
  const values = names.map((name) => (Object.hasOwn(document, name) ? document[name] : undefined));
  const isEmpty = values.every((value) => value === undefined);
  const faults = names.flatMap((name, at): FieldError[] => {
    const message = isEmpty ? MISSING : fieldFault(values[at]);
    return message === null ? [] : [{ path: name, message }];
  });
  if (names.length === 1) return { text: fieldText(values[0]), faults };
  return { text: names.map((name, at) => `${name}: ${fieldText(values[at])}`).join("\n"), faults };
}

const MISSING = "missing, but named in rank_fields";

/** The reason why a value cannot be shown exactly as it was sent; null if it can be. */
function fieldFault(value: unknown): string | null {
  if (typeof value === "object" && value !== null) {
    return `${Array.isArray(value) ? "a list" : "an object"}; rank_fields supports only strings, numbers, true, false and null`;
  }
  const isExact = typeof value !== "number" || !Number.isInteger(value) || Number.isSafeInteger(value);
  return isExact ? null : "an integer beyond 2^53 is not exact in JSON; send it as a string";
}

/** A field's value as text: strings unchanged, other values as JSON, and empty if the field is missing. */
const fieldText = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** Description of the documents' scores, for the API reference. */
export const scoresWords = (place = "named in `meta.warnings`") =>
  `Scores are the share of comparisons won, in 0..1. Documents that cannot be judged are last with score 0 and ${place}. If the verifier fails, the request fails, unless enough documents for \`top_n\` are decided or \`kritai.on_incomplete\` is \`leave_out\`. At most ${LIMITS.rollouts_per_group_max} documents.`;

/** Description of the documents' scores, for replies without a field for warnings. */
export const scoresAndHeader = () => scoresWords("named in the header `X-Kritai-Warnings`");

/** Documented error conditions for document fields. */
export const fieldsRefusal = (field = "documents") =>
  refused("a field of rank_fields", `${field}\\[\\].*`, "rank_fields|string|2\\^53", "rank_fields");

/** The rule, for the API reference, that documents need `text` or `content` unless rank_fields is given. */
export const fieldsRule = (field = "documents"): Rule => ({
  ...when(
    not(has({ rank_fields: { type: "array", minItems: 1 } })),
    elements(field, { anyOf: [has({ text: { type: "string" } }), has({ content: { type: ["string", "array"] } })] }),
  ),
  ...fields({ rank_fields: size("rollouts_per_group_max") }),
});
