// Decides whether a spec follows from what another left in the log, signal by signal, and how. A signal that
// needs a verifier, a text or a fact that is not logged is refused by its name.

import { answeredAtOnce, factOf, isRelative, type Signal } from "../../asking/signal.ts";
import { type Valued, valued } from "../../asking/signal-value.ts";
import { canonicalJson, type FormatRule } from "../../contract/spec.ts";
import { ApiError } from "../../faults/errors.ts";
import { needsReference, scheduleOf } from "../../tournament/named-schedule.ts";
import { type TournamentSettings, tournament } from "../../tournament/tournament.ts";
import { type CompiledSignal, type CompiledSpec, signalsOf } from "../compiled-spec.ts";
import type { ReplayedRollout } from "./logged-group.ts";
import { replayedTournament } from "./tournament-replay.ts";

export interface ReplayPlan {
  /** The spec, every signal of which follows from a logged group, without questions. */
  compiled: CompiledSpec;
  /** Whether it needs the groups' verdicts. */
  verdicts: boolean;
  /** Signals of the logged spec whose questions showed candidates. */
  asking: ReadonlySet<string>;
}

/** A spec as it was when the log was written. */
interface LoggedSpec {
  compiled: CompiledSpec;
  /** Its judges' prompts have today the words that they had then. */
  same_prompts: boolean;
}

/** Where the values of one signal of the new spec come from. */
type ReplaySource =
  | { kind: "lengths" }
  | { kind: "values" | "verdicts"; logged: CompiledSignal; convert?: (value: number) => number }
  | { kind: "nothing"; why: string };

const refuse = (why: string): ReplaySource => ({ kind: "nothing", why });

/**
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
    throw new ApiError("needs_judging", `The log does not tell all that the spec asks for. ${names}.`, { errors });
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
  if (other === undefined) return refuse(`the run has no signal of the kind ${signal.kind} to take it from`);
  const why = circumstances(compiled, other, next, was) ?? whoElse(compiled, other, next, was.compiled);
  if (why !== null) return refuse(why);
  if (signal.kind === tournament.kind) return tournamentSource(compiled, other, next, was.compiled);
  if (same !== undefined) return { kind: "values", logged: other };
  const convert = signal.fromLogged?.(settings, other.settings) ?? null;
  if (convert !== null) return { kind: "values", logged: other, convert };
  return refuse(`its settings differ from those of the run's signal ${other.name}`);
}

const isEqual = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b);

/** Any other difference of the specs that decides a value; null without one. */
function circumstances(
  compiled: CompiledSignal,
  other: CompiledSignal,
  next: CompiledSpec,
  { compiled: was, same_prompts }: LoggedSpec,
): string | null {
  if (!isEqual(next.spec.candidate, was.spec.candidate)) return "the candidates were taken out otherwise (candidate)";
  if (compiled.judge === null) return null;
  if (next.spec.seed !== was.spec.seed) return "the run was judged under another seed";
  if (!same_prompts) return `the words of the prompt ${other.judge?.prompt} have changed since`;
  return isEqual(exclusions(next), exclusions(was)) ? null : "other format rules decide who is judged";
}

/** Rules by which a rollout that has a candidate is not judged, in order. */
function exclusions({ signals }: CompiledSpec): string[] {
  const rules = signals.flatMap(({ signal, settings }) => signal.rules?.(settings) ?? []);
  const known: readonly FormatRule[] = ["has_candidate", "judgeable", "fits"];
  return [...new Set(rules.filter((rule) => !known.includes(rule)).map(canonicalJson))].sort();
}

const whenOf = ({ spec }: CompiledSpec, { name }: CompiledSignal): string | undefined => signalsOf(spec)[name]?.when;

/** Why it was asked for other rollouts than it would be; null where it was not. */
function whoElse(
  compiled: CompiledSignal,
  other: CompiledSignal,
  next: CompiledSpec,
  was: CompiledSpec,
): string | null {
  if (whenOf(next, compiled) === whenOf(was, other)) return null;
  if (other.when !== null) return "it was asked only for the rollouts for which another `when` held";
  if (!isRelative(compiled.signal, compiled.settings)) return null;
  return "it compares the rollouts for which `when` holds with each other, and was asked for all";
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
  if (needsReference(how.schedule)) return refuse("the reference that everyone met is not logged");
  if (score === "rank" && scheduleOf(how.schedule).schedule.hasPlaces === true) {
    return refuse("the score rank goes by the schedule's order of play, which is not logged");
  }
  return { kind: "verdicts", logged: other };
}

/**
 * Refuses values that depend on a neighbour that changes: `when` over another value than then, and a format
 * that goes by verdicts which the spec no longer asks for.
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
      sources.set(name, refuse(`its rules go by the verdicts of ${lost.name}, which the spec does not have`));
    } else if (
      other.when !== null &&
      when !== null &&
      !when.signals.every((used) => isAsThen(used, next, was, sources))
    ) {
      sources.set(name, refuse("a signal that its `when` names has other values than it had"));
    }
  }
}

/** Whether a signal has the values that the one of its name had. */
function isAsThen(
  name: string,
  next: CompiledSpec,
  was: CompiledSpec,
  sources: ReadonlyMap<string, ReplaySource>,
): boolean {
  const how = sources.get(name) as ReplaySource;
  if (how.kind === "values") return how.logged.name === name && how.convert === undefined;
  const [now, then] = [next, was].map(({ spec }) => signalsOf(spec)[name]);
  return how.kind === "lengths" && then !== undefined && isEqual(now, then);
}
