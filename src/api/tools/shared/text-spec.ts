// Chooses the spec for requests that contain only strings to be compared or scored: the spec named in the
// URL, the spec stored under the model's name, or the default.

import { extractCandidate } from "../../../core/candidate/extract.ts";
import type { CandidateRule } from "../../../core/contract/candidate-rule.ts";
import type { JudgeSettings } from "../../../core/contract/judge-settings.ts";
import { isDecision } from "../../../core/contract/prompt-name.ts";
import { SpecNameSchema } from "../../../core/contract/request-fields.ts";
import { ApiError } from "../../../core/faults/errors.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { nearest } from "../../../core/faults/suggestion.ts";
import { listLimitOf, presetNames } from "../../../core/judges/presets/table.ts";
import { BUILT_IN_DEFAULT, specOfJudge } from "../../../core/reward/default-spec.ts";
import { type Spec, withSignals } from "../../../core/reward/spec.ts";
import { formOf } from "../../../core/reward/spec-forms.ts";
import { judgesIn } from "../../../core/reward/spec-judges.ts";
import { judgeFault } from "../../../core/tournament/judge-fault.ts";
import { scheduleOf } from "../../../core/tournament/named-schedule.ts";
import { type RequestScope, timedStore } from "../../../scoring/request-scope.ts";
import type { AppDeps } from "../../door/deps.ts";
import { withOwnTemplates } from "../../door/named-templates.ts";
import { permitted, resolveSpec } from "../../door/spec-lookup.ts";
import { invalidRequest } from "../../door/validation.ts";
import type { RankingOptions } from "./ranking-options.ts";

type JudgeOptions = Pick<JudgeSettings, "budget" | "min_decided" | "schedule">;
type RequestedOptions = Pick<RankingOptions, "budget" | "schedule" | "spec">;

/** Applies a change to the judges of a spec's tournaments. */
function withJudges(spec: Spec, change: <J extends JudgeOptions>(judge: J) => J): Spec {
  return withSignals(spec, (signal) => {
    if (signal.kind !== "tournament") return signal;
    const { schedule, ...judge } = change({ ...(signal.judge as JudgeSettings), schedule: signal.schedule as string });
    return { ...signal, judge, schedule };
  });
}

/**
 * Default for `min_decided`: half of a document's comparisons are enough, because a ranking of nine documents
 * that reports the tenth as missing is more useful than no ranking.
 */
const PART = 0.5;
const takingPart = (spec: Spec): Spec => withJudges(spec, (judge) => ({ min_decided: PART, ...judge }));

/** The spec for documents: without a format penalty, which a relevance score cannot express. */
const forTexts = (spec: Spec): Spec =>
  withSignals(takingPart(spec), (signal) => (signal.kind === "format" ? { ...signal, penalty: 0 } : signal));
const judging = (extract: CandidateRule["extract"]): Spec =>
  forTexts({ ...BUILT_IN_DEFAULT, candidate: { ...BUILT_IN_DEFAULT.candidate, extract } });
const PROGRAMS = judging("last_code_block");
const TEXTS = judging("whole");
const FENCED: CandidateRule = { extract: "last_code_block" };

/**
 * The default spec for documents. If more than half of them contain a fenced code block, only the last block
 * of each document is judged (truncated ones lose, with a warning), otherwise the whole document. Unlike the
 * built-in `default`, has no format penalty, and accepts documents with half of their comparisons decided.
 */
function specForTexts(texts: readonly string[]): Spec {
  const programs = texts.filter((text) => extractCandidate(text, FENCED, null).candidate !== null).length;
  return programs > texts.length / 2 ? PROGRAMS : TEXTS;
}

/**
 * The default spec for documents that a decision model ranks: one question about all of them if they fit into
 * a list, otherwise pairs. A requested schedule decides for itself.
 */
function decisionSpec(schedule: RankingOptions["schedule"], count: number): Spec {
  const fits = count <= LIMITS[listLimitOf("decide-best")];
  const mode = schedule === undefined ? (fits ? "listwise" : "pairwise") : scheduleOf(schedule).schedule.mode;
  return forTexts(specOfJudge(mode === "listwise" ? "decide-best" : "decide-pair"));
}

/**
 * The spec stored under a model's name, or null. `default` and invalid spec names are not looked up.
 * @throws ApiError `unknown_spec` for the name of a preset, or a name similar to that of a stored spec
 */
async function specOfModel(deps: AppDeps, scope: RequestScope, model: string | null): Promise<Spec | null> {
  if (model === null || model === "default" || !SpecNameSchema.safeParse(model).success) return null;
  const stored = await storedAs(deps, scope, model);
  if (stored !== null) return withOwnTemplates(deps, scope, permitted(deps, scope, stored, "model"), "model");
  const fallback = deps.default_spec;
  // As a model, the name of the default spec's preset means the default spec.
  if (fallback !== null && judgesIn(fallback).some(({ judge }) => judge.prompt === model)) return null;
  if (presetNames().includes(model)) {
    throw unknownModel(`is a preset, not a stored spec: PUT /v1/specs/${model} stores a spec that uses it`);
  }
  const names = timedStore(deps.clock, scope, () => deps.specs.names(LIMITS.suggestion_names_max));
  const suggestion = nearest(model, ["default", ...(await names.catch(() => [])), ...presetNames()]);
  if (suggestion !== null) throw unknownModel(`is not a stored spec; did you mean ${JSON.stringify(suggestion)}?`);
  return null;
}

async function storedAs(deps: AppDeps, scope: RequestScope, name: string): Promise<Spec | null> {
  try {
    return await timedStore(deps.clock, scope, () => deps.specs.get(name));
  } catch (error) {
    // Without a database, specs cannot be stored. A database failure is an error, because a spec with this
    // name may exist.
    if (error instanceof ApiError && error.code === "not_configured") return null;
    throw error;
  }
}

function unknownModel(why: string): ApiError {
  return new ApiError("unknown_spec", `The model's name ${why}`, { errors: [{ path: "model", message: why }] });
}

/**
 * Adapts a spec to candidates that the client has already extracted (code fences may remain). Removes format
 * and length rules, because they apply to the original answers.
 */
function forGivenCandidates(spec: Spec, texts: readonly string[]): Spec {
  const { extract } = specForTexts(texts).candidate;
  return { ...formOf(spec).withoutRules(spec), candidate: { ...spec.candidate, extract } };
}

/**
 * The spec for candidates that are judged one by one: the spec named in the URL, or stored under the model's
 * name. Throws `unknown_spec`.
 */
export async function modelSpec(
  deps: AppDeps,
  scope: RequestScope,
  named: string | undefined,
  model: string,
  texts: readonly string[],
): Promise<Spec> {
  const name = SpecNameSchema.safeParse(named ?? model);
  if (name.success) {
    const spec = await resolveSpec(deps, scope, name.data, named === undefined ? "model" : "spec");
    return forGivenCandidates(spec, texts);
  }
  throw new ApiError("unknown_spec", "No spec has this model's name; GET /v1/models lists the specs.", {
    errors: [{ path: "model", message: "not the name of a spec" }],
  });
}

/**
 * The spec for a request's documents, with the request's schedule and budget.
 * @throws ApiError `unknown_spec` if the named spec is not stored or the model's name is similar to that of a
 *   stored spec; `store_unavailable` if the database fails
 */
export async function chooseTextSpec(
  deps: AppDeps,
  scope: RequestScope,
  asked: RequestedOptions,
  model: string | null,
  texts: readonly string[],
): Promise<Spec> {
  return ranking(await chosenSpec(deps, scope, asked, model, texts), asked);
}

async function chosenSpec(
  deps: AppDeps,
  scope: RequestScope,
  { spec: named, schedule }: RequestedOptions,
  model: string | null,
  texts: readonly string[],
): Promise<Spec> {
  if (named !== undefined) return takingPart(await resolveSpec(deps, scope, named));
  const stored = await specOfModel(deps, scope, model);
  if (stored !== null) return takingPart(stored);
  const fallback = deps.default_spec;
  if (fallback === null) return specForTexts(texts);
  const decides = judgesIn(fallback).some(
    ({ judge, signal }) => signal?.kind.kind === "tournament" && isDecision(judge.prompt),
  );
  return decides ? decisionSpec(schedule, texts.length) : forTexts(fallback);
}

/**
 * Applies the request's schedule and budget to the spec.
 * @throws ApiError `invalid_request` if the spec does not support them
 */
function ranking(spec: Spec, { schedule, budget }: RequestedOptions): Spec {
  const stated = { ...(schedule !== undefined && { schedule }), ...(budget !== undefined && { budget }) };
  const [field] = Object.keys(stated);
  if (field === undefined) return spec;
  const refuse = (message: string, path = field) => invalidRequest([{ path: `kritai.${path}`, message }]);
  const compares = Object.values(spec.signals).some(({ kind }) => kind === "tournament");
  if (!compares) throw refuse("the spec has no signal that compares");
  return withJudges(spec, (judge) => {
    const changed = { ...judge, ...stated };
    const fault = judgeFault(changed as unknown as JudgeSettings, "win_rate");
    if (fault !== null) throw refuse(fault.message, fault.path[0] === "schedule" ? fault.path.join(".") : field);
    return changed;
  });
}
