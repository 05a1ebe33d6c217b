// Handlers for contracts whose requests carry samples instead of groups: parse samples, gather groups, judge
// them, and reply in the contract's format.
import type * as z from "zod";
import type { GroupResult } from "../../../core/contract/replies.ts";
import type { CompiledSpec } from "../../../core/reward/compiled-spec.ts";
import type { GatheredReward } from "../../../objects/gathering/gathering.ts";
import { sha256Hex } from "../../../platform/sha256.ts";
import { rewardCounts } from "../../../scoring/reward-counts.ts";
import { shownBody, unshownIn, unsupported, warnOf, withoutAnswer } from "../../content/shown-body.ts";
import { readJsonBody } from "../../door/body.ts";
import type { RouteDeps } from "../../door/deps.ts";
import type { AppContext } from "../../door/scope.ts";
import { jsonReply, slowJson, sparingStatus, warningHeaders } from "../../door/slow-json.ts";
import { type BodyFields, objectBody } from "../../door/validation.ts";
import type { Contract, ContractRoute } from "./contract.ts";
import { contractDeadline } from "./deadlines.ts";
import { type FactualSample, factualSamples, gather, type Returning, type Sample } from "./gathered.ts";
import { beginJudging } from "./judging.ts";
import { type SampleOptions, sampleOptions } from "./options.ts";
import { regroup } from "./regrouping.ts";
import type { JudgedSample } from "./sample-score.ts";
import { statedGroup } from "./stated-facts.ts";

interface Dialect extends Returning {
  /** The rollouts' field, for errors. */
  field: string;
  /** Schema of the reply. */
  reply: z.core.$ZodType;
}

/** A contract whose requests carry one sample. */
interface SampleDialect extends Dialect {
  /** Parses a body. Throws ApiError if the body is invalid. */
  read(body: BodyFields): Sample;
  /**
   * Builds the reply's JSON. Throws `Unjudged` if the reward is missing and the format cannot express that.
   */
  toReply(sample: JudgedSample, body: BodyFields, options: SampleOptions): unknown;
}

/** A contract whose requests carry a list of samples, answered in the same order. */
interface ListDialect extends Dialect {
  read(body: BodyFields): Sample[];
  toReply(samples: readonly JudgedSample[]): unknown;
}

/**
 * The options, with the group size of the sample's row if it states one: a URL may be shared by training and
 * validation. Samples that the contract marks as validation default to group size 1, so they are answered at
 * once.
 */
function ownGroup(options: SampleOptions, { stated, validates }: Sample): SampleOptions {
  const row = stated === undefined ? { validates: false } : statedGroup(stated);
  const { val_group_size } = options;
  if (validates === true) return { ...options, group_size: row.size ?? val_group_size ?? 1 };
  const group_size = row.size ?? (row.validates ? val_group_size : undefined) ?? options.group_size;
  return { ...options, group_size };
}

/**
 * Parses a sample. Unsupported content in the prompt rejects this request, as it does for every sample of the
 * group. Unsupported content in the answer is passed on, so that the whole group is rejected and other
 * samples do not wait for this one.
 */
function readShown(c: AppContext, { content }: Contract, body: BodyFields, read: SampleDialect["read"]): Sample {
  const { prompt, answer, warnings } = unshownIn(content, body);
  if (prompt.length > 0) throw unsupported(prompt);
  warnOf(c, warnings);
  if (answer.length === 0) return read(body);
  try {
    return { ...read(withoutAnswer(content, body)), unshown: answer };
  } catch {
    throw unsupported(answer);
  }
}

/** The handler of a route that takes one sample. */
export const sampleRoute =
  (dialect: SampleDialect): ContractRoute["handler"] =>
  (deps, contract) =>
  async (c) => {
    const { value, text } = await readJsonBody(c.req.raw);
    const body = objectBody(value);
    const sample = readShown(c, contract, body, dialect.read);
    const given = sampleOptions(c, deps);
    const stated = ownGroup(given, sample);
    const options = { ...stated, run_id: stated.run_id ?? sample.run_id, step: stated.step ?? sample.step };
    const toReply = ([judged]: readonly JudgedSample[]) => dialect.toReply(judged as JudgedSample, body, options);
    return answerSamples(c, deps, {
      ...{ contract, options, declared: given.on_failure, text, samples: [sample] },
      dialect: { ...dialect, toReply },
    });
  };

/**
 * The handler of a route that takes a list of samples. Answers empty lists too: a trainer with several URLs
 * sends them to all URLs but the first, and fails without a reply.
 */
export const samplesRoute =
  (dialect: ListDialect): ContractRoute["handler"] =>
  (deps, contract) =>
  async (c) => {
    const given = sampleOptions(c, deps);
    const { value, text } = await readJsonBody(c.req.raw);
    const samples = dialect.read(shownBody(c, contract, value));
    if (samples.length === 0) return jsonReply(c, dialect.reply, dialect.toReply([]));
    const options = samples.length === 1 ? ownGroup(given, samples[0] as Sample) : given;
    return answerSamples(c, deps, { contract, options, declared: given.on_failure, text, samples, dialect });
  };

interface Answering {
  contract: Contract;
  options: SampleOptions;
  /** The caller's `on_failure`. */
  declared: SampleOptions["on_failure"];
  /** The unparsed body. */
  text: string;
  samples: readonly Sample[];
  dialect: Dialect & Pick<ListDialect, "toReply">;
}

/**
 * Answers samples. The reply starts early only to avoid a proxy timeout, or to probe whether the client is
 * still connected when an equal sample asks for its reward.
 */
async function answerSamples(c: AppContext, deps: RouteDeps, asked: Answering): Promise<Response> {
  const { contract, options, declared, text, samples, dialect } = asked;
  const { compiled, given } = await factualSamples(c, deps, options, dialect.field, samples, declared);
  const request = { contract, returning: dialect, options, compiled, body_hash: await sha256Hex(text) };
  const gathered = given.length === 1 || options.group_size !== undefined;
  const begins = gathered ? sparingStatus(contractDeadline(contract, options.deadline_ms)) : undefined;
  const reply = slowJson(c, deps, dialect.reply, begins);
  const telling = async () => {
    const rewards = await (gathered
      ? gather(c, deps, request, given, reply.probe)
      : judgeAtOnce(c, deps, asked, compiled, given));
    const scope = c.get("scope");
    scope.scored ??= rewardCounts(rewards.map(({ result }) => result));
    if (rewards.length === 1) scope.id = (rewards[0] as GatheredReward).request_id;
    const latency_ms = deps.clock.now() - scope.started_ms;
    const { on_failure } = options;
    const value = dialect.toReply(rewards.map((judged) => ({ judged, spec: compiled.spec, on_failure, latency_ms })));
    return { value, headers: warningHeaders([...new Set(rewards.flatMap(({ warnings }) => warnings))]) };
  };
  return reply.answer(telling());
}

/**
 * Judges several samples of one request as complete groups, because nothing indicates that more samples will
 * follow.
 */
async function judgeAtOnce(
  c: AppContext,
  deps: RouteDeps,
  { contract, options, dialect }: Answering,
  { spec }: CompiledSpec,
  given: readonly FactualSample[],
): Promise<GatheredReward[]> {
  const flat = given.map((sample) => ({ ...sample, language: null }));
  const { groups, places } = regroup(flat, dialect.field);
  // Facts come from the label, which is the same for all samples of a group.
  const known = groups.map((group, g) => ({
    ...group,
    ...given[places.findIndex((place) => place.group === g)]?.facts,
  }));
  const judged = { groups: known, spec, field: dialect.field };
  const { reply, retry_after_ms } = await beginJudging(c, deps, contract, judged, options).scored;
  const { request_id, spec_hash, logged, warnings } = reply;
  const shared = { request_id, spec_hash, logged, warnings, retry_after_ms };
  const alike = { ...shared, closed: "full", late: false, attached: false } as const;
  return places.map(({ group, member }) => {
    const { rollouts, metrics } = reply.groups[group] as GroupResult;
    const result = rollouts[member] as GatheredReward["result"];
    return { ...alike, result, metrics, members: rollouts.length };
  });
}
