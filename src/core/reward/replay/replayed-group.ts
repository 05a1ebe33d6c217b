// Rescores one logged group: computes rewards and components under another spec. Pure.

import type { Valued } from "../../asking/signal-value.ts";
import { drained } from "../../math/drained.ts";
import { GroupSignals } from "../group-signals.ts";
import { type LoggedGroup, preparedFrom } from "./logged-group.ts";
import type { ReplayPlan } from "./plan.ts";

interface ReplayedGroup {
  /** One value per rollout. */
  rewards: readonly Valued[];
  /** Each signal's values by name, one per rollout. */
  columns: Readonly<Record<string, readonly Valued[]>>;
}

/** Scores the group again from the same verdicts. The result is bit-identical to the first scoring. */
export function replayedGroup({ compiled, asking }: ReplayPlan, logged: LoggedGroup): ReplayedGroup {
  const signals = new GroupSignals(compiled, preparedFrom(logged, asking), logged.step ?? 0);
  drained(signals.advance());
  return { rewards: signals.rewards(), columns: signals.columns() };
}
