// Owns what the bodies of rerankers share: the query, documents that are texts or objects with one,
// and their words in the reference. Knows no reply.

import * as z from "zod";
import { said } from "#said";
import { GroupSchema, RolloutTextSchema } from "../../../core/contract/requests.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { validAt } from "../../door/validation.ts";
import { elements, fields, has, not, type Rule, refused, size, when } from "./page.ts";

/**
 * How many there may be, for the document only: the checks themselves name the limit, or answer as
 * the dialect does.
 */
export const DOCUMENT_COUNT = { minItems: 1, maxItems: LIMITS.rollouts_per_group_max };

/** The prompt. */
export const QuerySchema = GroupSchema.shape.prompt.options[0].min(1).meta(said("the prompt"));

/** A document: a text, or an object with one. */
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

/** How many of the best are told. */
export const TopSchema = z.int().min(0).nullish().meta(said("0 or absent: all"));

/** Which fields of a document make up its text. */
export const RankFieldsSchema = z
  .array(z.string())
  .nullish()
  .meta(said("of documents that are objects: the fields that make up the text"));

type Document = z.output<typeof DocumentSchema>;

/**
 * Each document as text. Throws `invalid_request` for one without a text or over its limit.
 * @param field where they stand in the body
 */
export function documentTexts(
  field: string,
  documents: readonly Document[],
  rankFields: readonly string[] | null,
): string[] {
  const texts = documents.map((document) =>
    typeof document === "string" ? document : fieldsText(document, rankFields),
  );
  return validAt(z.array(RolloutTextSchema), texts, [field]);
}

/**
 * With rank_fields: one `name: value` line for each that is there, a single named field as it is.
 * Else the field `text`, whatever it is: the schema judges it.
 */
function fieldsText(document: Record<string, unknown>, names: readonly string[] | null): unknown {
  if (names === null || names.length === 0) return document.text;
  if (names.length === 1) return document[names[0] as string];
  const present = names.filter((name) => typeof document[name] === "string");
  return present.length === 0 ? undefined : present.map((name) => `${name}: ${document[name]}`).join("\n");
}

/** For the document: what scores of documents are. */
export const scoresWords = (place = "named in `meta.warnings`") =>
  `Scores are shares of wins in 0..1. Documents that could not be judged are left out and ${place}; when none could, the request fails. At most ${LIMITS.rollouts_per_group_max} documents.`;

/** The same of a reply that has no place for warnings. */
export const scoresAndHeader = () => scoresWords("named in the header `X-Kritai-Warnings`");

/** For the document: refusals of documents in fields. */
export const fieldsRefusal = (field = "documents") =>
  refused("rank_fields names it", `${field}\\[\\]`, "string", "rank_fields");

/** For the document: documents need a `text` where no other fields are named. */
export const fieldsRule = (field = "documents"): Rule => ({
  ...when(
    not(has({ rank_fields: { type: "array", minItems: 1 } })),
    elements(field, has({ text: { type: "string" } })),
  ),
  ...fields({ rank_fields: size("rollouts_per_group_max") }),
});
