// Plans a replay: decides for each signal whether its values can be computed from the log of a run under
// another spec, and how. A signal that needs a verifier, or content or facts that are not logged, is rejected
// by name.

import { answeredAtOnce } from "../../asking/plan.ts";
import { factOf, isRelative, type Signal } from "../../asking/signal.ts";
import { type Valued, valued } from "../../asking/signal-value.ts";
import { canonicalJson } from "../../contract/canonical-json.ts";
import type { FormatRule } from "../../contract/spec.ts";
import { ApiError } from "../../faults/errors.ts";
import { needsReference, scheduleOf } from "../../tournament/named-schedule.ts";
import { type TournamentSettings, tournament } from "../../tournament/tournament.ts";
import type { CompiledSignal, CompiledSpec } from "../compiled-spec.ts";
import type { ReplayedRollout } from "./logged-group.ts";
import { replayedTournament } from "./tournament-replay.ts";

export interface ReplayPlan {
  /**
   * The new spec, with its signals replaced by versions that ask no questions and compute all values from a
   * logged group.
   */
  compiled: CompiledSpec;
  /** Whether the replay needs the groups' verdicts. */
  verdicts: boolean;
  /** Signals in the logged spec whose questions showed candidates. */
  asking: ReadonlySet<string>;
}

/** The spec under which a run was logged. */
interface LoggedSpec {
  compiled: CompiledSpec;
  /** Whether the wording of the judges' prompts is unchanged since the run was logged. */
  same_prompts: boolean;
}

/** Where the values of one signal in the new spec come from. */
type ReplaySource =
  | { kind: "lengths" }
  | { kind: "values" | "verdicts"; logged: CompiledSignal; convert?: (value: number) => number }
  | { kind: "nothing"; why: string };

const refuse = (why: string): ReplaySource => ({ kind: "nothing", why });

/**
 * Plans the replay of a logged run under another spec.
 * @throws ApiError `needs_judging`, naming the signals
 */
export function planReplay(next: CompiledSpec, was: LoggedSpec): ReplayPlan {
  const sources = new Map(next.signals.map((signal) => [signal.name, sourceOf(signal, next, was)]));
  if ([...sources.values()].every(({ kind }) => kind !== "nothing")) holdTogether(next, was.compiled, sources);
  const errors = next.signals.flatMap(({ name, field }) => {
    const how = sources.get(name);
    return how?.kind === "nothing" ? [{ path: `spec.${field}`, message: how.why }] : [];
  });
  if (errors.length > 0) {
    const names = errors.map(({ path, message }) => `${path}: ${message}`).join("; ");
    throw new ApiError("needs_judging", `The log lacks data that the spec needs. ${names}.`, { errors });
  }
  const compare = was.compiled.signals.filter(({ signal }) => signal.kind === tournament.kind);
  const signals = next.signals.map(
    (compiled): CompiledSignal => ({
      ...compiled,
      signal: standIn(sources.get(compiled.name) as ReplaySource, compiled.signal, compare.length === 1),
      judge: null,
    }),
  );
  const shown = was.compiled.signals.filter(({ judge, signal }) => judge !== null && signal.ownTexts !== true);
  return {
    compiled: { ...next, signals },
    verdicts: [...sources.values()].some(({ kind }) => kind === "verdicts"),
    asking: new Set(shown.map(({ name }) => name)),
  };
}

function standIn(source: ReplaySource, signal: Signal, alone: boolean): Signal {
  if (source.kind === "lengths" || source.kind === "nothing") return signal;
  const { name } = source.logged;
  if (source.kind === "verdicts") return replayedTournament(name, alone) as Signal;
  const { convert = (value: number) => value } = source;
  const ofRollout = (rollout: object): Valued => {
    const logged = factOf<ReplayedRollout["values"]>(rollout, "values")?.[name] as Valued;
    return logged.value === null ? logged : valued(convert(logged.value));
  };
  const { judge: _, opening: __, groupFault: ___, ...rest } = signal;
  return { ...rest, facts: () => [], open: ({ group }) => answeredAtOnce(() => group.rollouts.map(ofRollout)) };
}

function sourceOf(compiled: CompiledSignal, next: CompiledSpec, was: LoggedSpec): ReplaySource {
  const { signal, settings } = compiled;
  if (signal.fromLengths?.(settings) === true) return { kind: "lengths" };
  const { signals } = was.compiled;
  const alike = signals.filter((other) => other.signal.kind === signal.kind);
  const named = alike.find(({ name }) => name === compiled.name);
  const same = [named, ...alike].find((other) => other !== undefined && isEqual(other.settings, settings));
  const other = same ?? named ?? alike[0];
  if (other === undefined) return refuse(`the run has no signal of kind ${signal.kind} to replay`);
  const why = circumstances(compiled, other, next, was) ?? whoElse(compiled, other, next, was.compiled);
  if (why !== null) return refuse(why);
  if (signal.kind === tournament.kind) return tournamentSource(compiled, other, next, was.compiled);
  if (same !== undefined) return { kind: "values", logged: other };
  const convert = signal.fromLogged?.(settings, other.settings) ?? null;
  if (convert !== null) return { kind: "values", logged: other, convert };
  return refuse(`its settings differ from those of the run's signal ${other.name}`);
}

const isEqual = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

/**
 * A difference between the two specs, outside the signal itself, that changes the signal's values; null if
 * there is none.
 */
function circumstances(
  compiled: CompiledSignal,
  other: CompiledSignal,
  next: CompiledSpec,
  { compiled: was, same_prompts }: LoggedSpec,
): string | null {
  if (!isEqual(next.spec.candidate, was.spec.candidate))
    return "the candidates were extracted with different settings (`candidate`)";
  if (compiled.judge === null) return null;
  if (next.spec.seed !== was.spec.seed) return "the run was judged with another seed";
  if (!same_prompts) return `the text of the prompt ${other.judge?.prompt} has changed since the run`;
  return isEqual(exclusions(next), exclusions(was))
    ? null
    : "the format rules that decide which rollouts are judged differ";
}

/** Sorted rules that exclude a rollout from judging even if it has a candidate. */
function exclusions({ signals }: CompiledSpec): string[] {
  const rules = signals.flatMap(({ signal, settings }) => signal.rules?.(settings) ?? []);
  const known: readonly FormatRule[] = ["has_candidate", "judgeable", "fits"];
  return [...new Set(rules.filter((rule) => !known.includes(rule)).map(canonicalJson))].sort();
}

const whenOf = ({ spec }: CompiledSpec, { name }: CompiledSignal): string | undefined => spec.signals[name]?.when;

/**
 * The reason why the logged signal was evaluated for a different set of rollouts; null if the sets are the
 * same.
 */
function whoElse(
  compiled: CompiledSignal,
  other: CompiledSignal,
  next: CompiledSpec,
  was: CompiledSpec,
): string | null {
  if (whenOf(next, compiled) === whenOf(was, other)) return null;
  if (other.when !== null) return "the run evaluated it only for rollouts that matched a different `when`";
  if (!isRelative(compiled.signal, compiled.settings)) return null;
  return "it compares rollouts that match `when` with each other, but the run compared all rollouts";
}

function tournamentSource(
  compiled: CompiledSignal,
  other: CompiledSignal,
  next: CompiledSpec,
  was: CompiledSpec,
): ReplaySource {
  const { score, ...how } = compiled.settings as TournamentSettings;
  const { score: before, ...then } = other.settings as TournamentSettings;
  if (!isEqual(how, then)) return refuse(`its judge or schedule differs from that of the run's signal ${other.name}`);
  if (score === before && next.judgeable === was.judgeable) return { kind: "values", logged: other };
  if (needsReference(how.schedule)) return refuse("the reference that candidates were compared with is not logged");
  if (score === "rank" && scheduleOf(how.schedule).schedule.hasPlaces === true) {
    return refuse("the score rank depends on the schedule's order of comparisons, which is not logged");
  }
  return { kind: "verdicts", logged: other };
}

/**
 * Rejects signals whose logged values depend on another signal that has changed: a `when` over values that
 * differ from the logged ones, or a format rule based on verdicts of a signal that the new spec drops.
 */
function holdTogether(next: CompiledSpec, was: CompiledSpec, sources: Map<string, ReplaySource>): void {
  const keptNames = new Set([...sources.values()].flatMap((how) => ("logged" in how ? how.logged.name : [])));
  const lost = was.signals.find(({ judge, name }) => judge !== null && !keptNames.has(name));
  for (const { name, signal, settings, when } of next.signals) {
    const how = sources.get(name) as ReplaySource;
    if (!("logged" in how)) continue;
    const { logged: other } = how;
    const rules = signal.rules?.(settings) ?? [];
    if (lost !== undefined && (rules.includes("judgeable") || rules.includes("fits"))) {
      sources.set(name, refuse(`its rules depend on the verdicts of ${lost.name}, which is not in the spec`));
    } else if (
      other.when !== null &&
      when !== null &&
      !when.signals.every((used) => isAsThen(used, next, was, sources))
    ) {
      sources.set(name, refuse("the values of a signal in its `when` have changed since the run"));
    }
  }
}

/** Whether a signal has the same values as the logged signal with the same name. */
function isAsThen(
  name: string,
  next: CompiledSpec,
  was: CompiledSpec,
  sources: ReadonlyMap<string, ReplaySource>,
): boolean {
  const how = sources.get(name) as ReplaySource;
  if (how.kind === "values") return how.logged.name === name && how.convert === undefined;
  const [now, then] = [next, was].map(({ spec }) => spec.signals[name]);
  return how.kind === "lengths" && then !== undefined && isEqual(now, then);
}
