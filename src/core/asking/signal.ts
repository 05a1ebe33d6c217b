// The interface of a signal kind: its settings, range, questions to a verifier, and the values computed from
// the answers. The kinds are listed in ../reward/table.ts.
import type * as z from "zod";
import type { PreparedGroup } from "../candidate/prepare.ts";
import type { JudgeSettings } from "../contract/judge-settings.ts";
import type { FormatRule } from "../contract/spec.ts";
import { drained } from "../math/drained.ts";
import type { Plan, RolloutValue } from "./plan.ts";
import type { Question } from "./questions.ts";
import type { ValueRange } from "./signal-value.ts";

/**
 * Name of a request field that a signal requires: a rollout field such as `length_tokens`, or a group field,
 * which has the prefix `group.` (`group.reference`).
 */
export type Fact = string;

/** Request fields that a signal kind adds. A request may omit fields that its spec does not need. */
interface FactFields {
  group?: Readonly<Record<string, z.ZodType>>;
  rollout?: Readonly<Record<string, z.ZodType>>;
}

/**
 * Reads a field of a group or rollout that the request schema has parsed; undefined if the field was not
 * sent.
 */
export const factOf = <T>(subject: object, field: string): T | undefined =>
  (subject as Record<string, unknown>)[field] as T;

/** The reason why a group does not meet a signal's requirements. `path` is relative to the group. */
export interface GroupFault {
  path: string;
  message: string;
  /** True if the field is missing; omitted if its value is invalid. */
  missing?: true;
}

/** The spec's judge settings: how the verifier is asked and how its answers are read. */
export type Judge = JudgeSettings;

/** Context for a signal's plan, in addition to the group and the signal's settings. */
export interface SignalContext {
  /** The signal's name in its spec. */
  name: string;
  /** The spec's seed. */
  seed: number;
  /** Whether a format signal in the spec requires candidates that the judge can read (rule `judgeable`). */
  judgeable: boolean;
  /**
   * Per rollout: whether the verifier's answers fail whenever the rollout's candidate is shown. Complete only
   * once every signal that asks questions is done.
   */
  jams: readonly boolean[];
  /**
   * Per rollout: whether a verifier refused its candidate. Complete only once every signal that asks
   * questions is done.
   */
  refused: readonly boolean[];
  /** The request's training step; 0 if the request has none and the spec needs none. */
  step: number;
}

/** Derives a kind's `open` from its `opening`. */
export const inSteps = <S>(opening: NonNullable<Signal<S>["opening"]>): Pick<Signal<S>, "open" | "opening"> => ({
  opening,
  open: (...given) => drained(opening(...given)),
});

export const isRelative = (signal: Signal, settings: unknown): boolean =>
  signal.relativeWith?.(settings) ?? signal.relative;

/**
 * A kind of signal. A kind is defined completely by one file and one line in the table, from which the spec's
 * schema, ranges, facts and the log are derived.
 */
export interface Signal<S = unknown> {
  kind: string;
  /** Schema of the settings, without `kind`, `when` and `skip_value`. */
  schema: z.ZodObject;
  /** Omitted if the kind only reads fields that every request has. */
  fields?: FactFields;
  /**
   * Returns the settings in canonical form, with defaults filled in; omitted if the schema's output is
   * canonical.
   */
  canonical?(settings: S): S;
  /** An error in the canonical settings that the schema cannot express, or null. */
  fault?(settings: S): { path: readonly (string | number)[]; message: string } | null;
  /** Whether a value is meaningful only relative to the other values of its group. */
  relative: boolean;
  /** Overrides `relative` for kinds in which it depends on the settings. */
  relativeWith?(settings: S): boolean;
  /** True if the signal measures correctness against a source that the policy does not write. */
  verified?: true;
  /** True if the signal measures agreement or confidence, which a policy can raise without being correct. */
  label_free?: true;
  /** Codes of warnings about settings that are valid but may be unintended (docs/errors.jsonl). */
  lints?(settings: S): readonly string[];
  /** The kind of backend that answers the questions; default: chat. */
  to?(settings: S): Question["to"];
  /** The address that questions are sent to, for kinds whose spec names one. */
  address?(settings: S): string | undefined;
  /** How the questions are asked; null or omitted if the kind asks no questions and needs no GPU. */
  judge?(settings: S): Judge | null;
  /** True if the questions show other strings than the candidates. */
  ownTexts?: true;
  /** Whether the values can be computed from token lengths alone, which every log contains. */
  fromLengths?(settings: S): boolean;
  /**
   * Returns a function that converts values logged under the settings `was` into values under `settings`;
   * null or omitted if no conversion exists.
   */
  fromLogged?(settings: S, was: S): ((value: number) => number) | null;
  /**
   * True if the kind handles a rollout with an overlong candidate itself. In other kinds, an overlong rollout
   * gets the lowest value without a question.
   */
  takesTooLong?(settings: S): boolean;
  /** Format rules whose violation forfeits the rollout's comparisons in every tournament. */
  rules?(settings: S): readonly FormatRule[];
  /** Additional measures over all rollouts of a request that this signal scored, or null. */
  measures?(settings: S, rows: readonly RolloutValue[]): Readonly<Record<string, number | null>> | null;
  /**
   * True if the signal looks for an answer in each rollout and reports in its details the `place` where it
   * was found.
   */
  placesAnswers?: true;
  /** A warning code with a sentence, for `specs/check` and for every reply, or null. */
  caution?(settings: S): string | null;
  /** A warning for the reply, or null. `unanswered`: number of consecutive rollouts without an answer. */
  warning?(settings: S, unanswered: number): string | null;
  /**
   * Upper bound of the first generations that can be asked before the group is complete, for a group of at
   * most `maxRollouts` rollouts. Null or omitted if questions about some rollouts may change when further
   * rollouts arrive.
   */
  earlyGenerations?(settings: S, maxRollouts: number): number | null;
  facts(settings: S): readonly Fact[];
  /**
   * Checks the group's facts: returns the first one that is missing or conflicts with the settings. Omitted
   * if the kind needs no such check.
   * @param groups all groups of the request; omitted if this group is the only one
   */
  groupFault?(settings: S, group: object, groups?: readonly object[]): GroupFault | null;
  /** Range of all values in groups of at most n rollouts; infinite ends are allowed. */
  range(settings: S, n: number): ValueRange;
  /** Starts a group's plan. Throws ApiError if the group lacks what the signal requires. */
  open(group: PreparedGroup, settings: S, context: SignalContext): Plan;
  /**
   * The same as `open`, for kinds that take long to start: yields the amount of work done, so that long
   * computations give way to other requests.
   */
  opening?(group: PreparedGroup, settings: S, context: SignalContext): Generator<number, Plan>;
}
