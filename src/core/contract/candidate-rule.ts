// The part of a spec that says what of a rollout is judged, and how much of it.

import * as z from "zod";
import { said } from "#said";
import { bound } from "../faults/limit-advice.ts";
import { MAX_CHARS_DEFAULT, TRANSCRIPT_DEFAULT } from "../transcript/rule.ts";

const TranscriptSchema = z.strictObject({
  reasoning: z.boolean().default(TRANSCRIPT_DEFAULT.reasoning).meta(said("show the policy's thoughts")),
  result_chars: z
    .int()
    .min(1)
    .max(...bound("candidate_chars_max"))
    .default(TRANSCRIPT_DEFAULT.result_chars)
    .meta(said("of one result: its head and its tail are shown")),
  total_chars: z
    .int()
    .min(1)
    .max(...bound("candidate_chars_max"))
    .default(TRANSCRIPT_DEFAULT.total_chars)
    .meta(said("results and files share what the policy's own words leave, which are never cut")),
});
type TranscriptRule = z.output<typeof TranscriptSchema>;

/** Without what is at its default, as of every spec from before these fields existed. */
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

/** The settings of a spec besides its reward, in both of its forms. */
export const CandidateSchema = z
  .strictObject({
    extract: z.enum(["last_code_block", "after_think", "whole", "diff"]).default("last_code_block"),
    // Nothing reads it. Every canonical spec has it, so hashes and logged specs depend on it.
    strip_comments: z.literal(false).default(false).meta(said("always false")),
    max_chars: z
      .int()
      .min(1)
      .max(...bound("candidate_chars_max"))
      .optional()
      .meta(
        said(
          "UTF-16 code units; a longer candidate is never shown to the verifier and breaks the format (rule fits, always asked). Default 65536",
        ),
      ),
    transcript: TranscriptSchema.optional().meta(
      said("what is shown of a rollout of several turns under extract whole (docs/trajectories.md)"),
    ),
  })
  .transform(leanCandidate)
  .prefault({});
export type CandidateRule = Omit<z.output<typeof CandidateSchema>, "strip_comments">;

/** The longest candidate that the spec lets the verifier see, in UTF-16 code units. */
export const maxChars = ({ max_chars = MAX_CHARS_DEFAULT }: CandidateRule): number => max_chars;

/** How much of a rollout of several turns is shown. */
export const transcriptRule = ({ transcript = TRANSCRIPT_DEFAULT }: CandidateRule): TranscriptRule => transcript;
