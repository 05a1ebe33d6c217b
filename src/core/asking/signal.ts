// The interface of a kind of signal: settings, range, its questions to a verifier and how its values follow
// from the answers. Kinds: ../reward/table.ts.

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
 * A field that a request must carry for a signal: of every rollout, such as `length_tokens`, or of the group,
 * written `group.reference`.
 */
export type Fact = string;

/** Fields that a kind brings into requests; a request may leave out what its spec does not need. */
interface FactFields {
  group?: Readonly<Record<string, z.ZodType>>;
  rollout?: Readonly<Record<string, z.ZodType>>;
}

/**
 * A fact of a group or a rollout as the request's schema read it; undefined when it was not sent.
 */
export const factOf = <T>(subject: object, field: string): T | undefined =>
  (subject as Record<string, unknown>)[field] as T;

/** Why a group cannot be met, by the field below the group. */
export interface GroupFault {
  path: string;
  message: string;
  /** Something is missing; else what is there does not go. */
  missing?: true;
}

/** How a verifier is asked and read: today's judge settings. */
export type Judge = Spec["judge"];

/** A plan's context besides its group and its settings. */
export interface SignalContext {
  /** The signal's name in its spec. */
  name: string;
  /** The spec's. */
  seed: number;
  /** Whether a format signal of the spec asks for judgeable candidates. */
  judgeable: boolean;
  /**
   * Per rollout: a verifier's answers fail where its candidate is shown. Known when all who ask are
   * done, else all false.
   */
  jams: readonly boolean[];
  /** Per rollout: its candidate was refused by a verifier. Known as `jams` is. */
  refused: readonly boolean[];
  /** The request's, 0 where it has none and none is needed. */
  step: number;
}

/** A signal's details of one rollout besides its value: small, for people and the run log. */
export type Detail = Readonly<Record<string, unknown>>;

/** One rollout's value with the signal's details. */
export interface RolloutValue {
  value: Valued;
  detail: Detail | null;
}

export interface PlanResult {
  /** One a rollout, in the group's order. */
  scores: readonly Valued[];
  /** One a rollout; absent where the kind has none. */
  details?: readonly (Detail | null)[];
  /** Only of a kind that compares. */
  summary?: ComparisonSummary;
}

/**
 * Questions that depend on one comparison's answers alone: they may be asked while others of their wave still
 * run.
 */
export interface Follows {
  /** Generations that a comparison comes to at most, without what is asked again. */
  maxGenerations: number;
  /** Given all that was asked about one set of candidates: what `next` would ask about it. */
  next(asked: readonly AskedQuestion[]): readonly Question[];
}

/**
 * A signal at work on one group, pure: given all that was answered so far it says what to ask next,
 * or nothing when it is done. The same answers give the same questions and the same result,
 * whatever order they came in.
 */
export interface Plan {
  /** Absent: no question depends on one comparison's answers alone. */
  follows?: Follows;
  /** It asks again by itself what could not be read, as its budget pays; else that is done for it. */
  asksAgain?: boolean;
  /** The texts that its questions show in place of the group's candidates. */
  shows?: ShownTexts;
  /**
   * Upper bound over all waves, repeated questions included, given the generations of the first
   * wave; absent: all waves but `aside` are the first.
   */
  mostOf?(first: number): number;
  /** Most generations for finding which candidate caused missing answers; absent: none. */
  maxAttributionGenerations?: number;
  next(seen: readonly AskedQuestion[]): readonly Question[];
  result(seen: readonly AskedQuestion[]): PlanResult;
}

/** Texts out of rollouts that questions show instead of candidates; none twice. */
export interface ShownTexts {
  texts: readonly string[];
  keys: readonly ContentKey[];
  /** The rollout that each is of: the first of several. */
  rolloutIndices: readonly number[];
}

/** A plan without questions. */
export const answeredAtOnce = (scores: () => readonly Valued[], details?: () => readonly (Detail | null)[]): Plan => ({
  next: () => [],
  result: () => ({ scores: scores(), ...(details !== undefined && { details: details() }) }),
});

/** A kind's `opening`, and `open` by it. */
export const inSteps = <S>(opening: NonNullable<Signal<S>["opening"]>): Pick<Signal<S>, "open" | "opening"> => ({
  opening,
  open: (...given) => drained(opening(...given)),
});

export const isRelative = (signal: Signal, settings: unknown): boolean =>
  signal.relativeWith?.(settings) ?? signal.relative;

/**
 * A kind of signal. Its one file and its line in the table are all there is of it: the spec's
 * schema, ranges, facts and the log derive from here.
 */
export interface Signal<S = unknown> {
  kind: string;
  /** Schema of its settings, besides `kind`, `when` and `skip_value`. */
  schema: z.ZodObject;
  /** Absent: it reads what every request has. */
  fields?: FactFields;
  /** The settings' canonical form, defaults filled in; absent: as the schema gives them. */
  canonical?(settings: S): S;
  /** Faults of canonical settings beyond the schema, or null. */
  fault?(settings: S): { path: readonly (string | number)[]; message: string } | null;
  /** Whether a value says something only beside those of the group. */
  relative: boolean;
  /** Where that depends on the settings. */
  relativeWith?(settings: S): boolean;
  /** It measures whether a rollout is right, by something that the policy does not write. */
  verified?: true;
  /** It measures agreement or confidence, which a policy can raise without being right. */
  label_free?: true;
  /** Warnings of settings that are valid and may not be meant, by code (docs/errors.jsonl). */
  lints?(settings: S): readonly string[];
  /** The kind of backend that answers its questions; absent: chat. */
  to?(settings: S): Question["to"];
  /** Where its questions go, of a kind that a spec gives an address. */
  address?(settings: S): string | undefined;
  /** How its questions are asked; absent or null: it has none, so it needs no GPU. */
  judge?(settings: S): Judge | null;
  /** Its questions show other texts than candidates. */
  ownTexts?: true;
  /** Whether its values follow from lengths in tokens alone, which every log holds. */
  fromLengths?(settings: S): boolean;
  /** Its values under these settings out of those under others, or null; absent: null. */
  fromLogged?(settings: S, was: S): ((value: number) => number) | null;
  /**
   * It handles a rollout whose text is too long itself; in other kinds such a rollout has the lowest value
   * and is not asked about.
   */
  takesTooLong?(settings: S): boolean;
  /** Rules whose breach is a forfeit in every tournament. */
  rules?(settings: S): readonly FormatRule[];
  /** Its own measures over all rollouts of a request that it was asked for; null: none. */
  measures?(settings: S, rows: readonly RolloutValue[]): Readonly<Record<string, number | null>> | null;
  /** It looks for an answer in each rollout, and its details name the `place` where one was read. */
  placesAnswers?: true;
  /** A warning of `specs/check` and of every reply, as a code and a sentence; null: none. */
  caution?(settings: S): string | null;
  /** Warning of the reply, or null. `unanswered`: rollouts in a row without an answer. */
  warning?(settings: S, unanswered: number): string | null;
  /**
   * Most generations of its first wave for a group of at most `most` rollouts, where its questions about some
   * of them are part of those about all, whoever else comes; else null. Absent: null.
   */
  earlyGenerations?(settings: S, maxRollouts: number): number | null;
  facts(settings: S): readonly Fact[];
  /**
   * The group's facts that are missing or do not go with the settings; absent: none.
   * @param groups all of the request; absent where it has this one alone
   */
  groupFault?(settings: S, group: object, groups?: readonly object[]): GroupFault | null;
  /** Where every value lies in groups of at most n rollouts; infinite ends allowed. */
  range(settings: S, n: number): ValueRange;
  /** Throws ApiError for a group that cannot be met. */
  open(group: PreparedGroup, settings: S, context: SignalContext): Plan;
  /** The same of a kind that takes long to open: yields the steps that it took (`turn_steps`). */
  opening?(group: PreparedGroup, settings: S, context: SignalContext): Generator<number, Plan>;
}
