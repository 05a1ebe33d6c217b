// Evaluates a spec's signals for one group: decides which signals can be opened now and for which rollouts,
// and computes the rewards. Pure; judging.ts asks the verifier.

import { type AskedQuestion, withoutSummaries } from "../asking/asked-questions.ts";
import type { ComparisonSummary } from "../asking/comparison.ts";
import type { Detail, Plan, RolloutValue, ShownTexts } from "../asking/plan.ts";
import type { Judge } from "../asking/signal.ts";
import { type Valued, valued, without } from "../asking/signal-value.ts";
import { type PreparedGroup, subgroup } from "../candidate/prepare.ts";
import { type UnreadableRule, unread } from "../signals/unreadable.ts";
import type { CompiledSignal, CompiledSpec } from "./compiled-spec.ts";
import type { GroupValues } from "./expression.ts";
import { isPayable, missingFacts } from "./facts.ts";

/** A signal that asks a verifier, opened for the rollouts for which its `when` holds. */
export interface OpenSignal {
  name: string;
  judge: Judge;
  plan: Plan;
  /** The member rollouts as a group, with the strings that the questions show. */
  group: PreparedGroup;
  /** Indices of the member rollouts in the whole group, ascending. */
  members: readonly number[];
}

/** A signal's comparison results and the rollouts that they describe. */
export interface Compared extends ComparisonSummary {
  members: readonly number[];
}

/** A question with the name of the signal that asked it. */
export interface SignalQuestion extends AskedQuestion {
  signal: string;
  /**
   * Indices of the rollouts that the shown strings come from, set if the question did not show candidates.
   */
  rollouts?: readonly number[];
}

interface Settled {
  asked: readonly AskedQuestion[];
  /** The rollouts for which `when` held. */
  members: readonly number[];
  /** One entry per member; null if the signal's kind has no details. */
  details: readonly (Detail | null)[] | null;
  compared: Compared | null;
}

/** Units of work per rollout for opening a signal. */
const STEPS_ROLLOUT = 500;

export class GroupSignals {
  readonly prepared: PreparedGroup;
  /** Questions that were asked about longer views of the group. They are charged but decide no reward. */
  earlier: readonly SignalQuestion[] = [];
  /** Rollouts whose views were rejected as too long and must be shortened in the next attempt. */
  readonly shorter = new Set<number>();
  private readonly compiled: CompiledSpec;
  private readonly step: number;
  private readonly values = new Map<string, readonly Valued[]>();
  private readonly results = new Map<string, Settled>();
  private left: readonly CompiledSignal[];

  /** @param step the request's step; 0 if the request has none and the spec needs none */
  constructor(compiled: CompiledSpec, prepared: PreparedGroup, step: number) {
    this.compiled = compiled;
    this.prepared = prepared;
    this.step = step;
    this.left = compiled.signals;
  }

  /**
   * Computes every value that needs no verifier and returns the newly opened signals that need one. Yields
   * the amount of work done, so that other requests can run in between.
   * @throws ApiError if the group lacks something that the spec needs
   */
  *advance(): Generator<number, OpenSignal[]> {
    const opened: OpenSignal[] = [];
    // Removed from the waiting signals before opening, since other signals may become ready while this one
    // opens.
    for (let ready = this.takeReady(); ready !== undefined; ready = this.takeReady()) {
      const missing = this.missing(ready);
      if (missing.length > 0) {
        this.settleWithout(ready, missing);
        continue;
      }
      const open = yield* this.opened(ready, this.membersOf(ready));
      if (open.judge !== null) opened.push({ ...open, judge: open.judge });
      else this.settle(open, []);
    }
    return opened;
  }

  /** Removes and returns the first signal whose dependencies are all settled. */
  private takeReady(): CompiledSignal | undefined {
    const ready = this.left.find(({ after }) => after.every((name) => this.values.has(name)));
    this.left = this.left.filter((waiting) => waiting !== ready);
    return ready;
  }

  /**
   * Opens the signals that still wait for a verifier's answers as if for the whole group, which gives an
   * upper bound of the questions that they may ask. Yields as `advance` does.
   */
  *waiting(): Generator<number, OpenSignal[]> {
    const opened: OpenSignal[] = [];
    for (const signal of this.left) {
      if (this.missing(signal).length > 0) continue;
      const open = yield* this.opened(signal, this.readableFor(signal));
      if (open.judge !== null) opened.push({ ...open, judge: open.judge });
    }
    return opened;
  }

  /** Computes and stores the values of an open signal, given all its questions with their answers. */
  settle(
    { name, plan, members }: Pick<OpenSignal, "name" | "plan" | "members">,
    asked: readonly AskedQuestion[],
  ): void {
    const { scores, details = null, summary } = plan.result(withoutSummaries(asked));
    const compiled = this.compiled.signals.find((other) => other.name === name) as CompiledSignal;
    const skipped = this.skippedBy(name);
    const other = (r: number) => skipped.get(r) ?? this.tooLong(compiled, r)?.value ?? valued(compiled.skip_value);
    this.values.set(name, spread(members, scores, other, this.size));
    const compared = summary === undefined ? null : { ...summary, members };
    this.results.set(name, { asked, members, details, compared });
  }

  private missing(compiled: CompiledSignal): string[] {
    const { group, beside } = this.prepared;
    return missingFacts(compiled, group, beside);
  }

  /**
   * Settles a signal for which the group lacks facts: no question is asked, and its rollouts get no value.
   */
  private settleWithout(compiled: CompiledSignal, missing: readonly string[]): void {
    const { name } = compiled;
    this.membersOf(compiled);
    const skipped = this.skippedBy(name);
    const all = this.prepared.group.rollouts.map((_, r) => r);
    const members = all.filter((r) => !skipped.has(r));
    this.values.set(
      name,
      all.map((r) => skipped.get(r) ?? without("facts_required")),
    );
    this.results.set(name, { asked: [], members, details: members.map(() => ({ missing })), compared: null });
  }

  get size(): number {
    return this.prepared.group.rollouts.length;
  }

  /** Values of all signals by name, ascending. Every signal must be settled. */
  columns(): Record<string, readonly Valued[]> {
    return Object.fromEntries(this.compiled.names.map((name) => [name, this.values.get(name) as readonly Valued[]]));
  }

  /** Values of the signals that the reward uses. */
  parts(): (readonly Valued[])[] {
    return this.compiled.reward.signals.map((name) => this.values.get(name) as readonly Valued[]);
  }

  /** Rollouts that a signal was evaluated for, ascending. */
  membersAsked(name: string): readonly number[] {
    return this.results.get(name)?.members ?? [];
  }

  /** A signal's details about a rollout, in addition to the value; null if there are none. */
  detailOf(name: string, r: number): Detail | null {
    const { details = null, members = [] } = this.results.get(name) ?? {};
    const compiled = this.compiled.signals.find((other) => other.name === name) as CompiledSignal;
    const isAsked = members.includes(r) || this.skippedBy(name).has(r);
    return isAsked ? (details?.[members.indexOf(r)] ?? null) : (this.tooLong(compiled, r)?.detail ?? null);
  }

  /** A signal's values and details for the rollouts that it was evaluated for. */
  rowsOf(name: string): RolloutValue[] {
    const { members = [] } = this.results.get(name) ?? {};
    const values = this.values.get(name) ?? [];
    return members.map((r) => ({ value: values[r] as Valued, detail: this.detailOf(name, r) }));
  }

  rewards(): readonly Valued[] {
    const { group, beside } = this.prepared;
    if (!isPayable(this.compiled, group, beside)) return group.rollouts.map(() => without("facts_required"));
    return this.compiled.reward.evaluate(this.groupValues());
  }

  /** Results of the first comparing signal by name; null if no signal compares. */
  compared(): Compared | null {
    return (
      this.compiled.names
        .map((name) => this.results.get(name)?.compared ?? null)
        .find((compared) => compared !== null) ?? null
    );
  }

  /** Marks the rollouts whose candidate jammed the judge, or was refused, in at least one signal. */
  found(what: "jams" | "refused"): boolean[] {
    const all = new Array<boolean>(this.size).fill(false);
    for (const { compared } of this.results.values()) {
      compared?.members.forEach((r, i) => {
        if (compared[what][i]) all[r] = true;
      });
    }
    return all;
  }

  /** Rollouts whose candidate was refused by the verifier of a comparing signal. */
  refusedIn(name: string): ReadonlySet<number> {
    const { members = [], compared = null } = this.results.get(name) ?? {};
    return new Set(members.filter((_, i) => compared?.refused[i] === true));
  }

  /** All asked questions, ordered by signal name. `shown` refers to the whole group's classes. */
  asked(): SignalQuestion[] {
    return this.compiled.names.flatMap((name) => {
      const { asked = [], members = [] } = this.results.get(name) ?? {};
      const { rolloutIndices } = this.shown.get(name) ?? {};
      if (rolloutIndices !== undefined) {
        // An index after the last rollout denotes the group's reference.
        const rolloutOf = (textIndex: number) => members[rolloutIndices[textIndex] as number] ?? this.size;
        return asked.map((entry) => ({ ...entry, signal: name, rollouts: entry.question.shown.map(rolloutOf) }));
      }
      const group = this.groups.get(name) ?? this.prepared;
      if (group === this.prepared) return asked.map((entry) => ({ ...entry, signal: name }));
      const classOf = group.texts.map((text) => this.prepared.texts.indexOf(text));
      const whole = (shown: readonly number[]) => shown.map((member) => classOf[member] as number);
      return asked.map((entry) => ({
        ...entry,
        signal: name,
        question: { ...entry.question, shown: whole(entry.question.shown) },
      }));
    });
  }

  private readonly groups = new Map<string, PreparedGroup>();
  private readonly shown = new Map<string, ShownTexts>();
  private readonly skips = new Map<string, ReadonlyMap<number, Valued>>();

  private skippedBy(name: string): ReadonlyMap<number, Valued> {
    return this.skips.get(name) ?? new Map();
  }

  /**
   * The readable rollouts for which `when` holds. If `when` has no value for a rollout, the signal's value is
   * missing with the same error code.
   */
  private membersOf(compiled: CompiledSignal): number[] {
    const { name, when } = compiled;
    const all = this.readableFor(compiled);
    if (when === null) return all;
    const holds = when.evaluate(this.groupValues());
    const skips = holds.flatMap(({ value, code }, r): [number, Valued][] => {
      if (value === null) return [[r, without(code)]];
      return value === 0 ? [[r, valued(compiled.skip_value)]] : [];
    });
    this.skips.set(name, new Map(skips));
    return all.filter((r) => (holds[r]?.value ?? 0) !== 0);
  }

  /** All rollouts except those that are too long for the kind. */
  private readableFor(compiled: CompiledSignal): number[] {
    return this.prepared.group.rollouts.flatMap((_, r) => (this.tooLong(compiled, r) === null ? [r] : []));
  }

  /**
   * The value of a rollout that is too long; null for any other rollout, or if the kind handles overlong
   * rollouts itself.
   */
  private tooLong({ signal, settings }: CompiledSignal, r: number): RolloutValue | null {
    if (this.prepared.tooLong[r] !== true || signal.takesTooLong?.(settings) === true) return null;
    const [lowest] = signal.range(settings, this.size);
    const failure = unread(settings as UnreadableRule, "too_long", lowest);
    return Number.isFinite(lowest) ? failure : { value: without("too_long"), detail: null };
  }

  private *opened({ name, signal, settings, judge }: CompiledSignal, members: readonly number[]) {
    yield members.length * STEPS_ROLLOUT;
    const group = subgroup(this.prepared, members);
    const { judgeable, spec } = this.compiled;
    const { step } = this;
    const found = (what: "jams" | "refused") => {
      const all = this.found(what);
      return members.map((r) => all[r] as boolean);
    };
    const context = { name, seed: spec.seed, judgeable, jams: found("jams"), refused: found("refused"), step };
    const plan = (yield* signal.opening?.(group, settings, context) ?? []) ?? signal.open(group, settings, context);
    const { shows } = plan;
    this.groups.set(name, group);
    if (shows !== undefined) this.shown.set(name, shows);
    const asked = { ...group, ...(shows !== undefined && { texts: shows.texts, keys: shows.keys }) };
    if (signal.ownTexts === true && asked.evidence !== undefined) {
      // Such a signal shows the policy's own words in full, so the shortened view of the rollout is not
      // needed.
      asked.question = asked.evidence.prompt;
      delete asked.evidence;
    }
    return { name, judge, plan, group: asked, members };
  }

  private groupValues(): GroupValues {
    const lengths = this.prepared.group.rollouts.map(({ length_tokens }) => length_tokens ?? 0);
    return { size: this.size, signals: Object.fromEntries(this.values), lengths, step: this.step };
  }
}

/** Expands the values of some rollouts to the whole group; `other` supplies the remaining values. */
export function spread<T>(
  members: readonly number[],
  values: readonly T[],
  other: (r: number) => T,
  size: number,
): T[] {
  const whole = Array.from({ length: size }, (_, r) => other(r));
  members.forEach((r, i) => {
    whole[r] = values[i] as T;
  });
  return whole;
}
