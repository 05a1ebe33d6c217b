// Owns the warning of a deployment whose verifier runs programs and judges nothing else: what to do
// where something else was to be judged. Knows no contract.
import type { PreparedGroup } from "../core/candidate/prepare.ts";
import type { GroupResult } from "../core/contract/replies.ts";
import type { Verifier } from "../ports/ports.ts";

const CODE = "programs_only: ";
const WORDS =
  'The embedded verifier runs programs on the examples in the prompt, and cannot judge anything else, nor programs that these do not tell apart. For other texts `JUDGE=text-select npm start` simulates a judge and VERIFIER_URL asks a real one; answers that are known need none, but the signal `reference`. A spec takes texts as they are by candidate.extract "whole", or by a preset.';

/**
 * Told where of some group nothing was judged: no rollout held a program, or of all that was asked
 * nothing could be said.
 * @param asks the spec looks at candidates: one that only compares answers with a reference does not
 */
export function programsOnly(
  { programs_only }: Pick<Verifier, "programs_only">,
  prepared: readonly PreparedGroup[],
  results: readonly GroupResult[],
  asks: boolean,
): string[] {
  const isEmpty = ({ candidates }: PreparedGroup) => candidates.every((candidate) => candidate === null);
  const isSilent = ({ verifier }: GroupResult) => verifier.unparsed > 0 && verifier.parsed === 0;
  const warns = programs_only === true && ((asks && prepared.some(isEmpty)) || results.some(isSilent));
  return warns ? [CODE + WORDS] : [];
}

/** What a reply's warnings say of it, as a sentence; null where they do not. */
export const programsWarning = (warnings: readonly string[]): string | null =>
  warnings.find((warning) => warning.startsWith(CODE))?.slice(CODE.length) ?? null;
