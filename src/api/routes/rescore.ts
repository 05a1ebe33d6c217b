// POST /v1/runs/:run_id/rescore: a logged run's rewards under another spec, as NDJSON, without a verifier.
// Scoring again is scoring/rescore.ts.

import * as z from "zod";
import { said } from "#said";
import { RunIdSchema, SpecNameSchema, StepSchema } from "../../core/contract/requests.ts";
import { asApiError } from "../../core/faults/errors.ts";
import { SPEC_FORMS } from "../../core/reward/signals-spec.ts";
import { rescoreRun } from "../../scoring/rescore.ts";
import { readJson } from "../door/body.ts";
import type { RouteDeps } from "../door/deps.ts";
import { withOwnTemplates } from "../door/named-templates.ts";
import { OwnerQuerySchema, ofRun } from "../door/owned.ts";
import { pathParameter, queryParameters } from "../door/parameters.ts";
import type { AppContext } from "../door/scope.ts";
import { specMeant } from "../door/spec-lookup.ts";
import { pulledLines } from "../door/streams.ts";
import { validated } from "../door/validation.ts";
import { documented, ofOneRun } from "./words.ts";

export const RescoreRequestSchema = z.strictObject({
  spec: z.union([SpecNameSchema, ...SPEC_FORMS]).meta(said("what to score with: a spec, or the name of a stored one")),
  from_step: StepSchema.nullable().default(null).meta(said("only steps from this one")),
  to_step: StepSchema.nullable().default(null).meta(said("only steps up to this one")),
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
    return pulledLines(c, withFaults(lines, scope.id));
  };
}

export const words = /* @__PURE__ */ documented(() => ({
  "POST /v1/runs/:run_id/rescore": {
    ...ofOneRun(
      "rescoreRun",
      "A run's rewards under another spec, without a verifier",
      OwnerQuerySchema,
      "Reads the run's logged signals and verdicts: another expression, other scores of a tournament, another penalty, other lengths. One `group` line a group, oldest first, and one `end` line last; a stream without it was cut. What needs verdicts, texts or facts that are not logged is refused with `needs_judging`, naming the signal. The rewards are those of scoring anew with the same verdicts, bit for bit.",
    ),
    request: RescoreRequestSchema,
    said: "Groups as they are scored, then what they come to.",
    lines: true,
    faults: [400, 401, 404, 408, 413, 415, 422, 503],
  },
}));
