// GET /v1/groups/:id/verdicts, GET /v1/groups/:id/texts and GET /v1/requests/:request_id: look up entries of
// the run log by id.
import * as z from "zod";
import { ApiError } from "../../core/faults/errors.ts";
import { ULID_PATTERN } from "../../platform/request-ids.ts";
import { timedStore } from "../../scoring/request-scope.ts";
import type { AppDeps } from "../door/deps.ts";
import { readableBy } from "../door/owned.ts";
import { noQueryParameters, pathParameter } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { documented, pathOf, READ, type Words } from "./words.ts";

const RequestIdSchema = z.string().regex(ULID_PATTERN, "must be a request_id (26 characters)");
const GroupIdSchema = z
  .string()
  .regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}\.[0-9]{1,3}$/, "must be <request_id>.<group index>");

export function groupVerdicts({ runLog, clock }: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const id = pathParameter(c, "id", GroupIdSchema);
    noQueryParameters(c);
    const stored = await timedStore(clock, c.get("scope"), () => runLog.verdicts(id, readableBy(c)));
    if (stored === null) throw new ApiError("not_found", "The log has no group with this id for this key.");
    const { verdicts, audit } = stored;
    return c.json({ group_id: id, verdicts, ...(audit.length > 0 && { audit }) });
  };
}

export function groupTexts({ runLog, clock }: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const id = pathParameter(c, "id", GroupIdSchema);
    noQueryParameters(c);
    const texts = await timedStore(clock, c.get("scope"), () => runLog.texts(id, readableBy(c)));
    if (texts === null) throw new ApiError("not_found", "The log has no group with this id for this key.");
    return c.json({ group_id: id, texts: texts.map(({ rollout_index, text }) => ({ rollout_index, text })) });
  };
}

export function requestDetail({ runLog, clock }: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const requestId = pathParameter(c, "request_id", RequestIdSchema);
    noQueryParameters(c);
    const request = await timedStore(clock, c.get("scope"), () => runLog.request(requestId, readableBy(c)));
    if (request === null)
      throw new ApiError(
        "not_found",
        "The log has no request with this id for this key. Requests whose reply says `queued` appear in the log within seconds.",
      );
    return c.json(request);
  };
}

const groupPath = () => pathOf("id", GroupIdSchema, "`<request_id>.<group index>`");
const ofOne = (operationId: string, summary: string, path: z.ZodObject): Words => ({
  ...{ operationId, tag: "Run log", summary, path, faults: [400, ...READ] },
});

export const words = /* @__PURE__ */ documented(() => ({
  "GET /v1/groups/:id/verdicts": ofOne("getGroupVerdicts", "All generations of a group", groupPath()),
  "GET /v1/groups/:id/texts": ofOne("getGroupTexts", "A group's prompt and rollouts, if they were logged", groupPath()),
  "GET /v1/requests/:request_id": ofOne(
    "getRequest",
    "One logged request and its groups",
    pathOf("request_id", RequestIdSchema, "`request_id` of a logged reply"),
  ),
}));
