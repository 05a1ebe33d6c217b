// Defaults for how much of an agent's trajectory a judge is shown.

/** About 16,000 tokens of code. */
export const MAX_CHARS_DEFAULT = 65_536;

/**
 * `reasoning`: show the policy's thoughts; `result_chars`: limit per result; `total_chars`: limit for the
 * transcript.
 */
export const TRANSCRIPT_DEFAULT = { reasoning: false, result_chars: 2_000, total_chars: MAX_CHARS_DEFAULT };
