// A group as signals see it, made of whole texts, and what a kind says of it, for tests of kinds by
// themselves.

import type { PlanResult } from "../../../src/core/asking/plan.ts";
import type { SignalContext } from "../../../src/core/asking/signal.ts";
import { createPreparer, type PreparedGroup } from "../../../src/core/candidate/prepare.ts";
import type { Group } from "../../../src/core/contract/group.ts";
import { readSpec } from "../../../src/core/reward/compiled-spec.ts";
import { SignalsSpecSchema } from "../../../src/core/reward/signals-spec.ts";

export function preparedOf(texts: readonly string[], facts: object = {}): PreparedGroup {
  const prepare = createPreparer({ candidate: { extract: "whole" }, formats: {} });
  return prepare({ prompt: "P", rollouts: texts.map((text) => ({ text })), ...facts } as Group, 0);
}

const ABOUT: SignalContext = { name: "it", seed: 0, judgeable: false, jams: [], refused: [], step: 0 };

/** The values of a kind without questions for such a group. */
export function resultOf(settings: { kind: string }, texts: readonly string[], facts: object): PlanResult {
  const spec = SignalsSpecSchema.parse({ signals: { it: settings } });
  const { signal, settings: own } = readSpec(spec, 8).signals[0] as ReturnType<typeof readSpec>["signals"][number];
  return signal.open(preparedOf(texts, facts), own, ABOUT).result([]);
}
