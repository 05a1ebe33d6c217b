// Decides which spec judges bare texts: one named in the URL, one stored under the model's name, or the
// contract's own.

import { extractCandidate } from "../../../core/candidate/extract.ts";
import { SpecNameSchema } from "../../../core/contract/requests.ts";
import { DEFAULT_SPEC, type Spec } from "../../../core/contract/spec.ts";
import { ApiError } from "../../../core/faults/errors.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { nearest } from "../../../core/faults/suggestion.ts";
import { presetNames } from "../../../core/judges/presets/table.ts";
import { type AnySpec, hasSignals, type SpecSignal } from "../../../core/reward/compiled-spec.ts";
import { judgeFault } from "../../../core/tournament/judge-fault.ts";
import { type RequestScope, timedStore } from "../../../scoring/request-scope.ts";
import type { RouteDeps } from "../../door/deps.ts";
import { withOwnTemplates } from "../../door/named-templates.ts";
import { permitted, resolveSpec } from "../../door/spec-lookup.ts";
import { invalidRequest } from "../../door/validation.ts";
import type { RankingOptions } from "./ranking-options.ts";

type JudgeOptions = Pick<Spec["judge"], "budget" | "min_decided" | "schedule">;
type RequestedOptions = Pick<RankingOptions, "budget" | "schedule" | "spec">;

/**
 * The spec with its tournaments changed: the one judge of a spec without signals, else each that
 * compares.
 */
function withJudges(spec: AnySpec, change: <J extends JudgeOptions>(judge: J) => J): AnySpec {
  if (!hasSignals(spec)) return { ...spec, judge: change(spec.judge) };
  const signals = Object.entries(spec.signals).map(([name, signal]) => {
    if (signal.kind !== "tournament") return [name, signal];
    const { schedule, ...judge } = change({ ...(signal.judge as Spec["judge"]), schedule: signal.schedule as string });
    return [name, { ...signal, judge, schedule }];
  });
  return { ...spec, signals: Object.fromEntries(signals) };
}

/**
 * An order of nine documents that says of the tenth that it is missing serves its reader better
 * than an order of none: half of what was asked is enough, unless the spec says otherwise.
 */
const PART = 0.5;
const takingPart = (spec: AnySpec): AnySpec => withJudges(spec, (judge) => ({ min_decided: PART, ...judge }));

const forTexts = (spec: Spec): Spec => ({
  ...(takingPart(spec) as Spec),
  format: { ...spec.format, penalty: 0 },
});
const judging = (extract: Spec["candidate"]["extract"]): Spec =>
  forTexts({ ...DEFAULT_SPEC, candidate: { ...DEFAULT_SPEC.candidate, extract } });
const PROGRAMS = judging("last_code_block");
const TEXTS = judging("whole");
const FENCED: Spec["candidate"] = { extract: "last_code_block" };

/**
 * The default for texts without a spec: the last fenced program of each when more than half of them have one
 * (a cut one loses, with a warning), else each text whole. Otherwise the built-in `default`, without a format
 * penalty, since a relevance has no place for one; half of a text's comparisons suffice for its score.
 */
function specForTexts(texts: readonly string[]): Spec {
  const programs = texts.filter((text) => extractCandidate(text, FENCED, null).candidate !== null).length;
  return programs > texts.length / 2 ? PROGRAMS : TEXTS;
}

/**
 * The spec stored under a model's name, or null. `default` and names that no spec can have are not
 * looked for.
 * @throws ApiError `unknown_spec` for a name that is nearly a spec's, or that of a preset
 */
async function specOfModel(deps: RouteDeps, scope: RequestScope, model: string | null): Promise<AnySpec | null> {
  if (model === null || model === "default" || !SpecNameSchema.safeParse(model).success) return null;
  const stored = await storedAs(deps, scope, model);
  if (stored !== null) return withOwnTemplates(deps, scope, permitted(deps, scope, stored, "model"), "model");
  const fallback = deps.default_spec;
  // The preset of `default` may be called by its name.
  if (fallback !== undefined && !hasSignals(fallback) && fallback.judge.prompt === model) return null;
  if (presetNames().includes(model)) {
    throw unknownModel(`is a preset, not a stored spec: PUT /v1/specs/${model} stores one that is judged by it`);
  }
  const names = timedStore(deps.clock, scope, () => deps.specs.names(LIMITS.suggestion_names_max));
  const suggestion = nearest(model, ["default", ...(await names.catch(() => [])), ...presetNames()]);
  if (suggestion !== null) throw unknownModel(`is no stored spec; did you mean ${JSON.stringify(suggestion)}?`);
  return null;
}

async function storedAs(deps: RouteDeps, scope: RequestScope, name: string): Promise<AnySpec | null> {
  try {
    return await timedStore(deps.clock, scope, () => deps.specs.get(name));
  } catch (error) {
    // Without a database no spec is stored under any name; one that fails could hide a spec, so
    // that is a fault.
    if (error instanceof ApiError && error.code === "not_configured") return null;
    throw error;
  }
}

function unknownModel(why: string): ApiError {
  return new ApiError("unknown_spec", `The model's name ${why}`, { errors: [{ path: "model", message: why }] });
}

const withoutRules = (signal: SpecSignal): SpecSignal =>
  "rules" in signal ? { ...signal, rules: [], penalty: 0 } : signal;

/**
 * The candidates have been taken out of their texts by whoever asks, if not out of their fences, so
 * the spec's format and length rules have had their turn.
 */
function forGivenCandidates(spec: AnySpec, texts: readonly string[]): AnySpec {
  const { extract } = specForTexts(texts).candidate;
  const candidate = { ...spec.candidate, extract };
  if (!hasSignals(spec)) return { ...spec, candidate, format: { rules: [], penalty: 0 }, overlong: null };
  const signalEntries = Object.entries(spec.signals).map(([name, signal]) => [name, withoutRules(signal)]);
  return { ...spec, candidate, signals: Object.fromEntries(signalEntries) };
}

/**
 * The spec that the URL names, else the one stored under the model's name, for candidates that are judged
 * alone. Throws `unknown_spec`.
 */
export async function modelSpec(
  deps: RouteDeps,
  scope: RequestScope,
  named: string | undefined,
  model: string,
  texts: readonly string[],
): Promise<AnySpec> {
  const name = SpecNameSchema.safeParse(named ?? model);
  if (name.success) {
    const spec = await resolveSpec(deps, scope, name.data, named === undefined ? "model" : "spec");
    return forGivenCandidates(spec, texts);
  }
  throw new ApiError("unknown_spec", "No spec has this model's name; GET /v1/models lists those there are.", {
    errors: [{ path: "model", message: "not the name of a spec" }],
  });
}

/**
 * The spec for bare texts, with the schedule and the budget that the request names. Throws
 * `unknown_spec` when it names one that is not stored, or a model that is nearly one;
 * `store_unavailable` when it cannot be known.
 */
export async function chooseTextSpec(
  deps: RouteDeps,
  scope: RequestScope,
  asked: RequestedOptions,
  model: string | null,
  texts: readonly string[],
): Promise<AnySpec> {
  return ranking(await chosenSpec(deps, scope, asked.spec, model, texts), asked);
}

async function chosenSpec(
  deps: RouteDeps,
  scope: RequestScope,
  named: string | undefined,
  model: string | null,
  texts: readonly string[],
): Promise<AnySpec> {
  if (named !== undefined) return takingPart(await resolveSpec(deps, scope, named));
  const stored = await specOfModel(deps, scope, model);
  if (stored !== null) return takingPart(stored);
  const fallback = deps.default_spec;
  if (fallback === undefined) return specForTexts(texts);
  return hasSignals(fallback) ? takingPart(fallback) : forTexts(fallback);
}

/** @throws ApiError `invalid_request` for what the spec has no place for */
function ranking(spec: AnySpec, { schedule, budget }: RequestedOptions): AnySpec {
  const stated = { ...(schedule !== undefined && { schedule }), ...(budget !== undefined && { budget }) };
  const [field] = Object.keys(stated);
  if (field === undefined) return spec;
  const refuse = (message: string) => invalidRequest([{ path: `kritai.${field}`, message }]);
  const compares = !hasSignals(spec) || Object.values(spec.signals).some(({ kind }) => kind === "tournament");
  if (!compares) throw refuse("the spec has no signal that compares");
  return withJudges(spec, (judge) => {
    const changed = { ...judge, ...stated };
    const fault = judgeFault(changed as unknown as Spec["judge"], "win_rate");
    if (fault !== null) throw refuse(fault.message);
    return changed;
  });
}
