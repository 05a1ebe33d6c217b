// Shared parts of reranker bodies: the query, documents (texts or objects with a text), and their
// descriptions in the API reference.

import * as z from "zod";
import { said } from "#said";
import { GroupSchema, RolloutTextSchema } from "../../../core/contract/requests.ts";
import type { FieldError } from "../../../core/faults/errors.ts";
import { fieldPath } from "../../../core/faults/json-fault.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { isRecord } from "../../../core/transcript/kinds.ts";
import { invalidRequest, validAt } from "../../door/validation.ts";
import { contentText } from "./messages.ts";
import { elements, fields, has, not, type Rule, refused, size, when } from "./page.ts";

/**
 * Number of documents, for the API reference only; the handler checks the limit itself, because some dialects
 * have a special error for it.
 */
export const DOCUMENT_COUNT = { minItems: 1, maxItems: LIMITS.rollouts_per_group_max };

/** The query, used as the prompt. */
export const QuerySchema = GroupSchema.shape.prompt.options[0].min(1).meta(said("query, used as the prompt"));

/** A document: a text, or an object with `text` or vLLM's `content` parts. */
const DocumentSchema = z.union([z.string(), z.record(z.string(), z.unknown())]);

/** A list of documents, texts or objects. */
export const DocumentsSchema = z.array(DocumentSchema).meta({
  ...DOCUMENT_COUNT,
  ...said(`1 to ${LIMITS.rollouts_per_group_max} candidates: strings, or objects with a text`),
});

/** A list of text documents. */
export const TextsSchema = z.array(RolloutTextSchema).meta({
  ...DOCUMENT_COUNT,
  ...said(`1 to ${LIMITS.rollouts_per_group_max} candidates; never truncated`),
});

/** A stored spec's name. */
export const ModelSchema = z
  .string()
  .nullish()
  .meta(
    said(
      "name of a stored spec. A name similar to that of a spec or preset is rejected; any other name is only echoed",
    ),
  );

/** Number of best documents to return. */
export const TopSchema = z.int().min(0).nullish().meta(said("number of results to return; 0 or omitted: all"));

/** Fields of a document that form its text. */
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
 * The text of each document. Throws `invalid_request` naming the field if a document has no text or exceeds
 * its limit.
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
 * Replaces vLLM's content parts by texts: `{"content": [..]}` instead of a list becomes one document per
 * part; inside a list it becomes a single document.
 * @param names fields that hold texts or documents
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

/** The text of an object with `text` or `content`; any other value unchanged. */
const textOfParts = (value: unknown): unknown =>
  isRecord(value) ? (value.text ?? contentText(value.content) ?? value) : value;

/** One line `name: value` per field in rank_fields; for a single field, only its value. */
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

/** Why a value cannot be shown exactly as sent; null if it can. */
function fieldFault(value: unknown): string | null {
  if (typeof value === "object" && value !== null) {
    return `${Array.isArray(value) ? "a list" : "an object"}; rank_fields supports only strings, numbers, true, false and null`;
  }
  const isExact = typeof value !== "number" || !Number.isInteger(value) || Number.isSafeInteger(value);
  return isExact ? null : "an integer beyond 2^53 is not exact in JSON; send it as a string";
}

/** Texts unchanged, other values as JSON, empty for a missing field. */
const fieldText = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** Description of document scores, for the API reference. */
export const scoresWords = (place = "named in `meta.warnings`") =>
  `Scores are the share of comparisons won, in 0..1. Documents that cannot be judged are last with score 0 and ${place}. If the verifier fails, the request fails, unless enough documents for \`top_n\` are decided or \`kritai.on_incomplete\` is \`leave_out\`. At most ${LIMITS.rollouts_per_group_max} documents.`;

/** The description for replies without a field for warnings. */
export const scoresAndHeader = () => scoresWords("named in the header `X-Kritai-Warnings`");

/** Errors about document fields, for the API reference. */
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
