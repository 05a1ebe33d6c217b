// Owns what a kind of signal is: settings, range, what it asks of a verifier and how its values
// come of the answers. Kinds: table.ts.
import type * as z from "zod";
import type { PreparedGroup } from "../candidate/prepare.ts";
import type { FormatRule, Spec } from "../contract/spec.ts";
import type { AskedSamples } from "../tournament/asked-samples.ts";
import type { Selection, Tally } from "../tournament/decide.ts";
import type { Ask } from "../tournament/schedule.ts";
import type { Range, Valued } from "./signal-value.ts";

/** Facts that a rollout must carry for a signal. */
export type Fact = "length_tokens";

/** One question to a verifier: an ask of a schedule, whom it goes to and in which words. */
export interface Question extends Ask {
  to: "chat";
  /** Name of the prompt's templates. */
  preset: string;
}

/** How a verifier is asked and read: today's judge settings. */
export type Judge = Spec["judge"];

/** What a plan knows besides its group and its settings. */
export interface About {
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
}

/** What comparing a group's rollouts counted, one entry a rollout. */
export interface Comparing {
  tallies: readonly Tally[];
  /** Null where there is no score. */
  wins: readonly (number | null)[];
  votes: readonly (number | null)[];
  unparsed: readonly number[];
  /** The verifier's answers fail where the candidate is shown. */
  jams: readonly boolean[];
  /** The verifier refused what showed it, by its doing: too long, or filtered. */
  refused: readonly boolean[];
  selection: Selection;
  position_flip_rate: number | null;
}

export interface PlanResult {
  /** One a rollout, in the group's order. */
  scores: readonly Valued[];
  /** Of a kind that compares. */
  summary?: Comparing;
}

/**
 * A signal at work on one group, pure: given all that was answered so far it says what to ask next,
 * or nothing when it is done. The same answers give the same questions and the same result,
 * whatever order they came in.
 */
export interface Plan {
  next(seen: readonly AskedSamples[]): readonly Question[];
  result(seen: readonly AskedSamples[]): PlanResult;
}

/** A plan that asks nobody. */
export const answeredAtOnce = (scores: () => readonly Valued[]): Plan => ({
  next: () => [],
  result: () => ({ scores: scores() }),
});

/**
 * A kind of signal. Its one file and its line in the table are all there is of it: the spec's
 * schema, ranges, facts and the log derive from here.
 */
export interface Signal<S = unknown> {
  kind: string;
  /** Of its settings, besides `kind`, `when` and `skip_value`. */
  schema: z.ZodObject;
  /** The settings' canonical form, defaults filled in; absent: as the schema gives them. */
  canonical?(settings: S): S;
  /** What the schema cannot say of settings in canonical form, or null. */
  fault?(settings: S): { path: readonly string[]; message: string } | null;
  /** Whether a value says something only beside those of the group. */
  relative: boolean;
  /** How its questions are asked; absent: it asks nobody, so it needs no GPU. */
  judge?(settings: S): Judge;
  /** Rules whose breach is a forfeit in every tournament. */
  rules?(settings: S): readonly FormatRule[];
  facts(settings: S): readonly Fact[];
  /** Where every value lies in groups of at most n rollouts; infinite ends allowed. */
  range(settings: S, n: number): Range;
  /** Throws ApiError for a group that cannot be met. */
  open(group: PreparedGroup, settings: S, about: About): Plan;
}
