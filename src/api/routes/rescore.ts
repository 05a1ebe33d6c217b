// POST /v1/runs/:run_id/rescore: computes a logged run's rewards under another spec, as NDJSON, without
// calling a verifier. The computation is in scoring/rescore.ts.

import * as z from "zod";
import { said } from "#said";
import { RunIdSchema, SpecNameSchema, StepSchema } from "../../core/contract/request-fields.ts";
import { asApiError } from "../../core/faults/errors.ts";
import { SPEC_FORMS } from "../../core/reward/signals-spec.ts";
import { rescoreRun } from "../../scoring/rescore.ts";
import { readJson } from "../door/body.ts";
import type { AppDeps } from "../door/deps.ts";
import { withOwnTemplates } from "../door/named-templates.ts";
import { OwnerQuerySchema, ofRun } from "../door/owned.ts";
import { pathParameter, queryParameters } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { specMeant } from "../door/spec-lookup.ts";
import { pulledLines } from "../door/streams.ts";
import { validated } from "../door/validation.ts";
import { documented, ofOneRun } from "./words.ts";

export const RescoreRequestSchema = z.strictObject({
  spec: z.union([SpecNameSchema, ...SPEC_FORMS]).meta(said("spec to score with, or the name of a stored spec")),
  from_step: StepSchema.nullable().default(null).meta(said("only steps from this step on")),
  to_step: StepSchema.nullable().default(null).meta(said("only steps up to this step")),
});

/** Passes the lines on, and converts an error to an `error` line. A stream without `end` is incomplete. */
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

export function rescore(deps: AppDeps) {
  return async (c: AppContext): Promise<Response> => {
    const runId = pathParameter(c, "run_id", RunIdSchema);
    const { owner } = queryParameters(c, OwnerQuerySchema);
    const request = validated(RescoreRequestSchema, await readJson(c.req.raw));
    const scope = c.get("scope");
    const spec = await withOwnTemplates(deps, scope, await specMeant(deps, scope, request.spec), "spec");
    const steps = { from: request.from_step, to: request.to_step };
    const { lines } = await ofRun(c, deps, runId, owner, (run) => rescoreRun(deps.runLog, run, spec, steps));
    return pulledLines(c, withFaults(lines, scope.id));
  };
}

export const words = /* @__PURE__ */ documented(() => ({
  "POST /v1/runs/:run_id/rescore": {
    ...ofOneRun(
      "rescoreRun",
      "Scores a run under another spec, without a verifier",
      OwnerQuerySchema,
      "Uses the run's logged signals and verdicts, so the spec may change the expression, the scores of a tournament, the penalty and the lengths. One `group` line per group, oldest first, then one `end` line; a stream without an `end` line is incomplete. A spec that needs verdicts, texts or facts that were not logged is rejected with `needs_judging`, which names the signal. The rewards are bit for bit those of judging again with the same verdicts.",
    ),
    request: RescoreRequestSchema,
    said: "Groups as they are scored, then a summary.",
    lines: true,
    faults: [400, 401, 404, 408, 413, 415, 422, 503],
  },
}));
