// Owns which spec judges bare texts: one named in the URL, one stored under the model's name, or
// the contract's own. Knows no dialect.

import { extractCandidate } from "../../../core/candidate/extract.ts";
import { SpecNameSchema } from "../../../core/contract/requests.ts";
import { DEFAULT_SPEC, type Spec } from "../../../core/contract/spec.ts";
import { ApiError } from "../../../core/faults/errors.ts";
import { type AnySpec, hasSignals } from "../../../core/signals/compiled-spec.ts";
import { type RequestScope, timedStore } from "../../../scoring/request-scope.ts";
import type { RouteDeps } from "../../http/deps.ts";
import { withOwnTemplates } from "../../routes/named-templates.ts";
import { permitted, resolveSpec } from "../../routes/specs.ts";

const forTexts = (spec: Spec): Spec => ({
  ...spec,
  // An order of nine documents that says of the tenth that it is missing serves its reader better
  // than an order of none.
  judge: { ...spec.judge, min_decided: 0.5 },
  format: { ...spec.format, penalty: 0 },
});
const judging = (extract: Spec["candidate"]["extract"]): Spec =>
  forTexts({ ...DEFAULT_SPEC, candidate: { ...DEFAULT_SPEC.candidate, extract } });
const PROGRAMS = judging("last_code_block");
const TEXTS = judging("whole");
const FENCED: Spec["candidate"] = { extract: "last_code_block", strip_comments: false };

/**
 * The default for texts without a spec: the last fenced program of each when more than half of them
 * have one (a cut one loses, and is told of), else each text whole. Otherwise the built-in
 * `default`, without a format penalty, for which a relevance has no place; half of a text's
 * comparisons suffice for its score.
 */
export function specForTexts(texts: readonly string[]): Spec {
  const programs = texts.filter((text) => extractCandidate(text, FENCED, null).candidate !== null).length;
  return programs > texts.length / 2 ? PROGRAMS : TEXTS;
}

/**
 * The spec stored under a model's name, or null. `default` and names that no spec can have are not
 * looked for.
 */
async function specOfModel(deps: RouteDeps, scope: RequestScope, model: string | null): Promise<AnySpec | null> {
  if (model === null || model === "default" || !SpecNameSchema.safeParse(model).success) return null;
  try {
    const stored = await timedStore(deps.clock, scope, () => deps.specs.get(model));
    return stored === null ? null : withOwnTemplates(deps, scope, permitted(deps, scope, stored, "model"), "model");
  } catch (error) {
    // Without a database no spec is stored under any name; one that fails could hide a spec, so
    // that is a fault.
    if (error instanceof ApiError && error.code === "not_configured") return null;
    throw error;
  }
}

/**
 * The spec for bare texts. Throws `unknown_spec` when the URL names one that is not stored,
 * `store_unavailable` when it cannot be known.
 */
export async function chooseTextSpec(
  deps: RouteDeps,
  scope: RequestScope,
  named: string | undefined,
  model: string | null,
  texts: readonly string[],
): Promise<AnySpec> {
  if (named !== undefined) return resolveSpec(deps, scope, named);
  const stored = await specOfModel(deps, scope, model);
  if (stored !== null) return stored;
  const own = deps.default_spec;
  if (own === undefined) return specForTexts(texts);
  return hasSignals(own) ? own : forTexts(own);
}
