// The candidate section of a spec: which part of a rollout is judged, and how much of it is shown.

import * as z from "zod";
import { said } from "#said";
import { bound } from "../faults/limit-advice.ts";
import { MAX_CHARS_DEFAULT, TRANSCRIPT_DEFAULT } from "../transcript/rule.ts";

const TranscriptSchema = z.strictObject({
  reasoning: z
    .boolean()
    .default(TRANSCRIPT_DEFAULT.reasoning)
    .meta(said("whether the verifier sees the policy's thoughts")),
  result_chars: z
    .int()
    .min(1)
    .max(...bound("candidate_chars_max"))
    .default(TRANSCRIPT_DEFAULT.result_chars)
    .meta(said("maximum number of characters per tool result; a longer result keeps its head and tail")),
  total_chars: z
    .int()
    .min(1)
    .max(...bound("candidate_chars_max"))
    .default(TRANSCRIPT_DEFAULT.total_chars)
    .meta(
      said(
        "maximum number of characters of the transcript; the policy's own words are never cut, and tool results and files share the rest",
      ),
    ),
});
type TranscriptRule = z.output<typeof TranscriptSchema>;

/**
 * Drops fields that have their default value, so that specs from before these fields existed keep their hash.
 */
function leanCandidate<T extends { max_chars?: number | undefined; transcript?: TranscriptRule | undefined }>({
  max_chars,
  transcript,
  ...rest
}: T) {
  return {
    ...rest,
    ...(max_chars !== undefined && max_chars !== MAX_CHARS_DEFAULT && { max_chars }),
    ...(transcript !== undefined &&
      JSON.stringify(transcript) !== JSON.stringify(TRANSCRIPT_DEFAULT) && { transcript }),
  };
}

/** The `candidate` settings, which both forms of a spec share. */
export const CandidateSchema = z
  .strictObject({
    extract: z.enum(["last_code_block", "after_think", "whole", "diff"]).default("last_code_block"),
    // Has no effect, but canonical specs contain the field, so removing it would change hashes and logged
    // specs.
    strip_comments: z.literal(false).default(false).meta(said("always false")),
    max_chars: z
      .int()
      .min(1)
      .max(...bound("candidate_chars_max"))
      .optional()
      .meta(
        said(
          "maximum length in UTF-16 code units; a longer candidate is never shown to the verifier and breaks the format (rule `fits`, which always applies). Default: 65536",
        ),
      ),
    transcript: TranscriptSchema.optional().meta(
      said("how much of a multi-turn rollout is shown under `extract: whole` (docs/trajectories.md)"),
    ),
  })
  .transform(leanCandidate)
  .prefault({});
export type CandidateRule = Omit<z.output<typeof CandidateSchema>, "strip_comments">;

/** Maximum length of a candidate that is shown to the verifier, in UTF-16 code units. */
export const maxChars = ({ max_chars = MAX_CHARS_DEFAULT }: CandidateRule): number => max_chars;

/** The limits that apply when a multi-turn rollout is shown. */
export const transcriptRule = ({ transcript = TRANSCRIPT_DEFAULT }: CandidateRule): TranscriptRule => transcript;
