// Helpers shared by the bodies of rerankers: the query, documents that are texts or objects with one, and
// their words in the reference.

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
 * How many there may be, for the document only: the checks themselves name the limit, or answer as
 * the dialect does.
 */
export const DOCUMENT_COUNT = { minItems: 1, maxItems: LIMITS.rollouts_per_group_max };

/** The prompt. */
export const QuerySchema = GroupSchema.shape.prompt.options[0].min(1).meta(said("the prompt"));

/** A document: a text, or an object with one (`text`, or `content` in vLLM's parts). */
const DocumentSchema = z.union([z.string(), z.record(z.string(), z.unknown())]);

/** A list of documents, texts or objects. */
export const DocumentsSchema = z.array(DocumentSchema).meta({
  ...DOCUMENT_COUNT,
  ...said(`1 to ${LIMITS.rollouts_per_group_max} candidates: texts, or objects with a text`),
});

/** A list of documents that are texts. */
export const TextsSchema = z.array(RolloutTextSchema).meta({
  ...DOCUMENT_COUNT,
  ...said(`1 to ${LIMITS.rollouts_per_group_max} candidates; never cut`),
});

/** A stored spec's name. */
export const ModelSchema = z
  .string()
  .nullish()
  .meta(said("a stored spec's name. One that is nearly a spec's, or a preset's, is refused; any other is only echoed"));

/** How many of the best are returned. */
export const TopSchema = z.int().min(0).nullish().meta(said("0 or absent: all"));

/** Which fields of a document make up its text. */
export const RankFieldsSchema = z
  .array(z.string())
  .nullish()
  .meta(
    said(
      "of documents that are objects: the fields that make up the text. Numbers, true, false and null are shown as JSON, a field that a document lacks as nothing; lists and objects are refused",
    ),
  );

type Document = z.output<typeof DocumentSchema>;

/**
 * Each document as text. Throws `invalid_request` for one without a text or over its limit, naming the field.
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
 * The body with what vLLM takes for texts as texts: `{"content": [..]}` in the place of a list has a
 * document in each part, in a list it is one document.
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

/** An object with a text or a `content`, as its text; anything else as it is. */
const textOfParts = (value: unknown): unknown =>
  isRecord(value) ? (value.text ?? contentText(value.content) ?? value) : value;

/** One `name: value` line for each field that rank_fields names; of a single one its value. */
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

const MISSING = "missing, and rank_fields names it";

/** Why a value cannot be shown as it was sent; null where it can. */
function fieldFault(value: unknown): string | null {
  if (typeof value === "object" && value !== null) {
    return `${Array.isArray(value) ? "a list" : "an object"}; rank_fields shows texts, numbers, true, false and null`;
  }
  const isExact = typeof value !== "number" || !Number.isInteger(value) || Number.isSafeInteger(value);
  return isExact ? null : "an integer beyond 2^53 is not exact in JSON; send it as a text";
}

/** A text as it is, any other value as JSON; nothing for a field that the document lacks. */
const fieldText = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

/** For the document: what scores of documents are. */
export const scoresWords = (place = "named in `meta.warnings`") =>
  `Scores are shares of wins in 0..1. Documents that no judge takes are last with 0 and ${place}. Where the verifier failed, the request fails, unless fewer are asked for that are decided, or \`kritai.on_incomplete\` leaves them out. At most ${LIMITS.rollouts_per_group_max} documents.`;

/** The same of a reply that has no place for warnings. */
export const scoresAndHeader = () => scoresWords("named in the header `X-Kritai-Warnings`");

/** For the document: refusals of documents in fields. */
export const fieldsRefusal = (field = "documents") =>
  refused("rank_fields names it", `${field}\\[\\].*`, "rank_fields|string|2\\^53", "rank_fields");

/** For the document: documents need a `text`, or a `content`, where no other fields are named. */
export const fieldsRule = (field = "documents"): Rule => ({
  ...when(
    not(has({ rank_fields: { type: "array", minItems: 1 } })),
    elements(field, { anyOf: [has({ text: { type: "string" } }), has({ content: { type: ["string", "array"] } })] }),
  ),
  ...fields({ rank_fields: size("rollouts_per_group_max") }),
});
