// The comparisons that Kritai would ask for a request's groups, by Kritai's own preparation and schedules.

import type { Presentation } from "../../../src/core/asking/questions.ts";
import { createPreparer, type PreparedGroup } from "../../../src/core/candidate/prepare.ts";
import type { Group } from "../../../src/core/contract/group.ts";
import type { FlatSpec } from "../../../src/core/contract/spec.ts";
import { compileSpec } from "../../../src/core/reward/compiled-spec.ts";
import { FlatSpecSchema } from "../../../src/core/reward/flat-spec.ts";
import { preparerRules } from "../../../src/core/reward/preparing.ts";
import { ofFlat } from "../../../src/core/reward/spec-forms.ts";
import { NOTHING_SEEN } from "../../../src/core/tournament/presentation-results.ts";
import { TournamentRun } from "../../../src/core/tournament/tournament-run.ts";
import type { RewardsBody } from "./item.ts";

export interface PlannedGroup {
  prepared: PreparedGroup;
  /** The first wave: all there is for the schedules that ask everything at once. */
  asks: readonly Presentation[];
}

export interface PlannedRequest {
  spec: FlatSpec;
  groups: readonly PlannedGroup[];
  /** Rollouts of all groups: each gets a reward. */
  rollouts: number;
  comparisons: number;
  generations: number;
}

/**
 * The plan of one rewards request with an inline spec (or none, for the default).
 * @throws Error for a spec by name, which only the target knows; ApiError as the target would
 *   answer
 */
export function plannedRequest(body: RewardsBody): PlannedRequest {
  if (typeof body.spec === "string" && body.spec !== "default") {
    throw new Error(
      `the spec "${body.spec}" is registered only at the target: inline it to test a gateway or an engine`,
    );
  }
  const spec = FlatSpecSchema.parse(typeof body.spec === "object" ? body.spec : {});
  const prepare = createPreparer(preparerRules(compileSpec(ofFlat(spec))));
  const groups = body.groups.map((group, index) => {
    const prepared = prepare(group as Group, index);
    const run = new TournamentRun({ keys: prepared.keys, judge: spec.judge, seed: spec.seed });
    return { prepared, asks: run.next(NOTHING_SEEN) };
  });
  const asks = groups.flatMap((group) => group.asks);
  return {
    spec,
    groups,
    rollouts: body.groups.reduce((sum, { rollouts }) => sum + rollouts.length, 0),
    comparisons: asks.length,
    generations: asks.reduce((sum, { samples }) => sum + samples, 0),
  };
}
