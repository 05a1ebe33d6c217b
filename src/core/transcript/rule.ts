// Defaults for how much of an agent's trajectory a judge sees.

/** About 16,000 tokens of code. */
export const MAX_CHARS_DEFAULT = 65_536;

/**
 * `reasoning` is whether the policy's thoughts are shown, `result_chars` the limit per result, and
 * `total_chars` the limit for the transcript.
 */
export const TRANSCRIPT_DEFAULT = { reasoning: false, result_chars: 2_000, total_chars: MAX_CHARS_DEFAULT };
