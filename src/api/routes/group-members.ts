// POST /v1/groups/:id/rollouts and /close: a client fills a named group while rollouts are still being
// generated, and closes the group to get the rewards.
import * as z from "zod";
import { said } from "#said";
import { canonicalJson } from "../../core/contract/canonical-json.ts";
import type { Group } from "../../core/contract/group.ts";
import type { GroupResult } from "../../core/contract/group-reply.ts";
import { DeadlineSchema, RunIdSchema, StepSchema } from "../../core/contract/request-fields.ts";
import { RewardsEventSchema, RewardsReplySchema } from "../../core/contract/rewards-reply.ts";
import { ApiError, asApiError } from "../../core/faults/errors.ts";
import { theLimit } from "../../core/faults/limit-advice.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { compileSpec } from "../../core/reward/compiled-spec.ts";
import { requireFacts } from "../../core/reward/facts.ts";
import { FactualGroupSchema, type RewardsRequest, RewardsRequestSchema } from "../../core/reward/requests.ts";
import type { GroupFacts } from "../../objects/gathering/gathering.ts";
import { sha256Hex } from "../../platform/sha256.ts";
import { within } from "../../platform/waiting.ts";
import { rewardCounts } from "../../scoring/reward-counts.ts";
import { type ContentPlace, requireShownBody } from "../content/shown-body.ts";
import { readJson } from "../door/body.ts";
import type { AppDeps } from "../door/deps.ts";
import { negotiate } from "../door/negotiation.ts";
import { noQueryParameters, pathParameter } from "../door/parameters.ts";
import { retryAfterGaps } from "../door/retry-after.ts";
import { type AppContext, keepAlive } from "../door/scope.ts";
import { answerJson, jsonReply } from "../door/slow-json.ts";
import { resolveSpec } from "../door/spec-lookup.ts";
import { invalidRequest, listValidator, validated } from "../door/validation.ts";
import { streamRewards } from "./rewards-stream.ts";
import { documented, pathOf, WRITE } from "./words.ts";

const NDJSON = "application/x-ndjson";
const maxRollouts = LIMITS.rollouts_per_group_max;

const MembersRequestSchema = FactualGroupSchema.omit({ group_id: true }).extend({
  run_id: RunIdSchema.optional(),
  step: StepSchema.optional(),
  spec: RewardsRequestSchema.shape.spec,
  deadline_ms: DeadlineSchema.meta(said("time limit for judging once the last member has arrived")),
  size: z
    .int()
    .min(1)
    .max(maxRollouts, "rollouts_per_group_max")
    .optional()
    .meta(said("number of members at which the group is judged; omitted: judged when it is closed")),
  position: z
    .int()
    .min(0)
    .max(maxRollouts - 1, "rollouts_per_group_max")
    .default(0)
    .meta(said("position of the first of `rollouts` in the group; the others take the positions after it")),
}) as unknown as z.ZodType<MembersRequest> & z.ZodObject;

interface MembersRequest
  extends Pick<RewardsRequest, "run_id" | "step" | "spec" | "deadline_ms">,
    Pick<Group, "prompt" | "language" | "rollouts"> {
  size?: number;
  position: number;
}

const parse = listValidator(MembersRequestSchema, "rollouts");
/** Fields of the request that contain content. */
const CONTENT: readonly ContentPlace[] = [
  { at: "prompt", carrier: "prompt" },
  { at: "rollouts[]", carrier: "rollout" },
  { at: "rollouts[]", carrier: "row" },
  { at: "rollouts[].text", carrier: "text" },
];

const CloseRequestSchema = z.strictObject({ deadline_ms: DeadlineSchema });

const GroupStateSchema = z.object({
  group_id: z.string(),
  members: z.int().meta(said("members received so far")),
  size: z.int().nullable().meta(said("`size` of the requests; null: the group ends only when it is closed")),
  state: z.enum(["gathering", "judging", "judged"]),
});

/** The group's name in the run log, and the name of its Durable Object. */
async function groupOf(c: AppContext): Promise<{ group_id: string; room: string }> {
  const group_id = pathParameter(c, "id", RunIdSchema);
  const { key_name } = c.get("scope");
  return { group_id, room: await sha256Hex(canonicalJson(["named", key_name, group_id])) };
}

/** Throws `invalid_request` if the rollouts exceed the group's size. */
function requireRoom({ position, rollouts, size }: MembersRequest): void {
  const last = position + rollouts.length;
  if (last <= (size ?? maxRollouts)) return;
  const limit = size === undefined ? theLimit("rollouts_per_group_max") : `the group's size is ${size}`;
  throw invalidRequest([{ path: "position", message: `the last rollout would be number ${last}; ${limit}` }]);
}

/** Throws for facts that the spec needs and the request lacks, with paths relative to this route's body. */
function requireOwnFacts(request: Parameters<typeof requireFacts>[0], compiled: ReturnType<typeof compileSpec>): void {
  try {
    requireFacts(request, compiled);
  } catch (error) {
    const { code, message, errors } = asApiError(error);
    const stripGroupPath = (text: string) => text.replaceAll("groups[0].", "");
    throw new ApiError(code, stripGroupPath(message), {
      errors: errors.map((fieldError) => ({ ...fieldError, path: stripGroupPath(fieldError.path) })),
    });
  }
}

export function addRollouts(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    noQueryParameters(c);
    const group = await groupOf(c);
    const body = await readJson(c.req.raw);
    requireShownBody(CONTENT, body);
    const request = parse(body);
    requireRoom(request);
    const { run_id = null, step, spec: named, deadline_ms, size = null, position, ...given } = request;
    const scope = c.get("scope");
    scope.run_id = run_id;
    const spec = await resolveSpec(deps, scope, named);
    const { prompt, rollouts, language = null, ...facts } = given;
    requireOwnFacts(
      { groups: [given], ...(step !== undefined && { step }) },
      compileSpec(spec, size ?? rollouts.length),
    );
    const { id: request_id, key_name } = scope;
    const state = await deps.rooms.named.add({
      ...{ ...group, request_id, key_name, run_id, step: step ?? null, spec, prompt, language, size },
      ...{ deadline_ms, position, rollouts, facts: facts as GroupFacts },
    });
    return jsonReply(c, GroupStateSchema, state);
  };
}

export function closeGroup(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    noQueryParameters(c);
    const type = negotiate(c.req.header("accept") ?? null, ["application/json", NDJSON]);
    const { room } = await groupOf(c);
    const { deadline_ms } = validated(CloseRequestSchema, await readJson(c.req.raw));
    c.set("deadline_ms", deadline_ms);
    const scope = c.get("scope");
    const closing = deps.rooms.named.close({ room, request_id: scope.id, deadline_ms });
    const running = within(deps.clock, deadline_ms + LIMITS.deadline_reserve_ms, closing, stillJudging).then(
      (judged) => {
        const { reply } = judged;
        Object.assign(scope, { id: reply.request_id, run_id: reply.run_id });
        scope.scored ??= rewardCounts(reply.groups.flatMap(({ rollouts }) => rollouts));
        return judged;
      },
    );
    keepAlive(c, running);
    if (type === NDJSON) {
      const run = async (onGroup: (index: number, group: GroupResult) => void) => {
        const { reply } = await running;
        onGroup(0, reply.groups[0] as GroupResult);
        return reply;
      };
      return streamRewards(deps.timers, run, () => undefined, scope.id, 1);
    }
    return answerJson(
      c,
      deps,
      running.then(({ reply: value, retry_after_ms }) => ({ value, headers: retryAfterGaps(value, retry_after_ms) })),
      RewardsReplySchema,
    );
  };
}

function stillJudging(): never {
  const detail = "The group is still being judged. Close it again for its rewards.";
  throw new ApiError("not_ready", detail, { headers: { "retry-after": "1" } });
}

const groupPath = () => pathOf("id", RunIdSchema, "Name of the group, chosen by the caller and unique per key");

export const words = /* @__PURE__ */ documented(() => ({
  "POST /v1/groups/:id/rollouts": {
    operationId: "addRollouts",
    tag: "Scoring",
    summary: "Adds rollouts to a group while others are still being generated",
    description: `Members are identified by position: sending the same rollout at the same position again has no effect. Every request repeats all fields of the group except the rollouts, with the same values. If the deployment judges early (docs/schedules.md), judging begins with the second member. Judging ends when \`size\` members have arrived or the group is closed. A group is deleted ${LIMITS.named_group_kept_ms / 60_000} minutes after it was last added to or closed.`,
    path: groupPath(),
    request: MembersRequestSchema,
    said: "Added.",
    reply: GroupStateSchema,
    faults: [...WRITE, 404, 409],
    faulty: { 409: "The group is closed or already has all its members." },
  },
  "POST /v1/groups/:id/close": {
    operationId: "closeGroup",
    tag: "Scoring",
    summary: "Closes a group and returns its rewards",
    description: `Accepts no further members, waits until the group is judged, and replies like \`POST /v1/rewards\` for one group, with the rollouts in the order of their positions. Closing the group again returns the same reply; missing rewards that can still be decided are judged again. With \`Accept: ${NDJSON}\` the lines are the same as those of /v1/rewards.`,
    path: groupPath(),
    request: CloseRequestSchema,
    said: "Judged. Individual rewards may be null.",
    reply: RewardsReplySchema,
    lines: RewardsEventSchema,
    faults: [...WRITE, 404],
  },
}));
