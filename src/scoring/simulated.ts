// The warning of verdicts that a stand-in made up. A stand-in signs each answer with a model's name
// that begins with `simulated`, so that the warning also comes through a gateway or a fallback.
import type { GroupResult } from "../core/contract/replies.ts";
import { backendOf, type CompiledSpec } from "../core/reward/compiled-spec.ts";
import { isSimulated } from "../core/wire/simulated-model.ts";
import type { Verifier } from "../ports/ports.ts";

const WARNING =
  "simulated: A simulator made these verdicts up, they say nothing of the texts. Set VERIFIER_URL and VERIFIER_MODEL to ask a judge.";

/** The warning where the deployment's one judge is a stand-in, whatever a request asks of it. */
export const simulatedDeployment = ({ simulated }: Pick<Verifier, "simulated">): string[] =>
  simulated === true ? [WARNING] : [];

/** The warning where a stand-in answered, or was to answer, a question of a chat judge. */
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
