// The kind `consensus`: rewards without labels, by what the answers of the group or of its twin have in
// common or how sure the policy is of them. It can be gamed by agreeing, so it runs out at a step.

import * as z from "zod";
import { said } from "#said";
import { answeredAtOnce, factOf, type Signal } from "../asking/signal.ts";
import { type Valued, valued, without } from "../asking/signal-value.ts";
import { answerClasses } from "../candidate/answers/answer-classes.ts";
import { ANSWER_TYPES } from "../candidate/answers/compare-answers.ts";
import { isOpener } from "../candidate/openers.ts";
import type { PreparedGroup } from "../candidate/prepare.ts";
import { anyText, someText, wholeFrom } from "../faults/bounded.ts";
import { power as raised } from "../math/elementary.ts";
import { mostFrequent, rankShares, sumOf } from "../math/stats.ts";
import { millionthsOf, ToleranceSchema } from "./reference.ts";
import { UnreadableSchema, unread } from "./unreadable.ts";

const GROUP_FIELDS = {
  twin: z
    .union([z.int().min(0), someText("id_chars")])
    .meta(said("index or group_id of the group whose prompt says the same in other words, for consensus")),
};
const FIELDS = {
  answer: anyText("answer_chars")
    .nullable()
    .meta(
      said(
        "the final answer taken out of the rollout, normalised; null, empty or words that only announce one: none was found",
      ),
    ),
  self_certainty: z
    .number()
    .meta(said("KL divergence of the uniform distribution from the policy's, mean over tokens, in nats")),
  token_entropy: z.number().min(0).meta(said("entropy of the policy's next token, mean over tokens, in nats")),
};

const SCHEMA = z.strictObject({
  form: z
    .enum(["majority", "cluster_share", "co_reward", "borda", "self_certainty", "token_entropy"])
    .default("majority"),
  power: z.number().min(0).optional().meta(said("of borda: p of the vote (N - rank + 1)^p; default 1")),
  answer_type: z.enum(ANSWER_TYPES).optional().meta(said("what answers are read as; default auto")),
  tolerance: ToleranceSchema.optional(),
  unreadable: UnreadableSchema,
  label_free: z.literal(true, "must be true: nothing here says whether an answer is right"),
  max_steps: wholeFrom(1, "step_max").meta(
    said("from this step on there is no value: training without labels collapses in the end"),
  ),
});
type ConsensusSettings = z.output<typeof SCHEMA>;

type ConsensusAnswer = string | null;
/** How answers are read and counted. */
type AnswerRules = Partial<Pick<ConsensusSettings, "answer_type" | "tolerance">>;

/** Signs that may be what was asked for, and announce nothing. */
const SIGN = /^(?:[-+*/<>=%\u00b0]|[<>]=|\(\)|\[\]|\\\{\\\})$/;
const isAnswer = (text: string): boolean => SIGN.test(text) || !isOpener(text);

/**
 * The answer as it is counted: answers that the rules of `reference` find equal are one, so `1/2`, `0.5` and
 * `\\frac{1}{2}` are. null without an answer, such as an opener, or a group that only announces answers would
 * agree with itself.
 */
const keysOf = (answers: readonly ConsensusAnswer[], { answer_type, tolerance }: AnswerRules): (string | null)[] =>
  answerClasses(
    answers.map((answer) => (answer && isAnswer(answer) ? answer : null)),
    { type: answer_type ?? "auto", tolerance: millionthsOf(tolerance ?? 0) },
  );

/**
 * 1 for the most frequent answer of the voters, else 0, no answer included. A tie at the top and
 * voters without an answer have no majority. TTRL (arXiv 2504.16084): the group itself votes;
 * Co-rewarding-I (arXiv 2508.00410): its twin. Both releases let the first seen win a tie, and
 * TTRL's an empty answer be one.
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
 * EMPO (arXiv 2504.05812): the share of the group that gave the same answer; none is like no other,
 * which EMPO pays 1/n. The signal pays it nothing (`ofAnswers`).
 */
export function clusterShares(answers: readonly ConsensusAnswer[], rules: AnswerRules = {}): number[] {
  const keys = keysOf(answers, rules);
  return keys.map((key) => (key === null ? 1 : keys.filter((other) => other === key).length) / keys.length);
}

/**
 * Self-certainty with Borda votes (arXiv 2502.18581, section 3.3): of N rollouts the one of rank r
 * by certainty, the surest first, votes (N - r + 1)^power for its answer. An answer's share of all
 * votes. Equal certainties share a rank, their mean; who gives no answer votes for none and has 0.
 */
export function bordaShares(
  answers: readonly ConsensusAnswer[],
  certainties: readonly number[],
  power = 1,
  rules: AnswerRules = {},
): number[] {
  const keys = keysOf(answers, rules);
  const places = rankShares(certainties).map((share) => share * (certainties.length - 1) + 1);
  // As shares of the largest vote that is cast, which no power makes infinite or nothing.
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

/** The group that a group names as its twin; undefined: the request does not have it. */
function twinOf(group: object, groups: readonly object[]): object | undefined {
  const named = factOf<number | string>(group, "twin");
  const twin = groups.find((other, index) => (typeof named === "number" ? index : factOf(other, "group_id")) === named);
  return twin === group ? undefined : twin;
}

const measuredIn = ({ group }: PreparedGroup, field: keyof typeof FIELDS): number[] =>
  group.rollouts.map((rollout) => factOf<number>(rollout, field) as number);

const statedIn = (group: object): ConsensusAnswer[] =>
  (factOf<object[]>(group, "rollouts") ?? []).map((rollout) => factOf<ConsensusAnswer>(rollout, "answer") ?? null);

/** A rollout without an answer has lost, also where all lack one, or by the spec's word has no value. */
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
      return { path: ["power"], message: `${form} counts no votes` };
    const field = (["unreadable", "answer_type", "tolerance"] as const).find((name) => settings[name] !== undefined);
    return field === undefined || !READS_NONE.has(form) ? null : { path: [field], message: `${form} reads no answers` };
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
