// Owns the file format of a set of lists, `kritai-set/1`: the rows of manifest.json, lists.jsonl
// and adversarial.jsonl. Knows neither how a set is built nor how it is used.
import * as z from "zod";
import { PassRateSchema } from "../../../src/core/contract/requests.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";

export const SET_FORMAT = "kritai-set/1";
export const SPLITS = ["train", "validation", "test"] as const;
export const BUCKETS = ["easy", "hard"] as const;

const id = z.string().min(1).max(LIMITS.id_chars);
const count = z.int().min(0);

/** `code` is the bare program: whoever asks a verifier puts it into a fence. */
export const SetCandidateSchema = z.strictObject({
  candidate_id: id,
  code: z.string().min(1),
  pass_rate: PassRateSchema,
});
export type SetCandidate = z.output<typeof SetCandidateSchema>;

const listFields = {
  list_id: id,
  split: z.enum(SPLITS),
  bucket: z.enum(BUCKETS),
  problem_id: id,
  language: z.string().min(1).max(32),
  /** Who wrote the candidates: a model's name, `mutation`, `people`. */
  generator: z.string().min(1).max(128),
  difficulty: z.string().min(1).max(64).nullish(),
  prompt: z.string().min(1),
  candidates: z
    .array(SetCandidateSchema)
    .min(LIMITS.list_candidates_min)
    .max(LIMITS.list_candidates_max)
    .refine((all) => all.filter(({ pass_rate }) => pass_rate === 1).length === 1, "exactly one pass_rate must be 1")
    .refine((all) => new Set(all.map(({ pass_rate }) => pass_rate)).size === all.length, "pass rates must differ"),
};

/** A row of lists.jsonl. */
export const SetListSchema = z.strictObject(listFields);
export type SetList = z.output<typeof SetListSchema>;

/**
 * A row of adversarial.jsonl: the base list with one modification; order and pass rates are the
 * base's.
 */
export const AdversarialListSchema = z.strictObject({
  ...listFields,
  base_list_id: id,
  modification: z.string().min(1).max(64),
  /** One of the six modifications that the paper kept. */
  kept: z.boolean(),
  /**
   * The one candidate changed (by a negative modification, the right one); null when all wrong ones
   * are.
   */
  target_index: count.nullable(),
});
export type AdversarialList = z.output<typeof AdversarialListSchema>;

export const SetManifestSchema = z.object({
  format: z.literal(SET_FORMAT),
  name: z.string().min(1).max(64),
  seed: count,
  /** The command that builds the set again. */
  command: z.string(),
  /** By file name: SHA-256 of the bytes in lower-case hex, and the number of rows. */
  files: z.record(z.string(), z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/), rows: count })),
  cells: z.array(
    z.object({
      split: z.enum(SPLITS),
      bucket: z.enum(BUCKETS),
      length: z.int().min(LIMITS.list_candidates_min).max(LIMITS.list_candidates_max),
      language: z.string(),
      rows: count,
    }),
  ),
  sources: z.array(z.unknown()),
});
export type SetManifest = z.output<typeof SetManifestSchema>;
