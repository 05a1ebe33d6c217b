// The kind `consensus`: rewards without labels, from how far the answers agree within the group or with a
// twin group, or from the policy's certainty. Agreement can be gamed, so a spec must set a step at which the
// signal ends.

import * as z from "zod";
import { said } from "#said";
import { answeredAtOnce } from "../asking/plan.ts";
import { factOf, type Signal } from "../asking/signal.ts";
import { type Valued, valued, without } from "../asking/signal-value.ts";
import { answerClasses } from "../candidate/answers/answer-classes.ts";
import { ANSWER_TYPES } from "../candidate/answers/compare-answers.ts";
import { isOpener } from "../candidate/openers.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { anyText, someText, wholeFrom } from "../faults/bounded.ts";
import { power as raised } from "../math/elementary.ts";
import { mostFrequent, sumOf } from "../math/stats.ts";
import { rankShares } from "../math/tau-b.ts";
import { millionthsOf, ToleranceSchema } from "./reference.ts";
import { UnreadableSchema, unread } from "./unreadable.ts";

const GROUP_FIELDS = {
  twin: z
    .union([z.int().min(0), someText("id_chars")])
    .meta(said("index or group_id of the group with the paraphrased prompt, for consensus")),
};
const FIELDS = {
  answer: anyText("answer_chars")
    .nullable()
    .meta(
      said(
        "normalised final answer of the rollout; null, an empty text or words that only announce an answer: no answer was found",
      ),
    ),
  self_certainty: z
    .number()
    .meta(
      said("KL divergence of the uniform distribution from the policy's distribution, averaged over tokens, in nats"),
    ),
  token_entropy: z
    .number()
    .min(0)
    .meta(said("entropy of the policy's next-token distribution, averaged over tokens, in nats")),
};

const SCHEMA = z.strictObject({
  form: z
    .enum(["majority", "cluster_share", "co_reward", "borda", "self_certainty", "token_entropy"])
    .default("majority"),
  power: z
    .number()
    .min(0)
    .optional()
    .meta(said("for borda: the exponent p in the vote weight (N - rank + 1)^p; default 1")),
  answer_type: z.enum(ANSWER_TYPES).optional().meta(said("type that answers are parsed as; default auto")),
  tolerance: ToleranceSchema.optional(),
  unreadable: UnreadableSchema,
  label_free: z.literal(true, "must be true: consensus does not check whether an answer is right"),
  max_steps: wholeFrom(1, "step_max").meta(
    said("step from which the value is null, because training without labels eventually collapses"),
  ),
});
type ConsensusSettings = z.output<typeof SCHEMA>;

type ConsensusAnswer = string | null;
/** Settings for reading and comparing answers. */
type AnswerRules = Partial<Pick<ConsensusSettings, "answer_type" | "tolerance">>;

/** Single symbols that may be the answer itself, unlike openers, which only announce one. */
const SIGN = /^(?:[-+*/<>=%\u00b0]|[<>]=|\(\)|\[\]|\\\{\\\})$/;
const isAnswer = (text: string): boolean => SIGN.test(text) || !isOpener(text);

/**
 * Equivalence class of each answer. Answers that the rules of `reference` find equal share a key, such
 * as `1/2`, `0.5` and `\\frac{1}{2}`. An opener gets null, like a missing answer; otherwise a group that
 * only announces answers would agree with itself.
 */
const keysOf = (answers: readonly ConsensusAnswer[], { answer_type, tolerance }: AnswerRules): (string | null)[] =>
  answerClasses(
    answers.map((answer) => (answer && isAnswer(answer) ? answer : null)),
    { type: answer_type ?? "auto", tolerance: millionthsOf(tolerance ?? 0) },
  );

/**
 * 1 for rollouts with the voters' most frequent answer, 0 for all others, including those without an answer.
 * A majority is missing if the most frequent answers are tied or no voter has an answer. In TTRL (arXiv
 * 2504.16084) the group itself votes; in Co-rewarding-I (arXiv 2508.00410) its twin votes. Unlike this
 * function, both releases let the first-seen answer win a tie, and TTRL's counts an empty answer.
 */
export function majorityRewards(
  answers: readonly ConsensusAnswer[],
  rules: AnswerRules = {},
  voters: readonly ConsensusAnswer[] = answers,
): Valued[] {
  const all = keysOf([...answers, ...voters], rules);
  const [keys, known] = [all.slice(0, answers.length), all.slice(answers.length).filter((key) => key !== null)];
  const top = mostFrequent(known);
  if (top === null) return keys.map(() => without(known.length === 0 ? "no_answer" : "no_majority"));
  return keys.map((key) => valued(key === top ? 1 : 0));
}

/**
 * EMPO (arXiv 2504.05812): the share of the group that gave the same answer. A missing answer counts as
 * different from all others, so EMPO gives it 1/n; the signal gives it 0 (`ofAnswers`).
 */
export function clusterShares(answers: readonly ConsensusAnswer[], rules: AnswerRules = {}): number[] {
  const keys = keysOf(answers, rules);
  return keys.map((key) => (key === null ? 1 : keys.filter((other) => other === key).length) / keys.length);
}

/**
 * Self-certainty with Borda votes (arXiv 2502.18581, section 3.3): among N rollouts ranked by certainty,
 * most certain first, rank r casts (N - r + 1)^power votes for its answer. Returns each answer's share
 * of all votes. Equal certainties share their mean rank; a rollout without an answer casts no vote and
 * gets 0.
 */
export function bordaShares(
  answers: readonly ConsensusAnswer[],
  certainties: readonly number[],
  power = 1,
  rules: AnswerRules = {},
): number[] {
  const keys = keysOf(answers, rules);
  const places = rankShares(certainties).map((share) => share * (certainties.length - 1) + 1);
  // Relative to the largest vote cast, so that a large power neither overflows nor makes all votes underflow
  // to 0.
  const maxPlace = places.reduce((top, place, r) => (keys[r] == null ? top : Math.max(top, place)), 0);
  const votes = places.map((place) => raised(place / maxPlace, power));
  const sumVotes = (counts: (key: string) => boolean) =>
    sumOf(votes.filter((_, r) => keys[r] != null && counts(keys[r])));
  const all = sumVotes(() => true);
  return keys.map((key) => (key === null ? 0 : sumVotes((other) => other === key) / all));
}

const FACTS: Readonly<Record<ConsensusSettings["form"], readonly (keyof typeof FIELDS)[]>> = {
  majority: ["answer"],
  cluster_share: ["answer"],
  co_reward: ["answer"],
  borda: ["answer", "self_certainty"],
  self_certainty: ["self_certainty"],
  token_entropy: ["token_entropy"],
};

const READS_NONE: ReadonlySet<ConsensusSettings["form"]> = new Set(["self_certainty", "token_entropy"]);

/** The group that the given group names as its twin; undefined if the request does not contain the twin. */
function twinOf(group: object, groups: readonly object[]): object | undefined {
  const named = factOf<number | string>(group, "twin");
  const twin = groups.find((other, index) => (typeof named === "number" ? index : factOf(other, "group_id")) === named);
  return twin === group ? undefined : twin;
}

const measuredIn = ({ group }: PreparedGroup, field: keyof typeof FIELDS): number[] =>
  group.rollouts.map((rollout) => factOf<number>(rollout, field) as number);

const statedIn = (group: object): ConsensusAnswer[] =>
  (factOf<object[]>(group, "rollouts") ?? []).map((rollout) => factOf<ConsensusAnswer>(rollout, "answer") ?? null);

/**
 * Values of the forms that read answers. A rollout without an answer gets 0, even if no rollout has one; with
 * `unreadable: null` it gets no value.
 */
function ofAnswers(prepared: PreparedGroup, settings: ConsensusSettings, twin: ConsensusAnswer[]): Valued[] {
  const answers = statedIn(prepared.group);
  const found =
    settings.form === "cluster_share"
      ? clusterShares(answers, settings).map(valued)
      : settings.form === "borda"
        ? bordaShares(answers, measuredIn(prepared, "self_certainty"), settings.power, settings).map(valued)
        : majorityRewards(answers, settings, settings.form === "co_reward" ? twin : answers);
  const none = keysOf(answers, settings).map((key) => key === null);
  return found.map((value, r) => {
    const unpaid = settings.form === "cluster_share" || settings.unreadable === "null" || value.code === "no_answer";
    const isLost = none[r] === true && unpaid;
    return isLost ? unread(settings, "no_answer").value : value;
  });
}

function valuesOf(prepared: PreparedGroup, settings: ConsensusSettings): Valued[] {
  const { group, beside = [] } = prepared;
  const { form } = settings;
  if (!READS_NONE.has(form)) return ofAnswers(prepared, settings, statedIn(twinOf(group, beside) ?? {}));
  const sign = form === "self_certainty" ? 1 : -1;
  return rankShares(FACTS[form].flatMap((field) => measuredIn(prepared, field).map((value) => sign * value))).map(
    valued,
  );
}

export const consensus: Signal<ConsensusSettings> = {
  kind: "consensus",
  schema: SCHEMA,
  fields: { group: GROUP_FIELDS, rollout: FIELDS },
  canonical({ answer_type = "auto", tolerance = 0, power = 1, ...rest }) {
    return {
      ...rest,
      ...(power !== 1 && { power }),
      ...(answer_type !== "auto" && { answer_type }),
      ...(tolerance !== 0 && { tolerance }),
    };
  },
  fault({ form, ...settings }) {
    if (form !== "borda" && settings.power !== undefined)
      return { path: ["power"], message: `only borda uses power; ${form} does not` };
    const field = (["unreadable", "answer_type", "tolerance"] as const).find((name) => settings[name] !== undefined);
    return field === undefined || !READS_NONE.has(form)
      ? null
      : { path: [field], message: `has no effect with ${form}, which does not read answers` };
  },
  relative: true,
  label_free: true,
  facts: ({ form }) => [...FACTS[form], ...(form === "co_reward" ? ["group.twin"] : []), "step"],
  groupFault: ({ form }, group, groups = []) =>
    form !== "co_reward" || twinOf(group, groups) !== undefined
      ? null
      : { path: "twin", message: "must be the index or the group_id of another group of the request" },
  range: () => [0, 1],
  open(prepared, settings, { step }) {
    const { rollouts } = prepared.group;
    return answeredAtOnce(() =>
      step >= settings.max_steps ? rollouts.map(() => without("label_free_over")) : valuesOf(prepared, settings),
    );
  },
};
