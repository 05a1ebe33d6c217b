// How much a judge is shown of an agent's run, where a spec does not say.

/** Some 16,000 tokens of code. */
export const MAX_CHARS_DEFAULT = 65_536;

/** `reasoning`: the policy's thoughts; `result_chars`: of one result; `total_chars`: of all. */
export const TRANSCRIPT_DEFAULT = { reasoning: false, result_chars: 2_000, total_chars: MAX_CHARS_DEFAULT };
