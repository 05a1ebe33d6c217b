// The interface of a signal kind: its settings, range, questions to a verifier, and the values computed from
// the answers. The kinds are listed in ../reward/table.ts.

import type * as z from "zod";
import type { ContentKey } from "../candidate/classes.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import type { FormatRule, Spec } from "../contract/spec.ts";
import { drained } from "../math/drained.ts";
import type { AskedQuestion } from "./asked-questions.ts";
import type { ComparisonSummary } from "./comparison.ts";
import type { Question } from "./questions.ts";
import type { Valued, ValueRange } from "./signal-value.ts";

/**
 * Name of a field that a signal requires in requests: a rollout's field, such as `length_tokens`, or a
 * group's, written `group.reference`.
 */
export type Fact = string;

/** Request fields that a signal kind adds. A request may omit fields that its spec does not need. */
interface FactFields {
  group?: Readonly<Record<string, z.ZodType>>;
  rollout?: Readonly<Record<string, z.ZodType>>;
}

/** Reads a field of a group or rollout as parsed by the request's schema; undefined if it was not sent. */
export const factOf = <T>(subject: object, field: string): T | undefined =>
  (subject as Record<string, unknown>)[field] as T;

/** Why a group does not meet a signal's requirements. `path` is relative to the group. */
export interface GroupFault {
  path: string;
  message: string;
  /** The field is missing; otherwise its value is invalid. */
  missing?: true;
}

/** How a verifier is asked and how its answers are read: the spec's judge settings. */
export type Judge = Spec["judge"];

/** The context of a plan, in addition to its group and settings. */
export interface SignalContext {
  /** The signal's name in its spec. */
  name: string;
  /** The spec's seed. */
  seed: number;
  /** Whether a format signal of the spec requires judgeable candidates. */
  judgeable: boolean;
  /**
   * Per rollout: whether a verifier's answers fail whenever its candidate is shown. Known after all signals
   * that ask questions are done, false before.
   */
  jams: readonly boolean[];
  /** Per rollout: whether a verifier refused its candidate. Known at the same time as `jams`. */
  refused: readonly boolean[];
  /** The request's training step; 0 if the request has none and none is needed. */
  step: number;
}

/** Details of a signal about one rollout, in addition to its value: small, for people and the run log. */
export type Detail = Readonly<Record<string, unknown>>;

/** One rollout's value with the signal's details. */
export interface RolloutValue {
  value: Valued;
  detail: Detail | null;
}

export interface PlanResult {
  /** One entry per rollout, in the group's order. */
  scores: readonly Valued[];
  /** One entry per rollout; omitted if the kind has no details. */
  details?: readonly (Detail | null)[];
  /** Only for kinds that compare rollouts. */
  summary?: ComparisonSummary;
}

/**
 * Questions that depend only on the answers of one comparison, so that they can be asked while other
 * comparisons of the same wave are still running.
 */
export interface Follows {
  /** Upper bound of generations per comparison, without re-asks. */
  maxGenerations: number;
  /** The follow-up questions of `next` for one set of candidates, given everything asked about that set. */
  next(asked: readonly AskedQuestion[]): readonly Question[];
}

/**
 * A signal's work on one group, as a pure function of the answers so far: returns the next questions, or none
 * when it is done. The same answers lead to the same questions and the same result, in whatever order they
 * arrive.
 */
export interface Plan {
  /** Omitted: no question depends on the answers of a single comparison. */
  follows?: Follows;
  /** The plan itself re-asks unreadable questions within its budget; otherwise the caller does. */
  asksAgain?: boolean;
  /** Texts that the questions show instead of the group's candidates. */
  shows?: ShownTexts;
  /**
   * Upper bound of generations over all waves, re-asks included, given the generations of the first wave.
   * Omitted: every question except those that decide no comparison is in the first wave.
   */
  mostOf?(first: number): number;
  /** Upper bound of generations for finding which candidate caused missing answers; omitted: none. */
  maxAttributionGenerations?: number;
  next(seen: readonly AskedQuestion[]): readonly Question[];
  result(seen: readonly AskedQuestion[]): PlanResult;
}

/** Texts taken from rollouts that questions show instead of candidates, without duplicates. */
export interface ShownTexts {
  texts: readonly string[];
  keys: readonly ContentKey[];
  /** Index of the rollout that each text is from; the first of several. */
  rolloutIndices: readonly number[];
}

/** A plan without questions. */
export const answeredAtOnce = (scores: () => readonly Valued[], details?: () => readonly (Detail | null)[]): Plan => ({
  next: () => [],
  result: () => ({ scores: scores(), ...(details !== undefined && { details: details() }) }),
});

/** A kind's `opening`, and `open` derived from it. */
export const inSteps = <S>(opening: NonNullable<Signal<S>["opening"]>): Pick<Signal<S>, "open" | "opening"> => ({
  opening,
  open: (...given) => drained(opening(...given)),
});

export const isRelative = (signal: Signal, settings: unknown): boolean =>
  signal.relativeWith?.(settings) ?? signal.relative;

/**
 * A kind of signal. One file and one line in the table define a kind completely: the spec's schema, ranges,
 * facts and the log are derived from them.
 */
export interface Signal<S = unknown> {
  kind: string;
  /** Schema of the settings, without `kind`, `when` and `skip_value`. */
  schema: z.ZodObject;
  /** Omitted: the kind only reads fields that every request has. */
  fields?: FactFields;
  /** The settings in canonical form, with defaults; omitted: as the schema returns them. */
  canonical?(settings: S): S;
  /** A fault of the canonical settings that the schema cannot express, or null. */
  fault?(settings: S): { path: readonly (string | number)[]; message: string } | null;
  /** Whether a value is only meaningful relative to the other values of its group. */
  relative: boolean;
  /** Overrides `relative` if it depends on the settings. */
  relativeWith?(settings: S): boolean;
  /** The signal measures correctness with a source that the policy does not write. */
  verified?: true;
  /** The signal measures agreement or confidence, which a policy can raise without being correct. */
  label_free?: true;
  /** Codes of warnings about settings that are valid but may be unintended (docs/errors.jsonl). */
  lints?(settings: S): readonly string[];
  /** The kind of backend that answers the questions; omitted: chat. */
  to?(settings: S): Question["to"];
  /** The address that questions are sent to, for kinds whose spec names one. */
  address?(settings: S): string | undefined;
  /** How the questions are asked; null or omitted: the kind asks none and needs no GPU. */
  judge?(settings: S): Judge | null;
  /** The questions show other texts than the candidates. */
  ownTexts?: true;
  /** Whether the values follow from token lengths only, which every log contains. */
  fromLengths?(settings: S): boolean;
  /**
   * Converts values logged under the settings `was` into values under `settings`; null or omitted: not
   * possible.
   */
  fromLogged?(settings: S, was: S): ((value: number) => number) | null;
  /**
   * The kind handles a rollout with a too long text itself. In other kinds such a rollout gets the lowest
   * value without being asked about.
   */
  takesTooLong?(settings: S): boolean;
  /** Format rules whose violation forfeits the rollout's comparisons in every tournament. */
  rules?(settings: S): readonly FormatRule[];
  /** Additional measures over all rollouts of a request that this signal scored; null: none. */
  measures?(settings: S, rows: readonly RolloutValue[]): Readonly<Record<string, number | null>> | null;
  /** The signal looks for an answer in each rollout, and its details name the `place` where one was found. */
  placesAnswers?: true;
  /** A warning code with a sentence, for `specs/check` and for every reply; null: none. */
  caution?(settings: S): string | null;
  /** A warning for the reply, or null. `unanswered`: number of consecutive rollouts without an answer. */
  warning?(settings: S, unanswered: number): string | null;
  /**
   * Upper bound of first-wave generations for a group of at most `maxRollouts` rollouts. Null or omitted if
   * the questions about some of the rollouts may change when further rollouts arrive.
   */
  earlyGenerations?(settings: S, maxRollouts: number): number | null;
  facts(settings: S): readonly Fact[];
  /**
   * Facts of the group that are missing or conflict with the settings; omitted: no such check.
   * @param groups all groups of the request; omitted if this group is the only one
   */
  groupFault?(settings: S, group: object, groups?: readonly object[]): GroupFault | null;
  /** Range of all values in groups of at most n rollouts; infinite ends are allowed. */
  range(settings: S, n: number): ValueRange;
  /** Starts the plan of a group. Throws ApiError if the group lacks what the signal requires. */
  open(group: PreparedGroup, settings: S, context: SignalContext): Plan;
  /** The same as `open` for kinds that take long to start: yields the steps that it took (`turn_steps`). */
  opening?(group: PreparedGroup, settings: S, context: SignalContext): Generator<number, Plan>;
}
