// Owns the spec under which the groups of a request with `step_budget` are asked.

import type { StepBudget } from "../contract/spending.ts";
import { ApiError } from "../faults/errors.ts";
import { scheduleOf } from "../tournament/named-schedule.ts";
import type { TournamentSettings } from "../tournament/tournament.ts";
import { type AnySpec, compileSpec, hasSignals } from "./compiled-spec.ts";

const refused = (message: string) =>
  new ApiError("invalid_request", `step_budget: ${message}.`, { errors: [{ path: "step_budget", message }] });

/**
 * The spec with the step's budget, if there is one, as that of each group: none may take more than
 * all of it. So the log and `spec_hash` tell of it, and what cannot be read is asked again out of it.
 * @throws ApiError `invalid_request` unless exactly one signal asks, a tournament of a schedule that
 *   knows what an answer is worth, without a budget of its own
 */
export function withStepBudget(spec: AnySpec, step_budget: StepBudget | undefined): AnySpec {
  if (step_budget === undefined) return spec;
  const asking = compileSpec(spec, 2).signals.filter(({ judge }) => judge !== null);
  const [only] = asking;
  if (only?.signal.kind !== "tournament" || asking.length > 1)
    throw refused("needs a spec of which one signal asks a verifier, a tournament");
  const { judge, schedule } = only.settings as TournamentSettings;
  if (judge.mode !== "pairwise" || scheduleOf(schedule).schedule.worth === undefined)
    throw refused("needs the schedule active, which knows what an answer is expected to tell");
  if (judge.budget !== undefined) throw refused("takes the place of judge.budget, so a spec has one or the other");
  if (only.when !== null) throw refused(`needs every group to be asked, so signals.${only.name} must have no when`);
  const paying = { ...judge, budget: step_budget };
  const fault = only.signal.fault?.({ ...(only.settings as TournamentSettings), judge: paying }) ?? null;
  if (fault !== null) throw refused(`is a judge.budget, of which ${fault.path.join(".")} says: ${fault.message}`);
  if (!hasSignals(spec)) return { ...spec, judge: { ...spec.judge, budget: step_budget } };
  const signal = { ...spec.signals[only.name], kind: "tournament", judge: paying };
  return { ...spec, signals: { ...spec.signals, [only.name]: signal } };
}
