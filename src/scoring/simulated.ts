// Warns about verdicts that a simulator made up. A simulator's model name begins with `simulated`, so it is
// recognized even through a gateway or as a fallback.
import type { GroupResult } from "../core/contract/group-reply.ts";
import type { CompiledSpec } from "../core/reward/compiled-spec.ts";
import { backendOf } from "../core/reward/spec-judges.ts";
import { isSimulated } from "../core/wire/simulated-model.ts";
import type { Verifier } from "../ports/ports.ts";

const WARNING =
  "simulated: A simulator generated these verdicts, and they say nothing about the texts. Set VERIFIER_URL and VERIFIER_MODEL to use a judge.";

/** The warning to add to every reply if the deployment's only judge is a simulator. */
export const simulatedDeployment = ({ simulated }: Pick<Verifier, "simulated">): string[] =>
  simulated === true ? [WARNING] : [];

/** The warning to add to a reply if a simulator answered, or would have answered, a chat judge's question. */
export function simulatedVerdicts(
  verifier: Pick<Verifier, "simulated">,
  { signals }: CompiledSpec,
  results: readonly GroupResult[],
): string[] {
  const asksChat = () =>
    signals.some(({ judge, signal, settings }) => judge && ["chat", "decide"].includes(backendOf(signal, settings)));
  const answered = results.some(({ verifier: { models } }) => models.some(isSimulated));
  return answered || (verifier.simulated === true && asksChat()) ? [WARNING] : [];
}
