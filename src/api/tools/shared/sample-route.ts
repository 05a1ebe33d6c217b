// The routes of contracts whose requests carry samples, not groups: samples are read, gathered, judged, and
// answered in the contract's form.
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
  /** The rollouts' field, for refusals. */
  field: string;
  /** Schema of the reply. */
  reply: z.core.$ZodType;
}

/** A request that carries one sample: how it is read, and how its judgement is written. */
interface SampleDialect extends Dialect {
  /** Throws ApiError for a body that is not the contract's. */
  read(body: BodyFields): Sample;
  /** The reply's JSON. Throws `Unjudged` where the contract has no place for a missing reward. */
  toReply(sample: JudgedSample, body: BodyFields, options: SampleOptions): unknown;
}

/** The same for a list of samples, answered in its order. */
interface ListDialect extends Dialect {
  read(body: BodyFields): Sample[];
  toReply(samples: readonly JudgedSample[]): unknown;
}

/**
 * The options with the group fields of a sample's row, which are more exact than a URL that training and
 * validation share: a sample alone is answered at once and waits for no other.
 */
function ownGroup(options: SampleOptions, { stated, validates }: Sample): SampleOptions {
  const row = stated === undefined ? { validates: false } : statedGroup(stated);
  const { val_group_size } = options;
  if (validates === true) return { ...options, group_size: row.size ?? val_group_size ?? 1 };
  const group_size = row.size ?? (row.validates ? val_group_size : undefined) ?? options.group_size;
  return { ...options, group_size };
}

/**
 * The sample of a body. What its answer holds besides is its group's to be refused for, so that the
 * others do not wait for it; what its prompt holds, every sample of the group is refused for.
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
 * The handler of a route that takes a list. A trainer with several URLs sends empty lists to all
 * but the first, and gives up unless each answers.
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
  /** The caller's own `on_failure`, without the 0 of validation. */
  declared: SampleOptions["on_failure"];
  /** The body as it came. */
  text: string;
  samples: readonly Sample[];
  dialect: Dialect & Pick<ListDialect, "toReply">;
}

/**
 * The reply to some samples. It begins before its end only when a proxy would cut it else, or when
 * it has a reward and an equal sample asks whether its client is there.
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

/** Several samples of one request are groups as they stand: nothing says that others will come. */
async function judgeAtOnce(
  c: AppContext,
  deps: RouteDeps,
  { contract, options, dialect }: Answering,
  { spec }: CompiledSpec,
  given: readonly FactualSample[],
): Promise<GatheredReward[]> {
  const flat = given.map((sample) => ({ ...sample, language: null }));
  const { groups, places } = regroup(flat, dialect.field);
  // A group's facts come from its label, which is the same for all its samples.
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
