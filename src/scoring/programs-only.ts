// Warns that a deployment's verifier only runs programs while the spec needs other judgements, and says what
// to do.
import type { PreparedGroup } from "../core/candidate/prepare.ts";
import type { GroupResult } from "../core/contract/replies.ts";
import { presetNames } from "../core/judges/presets/table.ts";
import type { CompiledSpec } from "../core/reward/compiled-spec.ts";
import type { Verifier } from "../ports/ports.ts";

const CODE = "programs_only: ";
const CANNOT =
  "The built-in verifier only runs programs on the prompt's examples, so it cannot judge other texts or distinguish programs that give the same results.";

/** The preset to suggest for a judge: the spec's, if it is built in, else one that fits the rollouts sent. */
function presetFor({ signals }: CompiledSpec, prepared: readonly PreparedGroup[]): string {
  const named = signals.find(({ judge }) => judge !== null && presetNames().includes(judge.prompt))?.judge?.prompt;
  const isRun = ({ group }: PreparedGroup) => group.rollouts.some(({ messages }) => messages !== undefined);
  return named ?? (prepared.some(isRun) ? "trajectory-pair" : "text-select");
}

/** Suggested changes, without those that the request's spec already contains. */
function cures(compiled: CompiledSpec, prepared: readonly PreparedGroup[]): string {
  const judge = `For text, set JUDGE=${presetFor(compiled, prepared)} and VERIFIER_URL to your model server (without VERIFIER_URL, verdicts are simulated). For known answers, use the signal \`reference\`.`;
  const takesPrograms = compiled.spec.candidate.extract === "last_code_block";
  return takesPrograms ? `${judge} To judge whole answers, set candidate.extract to "whole".` : judge;
}

/**
 * Warns if some group was not judged at all: no rollout held a program, or no answer was readable.
 * @param asks whether the spec looks at candidates; a spec that only compares answers with a reference does
 *   not
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

/** The sentence of this warning among a reply's warnings; null if it is missing. */
export const programsWarning = (warnings: readonly string[]): string | null =>
  warnings.find((warning) => warning.startsWith(CODE))?.slice(CODE.length) ?? null;
