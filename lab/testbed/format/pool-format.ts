// The rows from which sets are built: problems.jsonl and candidates.jsonl, and how candidates get their ids.

import * as z from "zod";
import { PassRateSchema } from "../../../src/core/contract/group.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { sha256Hex } from "../../../src/platform/sha256.ts";
import type { Json } from "../../problems/problem.ts";
import { isRawNumber } from "./exact-json.ts";

export const PROBLEMS_FILE = "problems.jsonl";
export const CANDIDATES_FILE = "candidates.jsonl";
export const LISTS_FILE = "lists.jsonl";
export const ADVERSARIAL_FILE = "adversarial.jsonl";
export const MANIFEST_FILE = "manifest.json";

const id = z.string().min(1).max(LIMITS.id_chars);
const language = z.string().min(1).max(32);
const count = z.int().min(0);
const share = z.number().min(0).max(1);

const JsonSchema: z.ZodType<Json> = z.lazy(() =>
  z.union([
    z.custom<Json>(isRawNumber),
    z.string(),
    z.number(),
    z.boolean(),
    z.null(),
    z.array(JsonSchema),
    z.record(z.string(), JsonSchema),
  ]),
);

const StdioTestSchema = z.strictObject({
  kind: z.literal("stdio").default("stdio"),
  input: z.string(),
  output: z.string(),
  /**
   * Where the problem asks for digits: decimal fractions must be written alike, not only agree to
   * 1e-6.
   */
  exact: z.boolean().optional(),
});
const CallTestSchema = z.strictObject({
  kind: z.literal("call"),
  function: z.string().min(1),
  args: z.array(JsonSchema),
  expected: JsonSchema,
  /**
   * In Python. true: equal as `==` means it, so a list differs from a tuple and 1 does not from
   * 1.0; `types`: 1 and True differ from 1.0 and from each other too; false: lists and tuples are
   * alike, fractions agree to 1e-6.
   */
  strict: z.union([z.boolean(), z.literal("types")]).default(true),
});

/** A test: text in and out, or one call of a function. A row without `kind` is text in and out. */
export const PoolTestSchema = z.union([CallTestSchema, StdioTestSchema]);
export type PoolTest = z.output<typeof PoolTestSchema>;

/** A row of problems.jsonl. */
export const PoolProblemSchema = z.strictObject({
  problem_id: id,
  prompt: z.string().min(1),
  difficulty: z.string().min(1).max(64).nullable().default(null),
  /** The languages the statement may be answered in; empty = any. */
  languages: z.array(language).default([]),
  tests: z.array(PoolTestSchema).min(1),
  source: z.string().min(1).max(128),
  /** The source's own rates of its tests: right submissions that they pass, wrong ones that they fail. */
  true_positive_rate: share.optional(),
  true_negative_rate: share.optional(),
  time_limit_ms: z.number().positive().optional(),
});
export type PoolProblem = z.output<typeof PoolProblemSchema>;

const candidateFields = {
  problem_id: id,
  language,
  /** Who wrote it: a model's name, `people`, `mutation`. Lists never mix generators. */
  generator: z.string().min(1).max(128),
  code: z.string().min(1),
  /** The model that wrote it and its temperature, where a generator is more than one of both. */
  model: z.string().min(1).max(128).optional(),
  temperature: z.number().min(0).optional(),
  /**
   * The source's own label. Never used as a pass rate, only to doubt a problem whose declared right programs
   * fail.
   */
  declared: z.enum(["right", "wrong"]).nullable().default(null),
  /** How it was made from another candidate; null when it was not. */
  mutation: z.string().nullable().default(null),
  /** Null until measured, and when it could not be measured. */
  pass_rate: PassRateSchema.nullable().default(null),
  passed: count.nullable().default(null),
  total: count.nullable().default(null),
  /** Why tests failed, with counts: `wrong`, or how the run ended. */
  failures: z.record(z.string(), count).default({}),
  /** Why it has no pass rate although it was run; null otherwise. */
  unmeasured: z.string().nullable().default(null),
};

/** A row of candidates.jsonl as a person or a script may write it. */
export const CandidateInputSchema = z.strictObject({ candidate_id: id.optional(), ...candidateFields });
/** A row of candidates.jsonl as this tool writes it. */
export const PoolCandidateSchema = z.strictObject({ candidate_id: id, ...candidateFields });
export type PoolCandidate = z.output<typeof PoolCandidateSchema>;

type Identity = Pick<PoolCandidate, "problem_id" | "language" | "generator" | "code">;

/**
 * The id that a candidate has by its content: 20 hex digits, so that equal programs of one
 * generator are one candidate.
 */
export async function candidateId({ problem_id, language, generator, code }: Identity): Promise<string> {
  return (await sha256Hex(JSON.stringify([problem_id, language, generator, code]))).slice(0, 20);
}

/** An unmeasured candidate with its content's id. */
export async function newCandidate(
  identity: Identity & Partial<Pick<PoolCandidate, "declared" | "mutation">>,
): Promise<PoolCandidate> {
  const candidate_id = await candidateId(identity);
  return PoolCandidateSchema.parse({ candidate_id, ...identity });
}

/**
 * The row without what its schema gives back when it is read: nulls and empty counts, which most
 * rows are full of.
 */
export function slimRow(candidate: PoolCandidate): Partial<PoolCandidate> {
  const isGiven = ([name, value]: [string, unknown]): boolean =>
    value !== null && !(name === "failures" && Object.keys(candidate.failures).length === 0);
  return Object.fromEntries(Object.entries(candidate).filter(isGiven));
}

/**
 * A statement up to case, blanks and line ends: problems that share it are one problem told twice.
 */
export function statementKey(prompt: string): string {
  return prompt.toLowerCase().replace(/\s+/g, " ").trim();
}
