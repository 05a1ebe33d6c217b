// Owns POST /v1/evaluations: metrics of a verifier over many lists. The statistics are
// core/formulations/evaluation.ts.
import { EvaluationsRequestSchema } from "../../core/contract/requests.ts";
import { evaluate } from "../../core/formulations/evaluation.ts";
import { readJson } from "../http/body.ts";
import { negotiate } from "../http/negotiation.ts";
import { noQueryParameters } from "../http/parameters.ts";
import type { AppContext } from "../http/scope.ts";
import { listValidator } from "../http/validation.ts";

const parse = listValidator(EvaluationsRequestSchema, "lists");

export function evaluations() {
  return async (c: AppContext): Promise<Response> => {
    noQueryParameters(c);
    negotiate(c.req.header("accept") ?? null, ["application/json"]);
    const request = parse(await readJson(c.req.raw));
    return c.json({ request_id: c.get("scope").id, ...evaluate(request) });
  };
}
