// Owns POST /v1/runs/:run_id/rescore: a logged run's rewards under another spec, as NDJSON, without
// a verifier. Scoring again is scoring/rescore.ts.
import * as z from "zod";
import { RunIdSchema, SpecNameSchema, StepSchema } from "../../core/contract/requests.ts";
import { asApiError } from "../../core/faults/errors.ts";
import { SPEC_FORMS } from "../../core/signals/signals-spec.ts";
import { rescoreRun } from "../../scoring/rescore.ts";
import { readJson } from "../http/body.ts";
import type { RouteDeps } from "../http/deps.ts";
import { OwnerQuerySchema, ofRun } from "../http/owned.ts";
import { pathParameter, queryParameters } from "../http/parameters.ts";
import type { AppContext } from "../http/scope.ts";
import { ndjsonResponse, pulledLines } from "../http/streams.ts";
import { validated } from "../http/validation.ts";
import { withOwnTemplates } from "./named-templates.ts";
import { specMeant } from "./specs.ts";

export const RescoreRequestSchema = z.strictObject({
  spec: z
    .union([SpecNameSchema, ...SPEC_FORMS])
    .meta({ description: "what to score with: a spec, or the name of a stored one" }),
  from_step: StepSchema.nullable().default(null).meta({ description: "only steps from this one" }),
  to_step: StepSchema.nullable().default(null).meta({ description: "only steps up to this one" }),
});

/** A stream without `end` was cut: its groups are not the whole run. */
async function* withFaults(lines: AsyncGenerator<Record<string, unknown>>, requestId: string) {
  let groups = 0;
  try {
    for await (const line of lines) {
      yield line;
      groups++;
    }
  } catch (error) {
    const { code, message: detail } = asApiError(error);
    yield { type: "error", code, detail, groups, request_id: requestId };
  }
}

export function rescore(deps: RouteDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const { owner } = queryParameters(c, OwnerQuerySchema);
    const request = validated(RescoreRequestSchema, await readJson(c.req.raw));
    const scope = c.get("scope");
    const spec = await withOwnTemplates(deps, scope, await specMeant(deps, scope, request.spec), "spec");
    const steps = { from: request.from_step, to: request.to_step };
    const { lines } = await ofRun(c, deps, runId, owner, (run) => rescoreRun(deps.runLog, run, spec, steps));
    return ndjsonResponse(pulledLines(withFaults(lines, scope.id)));
  };
}
