// Warns if a deployment's verifier can only run programs but the spec needs other judgements, and suggests
// what to change.
import type { PreparedGroup } from "../core/candidate/prepare.ts";
import type { GroupResult } from "../core/contract/group-reply.ts";
import { presetNames } from "../core/judges/presets/table.ts";
import type { CompiledSpec } from "../core/reward/compiled-spec.ts";
import type { Verifier } from "../ports/ports.ts";

const CODE = "programs_only: ";
const CANNOT =
  "The built-in verifier only runs programs on the prompt's examples, so it cannot judge other texts or distinguish programs that give the same results.";

/** The preset to suggest: the spec's preset if it is built in, otherwise one that fits the rollouts. */
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
 * Warns if a group was not judged at all: no rollout contained a program, or no verdict was readable.
 * @param asks whether the spec judges candidates; false for a spec that only compares answers with a
 *   reference
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

/** Finds the `programsOnly` warning in a reply and returns it without its code; null if there is none. */
export const programsWarning = (warnings: readonly string[]): string | null =>
  warnings.find((warning) => warning.startsWith(CODE))?.slice(CODE.length) ?? null;
