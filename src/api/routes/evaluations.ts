// Owns POST /v1/evaluations: metrics of a verifier over many lists. The statistics are
// core/formulations/evaluation.ts.

import { EvaluationsReplySchema } from "../../core/contract/evaluation-replies.ts";
import { EvaluationsRequestSchema } from "../../core/contract/requests.ts";
import { evaluate } from "../../core/formulations/evaluation.ts";
import { readJson } from "../door/body.ts";
import { negotiate } from "../door/negotiation.ts";
import { noQueryParameters } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { listValidator } from "../door/validation.ts";
import { documented } from "./words.ts";

const parse = listValidator(EvaluationsRequestSchema, "lists");

export function evaluations() {
  return async (c: AppContext): Promise<Response> => {
    noQueryParameters(c);
    negotiate(c.req.header("accept") ?? null, ["application/json"]);
    const request = parse(await readJson(c.req.raw));
    return c.json({ request_id: c.get("scope").id, ...evaluate(request) });
  };
}

export const words = /* @__PURE__ */ documented(() => ({
  "POST /v1/evaluations": {
    operationId: "evaluate",
    tag: "Scoring",
    summary: "ListAcc, tau-b and parse rate over many lists, with bootstrap intervals",
    description:
      "tau-b never comes without the parse rate: below 0.80 the reply warns `parse_rate_low`, below 0.95 `parse_rate_watch`.",
    request: EvaluationsRequestSchema,
    said: "Evaluated.",
    reply: EvaluationsReplySchema,
    faults: [400, 401, 406, 408, 413, 415],
  },
}));
