// Handlers for APIs whose requests contain whole groups: they parse the body, judge the groups, and format
// the reply.
import type * as z from "zod";
import type { Group } from "../../../core/contract/group.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { compileSpec } from "../../../core/reward/compiled-spec.ts";
import type { Spec } from "../../../core/reward/spec.ts";
import type { BatchRoute } from "../../../objects/batches/view.ts";
import type { ScoredRequest } from "../../../scoring/score-and-log.ts";
import { simulatedDeployment } from "../../../scoring/simulated.ts";
import { shownBody } from "../../content/shown-body.ts";
import { readJson } from "../../door/body.ts";
import type { AppDeps } from "../../door/deps.ts";
import { idempotent, notingGaps } from "../../door/idempotent.ts";
import { preferences } from "../../door/prefer.ts";
import { checkRewardsRequest } from "../../door/rewards-rules.ts";
import type { AppContext } from "../../door/scope.ts";
import { answerJson, warningHeaders } from "../../door/slow-json.ts";
import { resolveSpec } from "../../door/spec-lookup.ts";
import type { BodyFields } from "../../door/validation.ts";
import { submitBatch } from "../../routes/batch-submission.ts";
import type { Contract, ContractRoute } from "./contract.ts";
import { beginJudging, type Carried, type Logged, type RunningJudgement, refuseUnmet } from "./judging.ts";
import { type Options, urlOptions } from "./options.ts";
import { chooseTextSpec, modelSpec } from "./text-spec.ts";

/** Context for parsing a request, in addition to its body. */
interface Desk {
  options: Options;
  /** The request's id; `created` is the time of its arrival in Unix seconds. */
  id: string;
  created: number;
  /** The value of a path parameter. */
  word(name: string): string | undefined;
  /** Resolves an inline spec or the name of a stored spec. */
  spec(spec: string | Spec): Promise<Spec>;
  /** The spec for candidates that are judged one by one, named in the URL or otherwise by the model. */
  modelSpec(model: string, texts: readonly string[]): Promise<Spec>;
  /** The spec named in the URL or by the model, otherwise the default for such documents. */
  textSpec(model: string | null, texts: readonly string[]): Promise<Spec>;
}

/** The groups to judge, and how to format the reply. */
interface AskedGroups {
  groups: Group[];
  spec: Spec;
  /** The field to name in errors about facts that the request cannot contain. Omitted: already checked. */
  field?: string;
  /** The facts that the request contains. */
  has?: Partial<Carried>;
  /** Run id, step and deadline. Omitted: taken from the URL. */
  logged?: Logged;
  interactive?: true;
  /** Set if the request may run as a batch; stored together with the batch. */
  later?: { route: BatchRoute; shape: unknown };
  /** Schema of the reply. */
  reply: z.core.$ZodType;
  /** Builds the reply's JSON. Throws `Unjudged` if a score is missing and the format cannot express that. */
  toReply(scored: ScoredRequest): unknown;
  /** Builds a reply that is not JSON. */
  streamed?: ((running: RunningJudgement, deps: AppDeps) => Promise<Response>) | undefined;
}

type Ask = (body: BodyFields, context: Desk) => AskedGroups | Promise<AskedGroups>;

function deskOf(c: AppContext, deps: AppDeps): Desk {
  const options = urlOptions(c);
  const scope = c.get("scope");
  return {
    ...{ options, id: scope.id, created: Math.floor(deps.clock.date().getTime() / 1000) },
    word: (name) => c.req.param(name),
    spec: (spec) => resolveSpec(deps, scope, spec),
    modelSpec: (model, texts) => modelSpec(deps, scope, options.spec, model, texts),
    textSpec: (model, texts) => chooseTextSpec(deps, scope, options, model, texts),
  };
}

/** A handler that judges the groups that `ask` parses from the body. */
export const groupRoute =
  (ask: Ask): ContractRoute["handler"] =>
  (deps, contract) =>
  async (c) => {
    const context = deskOf(c, deps);
    const body = shownBody(c, contract, await readJson(c.req.raw));
    return answer(c, deps, contract, await ask(body, context), context);
  };

/** Like `groupRoute`, but supports Idempotency-Key and `Prefer: respond-async`. */
export const repeatableRoute =
  (ask: Ask): ContractRoute["handler"] =>
  (deps, contract) =>
    idempotent(deps, async (c, value) => {
      const context = deskOf(c, deps);
      const asked = await ask(shownBody(c, contract, value), context);
      const { groups, spec, later, logged = context.options } = asked;
      if (later === undefined || !preferences(c).respond_async) return answer(c, deps, contract, asked, context);
      const { run_id, step, deadline_ms = LIMITS.batch_deadline_ms_max } = logged;
      const request = { groups, spec, run_id, step, deadline_ms };
      checkRewardsRequest(request);
      return submitBatch(c, deps, { ...later, request, spec });
    });

const replyIn = async (scored: Promise<ScoredRequest>) => (await scored).reply;

/** Starts a streamed reply. Its headers contain the warnings that are known so far. */
async function withWarnings(
  running: RunningJudgement,
  deps: AppDeps,
  streamed: NonNullable<AskedGroups["streamed"]>,
): Promise<Response> {
  let warnings: readonly string[] = simulatedDeployment(deps.verifier);
  running.scored.then(
    ({ reply }) => {
      warnings = reply.warnings;
    },
    () => {},
  );
  const response = await streamed(running, deps);
  for (const [name, value] of Object.entries(warningHeaders(warnings))) response.headers.set(name, value);
  return response;
}

async function answer(
  c: AppContext,
  deps: AppDeps,
  contract: Contract,
  asked: AskedGroups,
  { options }: Desk,
): Promise<Response> {
  const { spec, field, has, logged = options, later, reply, toReply, streamed } = asked;
  if (field !== undefined) refuseUnmet(compileSpec(spec), field, has);
  const begin = () => beginJudging(c, deps, contract, asked, logged);
  if (streamed !== undefined) return withWarnings(begin(), deps, streamed);
  const telling = async () => {
    const { scored } = begin();
    if (later !== undefined) await notingGaps(c, replyIn(scored));
    const outcome = await scored;
    return { value: toReply(outcome), headers: warningHeaders(outcome.reply.warnings) };
  };
  return answerJson(c, deps, telling(), reply);
}
