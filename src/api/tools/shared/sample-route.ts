// Handlers for APIs whose requests contain samples instead of groups: they parse the samples, gather and
// judge groups, and reply in the format of the API.
import type * as z from "zod";
import type { GroupResult } from "../../../core/contract/group-reply.ts";
import type { CompiledSpec } from "../../../core/reward/compiled-spec.ts";
import type { GatheredReward } from "../../../objects/gathering/gathering.ts";
import { sha256Hex } from "../../../platform/sha256.ts";
import { rewardCounts } from "../../../scoring/reward-counts.ts";
import { shownBody, unshownIn, unsupported, warnOf, withoutAnswer } from "../../content/shown-body.ts";
import { readJsonBody } from "../../door/body.ts";
import type { AppDeps } from "../../door/deps.ts";
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
  /** The field that contains the rollouts, for error messages. */
  field: string;
  /** Schema of the reply. */
  reply: z.core.$ZodType;
}

/** The format of an API whose requests contain one sample. */
interface SampleDialect extends Dialect {
  /** Parses a body. Throws ApiError if the body is invalid. */
  read(body: BodyFields): Sample;
  /** Builds the reply's JSON. Throws `Unjudged` if the reward is null and the format cannot express that. */
  toReply(sample: JudgedSample, body: BodyFields, options: SampleOptions): unknown;
}

/** The format of an API whose requests contain a list of samples, which are answered in the same order. */
interface ListDialect extends Dialect {
  read(body: BodyFields): Sample[];
  toReply(samples: readonly JudgedSample[]): unknown;
}

/**
 * The options with the group size for this sample. A size in the dataset row takes precedence, because
 * training and validation may use the same URL. The default for validation samples is 1, so that they are
 * answered at once.
 */
function ownGroup(options: SampleOptions, { stated, validates }: Sample): SampleOptions {
  const row = stated === undefined ? { validates: false } : statedGroup(stated);
  const { val_group_size } = options;
  if (validates === true) return { ...options, group_size: row.size ?? val_group_size ?? 1 };
  const group_size = row.size ?? (row.validates ? val_group_size : undefined) ?? options.group_size;
  return { ...options, group_size };
}

/**
 * Parses a sample. If the prompt has unsupported content, the request is rejected, like all requests with
 * this prompt. If the answer has unsupported content, the sample still joins its group, so that the other
 * samples do not wait for it and the whole group is rejected.
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

/** The handler for a route that accepts one sample. */
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
 * The handler for a route that accepts a list of samples, which may be empty: a trainer with several URLs
 * sends empty lists to all but the first URL, and fails if they are rejected.
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
  /** The client's `on_failure`. */
  declared: SampleOptions["on_failure"];
  /** The request body before parsing. */
  text: string;
  samples: readonly Sample[];
  dialect: Dialect & Pick<ListDialect, "toReply">;
}

/**
 * Replies to a request with samples. The reply starts early only to avoid a proxy timeout, or to check
 * whether the client is still connected when another request has sent an equal sample.
 */
async function answerSamples(c: AppContext, deps: AppDeps, asked: Answering): Promise<Response> {
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

/** Judges the samples of one request as complete groups, since no further samples are to be expected. */
async function judgeAtOnce(
  c: AppContext,
  deps: AppDeps,
  { contract, options, dialect }: Answering,
  { spec }: CompiledSpec,
  given: readonly FactualSample[],
): Promise<GatheredReward[]> {
  const flat = given.map((sample) => ({ ...sample, language: null }));
  const { groups, places } = regroup(flat, dialect.field);
  // Takes the facts from any sample of the group, since all of them have the same label.
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
