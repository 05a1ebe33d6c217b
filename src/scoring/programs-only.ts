// The warning of a deployment whose verifier runs programs and judges nothing else: what to do where
// something else was to be judged.
import type { PreparedGroup } from "../core/candidate/prepare.ts";
import type { GroupResult } from "../core/contract/replies.ts";
import { presetNamed } from "../core/judges/presets/table.ts";
import type { CompiledSpec } from "../core/reward/compiled-spec.ts";
import type { Verifier } from "../ports/ports.ts";

const CODE = "programs_only: ";
const CANNOT =
  "The built-in verifier only runs programs on the prompt's examples, so it cannot judge other texts, or programs that give the same results on them.";

/** The preset to start a judge with: the spec's own, else the one that reads what was sent. */
function presetFor({ signals }: CompiledSpec, prepared: readonly PreparedGroup[]): string {
  const named = signals.find(({ judge }) => judge !== null && presetNamed(judge.prompt) !== null)?.judge?.prompt;
  const isRun = ({ group }: PreparedGroup) => group.rollouts.some(({ messages }) => messages !== undefined);
  return named ?? (prepared.some(isRun) ? "trajectory-pair" : "text-select");
}

/** What to do, without what the request's spec says already. */
function cures(compiled: CompiledSpec, prepared: readonly PreparedGroup[]): string {
  const judge = `For text, set JUDGE=${presetFor(compiled, prepared)} and VERIFIER_URL to your judge (without VERIFIER_URL it is simulated). For known answers, use the signal \`reference\`.`;
  const takesPrograms = compiled.spec.candidate.extract === "last_code_block";
  return takesPrograms ? `${judge} To judge whole answers, set candidate.extract to "whole".` : judge;
}

/**
 * Told where of some group nothing was judged: no rollout held a program, or of all that was asked
 * nothing could be said.
 * @param asks the spec looks at candidates: one that only compares answers with a reference does not
 */
export function programsOnly(
  { programs_only }: Pick<Verifier, "programs_only">,
  compiled: CompiledSpec,
  prepared: readonly PreparedGroup[],
  results: readonly GroupResult[],
  asks: boolean,
): string[] {
  const isEmpty = ({ candidates }: PreparedGroup) => candidates.every((candidate) => candidate === null);
  const isSilent = ({ verifier }: GroupResult) => verifier.unparsed > 0 && verifier.parsed === 0;
  const warns = programs_only === true && ((asks && prepared.some(isEmpty)) || results.some(isSilent));
  return warns ? [`${CODE}${CANNOT} ${cures(compiled, prepared)}`] : [];
}

/** The sentence in a reply's warnings about it; null without one. */
export const programsWarning = (warnings: readonly string[]): string | null =>
  warnings.find((warning) => warning.startsWith(CODE))?.slice(CODE.length) ?? null;
