// The file format of a set of lists, `kritai-set/1`: the rows of manifest.json, lists.jsonl and
// adversarial.jsonl. Knows neither how a set is built nor how it is used.
import * as z from "zod";
import { PassRateSchema } from "../../../src/core/contract/group.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";

export const SET_FORMAT = "kritai-set/1";
export const SPLITS = ["train", "validation", "test"] as const;
export const BUCKETS = ["easy", "hard"] as const;
const STRENGTHS = ["weak", "strong"] as const;
/** The modification that a lot draws, on a side that a lot draws: following it gains nothing. */
export const RANDOM_SIDE = "random_side";
export const SIDES = ["right", "wrong"] as const;

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
  /** In a set built with strong generators: strong ones are in the test split alone. */
  strength: z.enum(STRENGTHS).optional(),
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
  /** For RANDOM_SIDE: the modification drawn, and whether it is on the right program or the wrong ones. */
  drawn: z.string().min(1).max(64).optional(),
  side: z.enum(SIDES).optional(),
});
export type AdversarialList = z.output<typeof AdversarialListSchema>;

/** Means over the lists of a split's bucket. */
export const ListFiguresSchema = z.object({
  split: z.string(),
  bucket: z.string(),
  lists: count,
  /** Over pairs of programs; 1: the same tokens. */
  token_similarity: z.number(),
  /** The same of the right program with the wrong ones alone. */
  right_to_wrong: z.number(),
  /** Cosine of served embeddings; null where none were asked for. */
  cosine: z.number().nullable(),
  characters_right: z.number(),
  characters_wrong: z.number(),
});

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
  /** How alike and how long the programs of a split's lists are (list-report.ts), where it was asked for. */
  likeness: z.array(ListFiguresSchema).optional(),
  /** Where candidates tell it: who wrote how many, at which temperature. */
  samplers: z
    .array(
      z.object({
        generator: z.string(),
        model: z.string().nullable(),
        temperature: z.number().nullable(),
        candidates: count,
      }),
    )
    .optional(),
});
export type SetManifest = z.output<typeof SetManifestSchema>;
