// Scores one logged group again: its rewards and components under another spec. Pure.

import type { Valued } from "../../asking/signal-value.ts";
import { drained } from "../../math/drained.ts";
import { GroupSignals } from "../group-signals.ts";
import { type LoggedGroup, preparedFrom } from "./logged-group.ts";
import type { ReplayPlan } from "./plan.ts";

interface ReplayedGroup {
  /** One a rollout. */
  rewards: readonly Valued[];
  /** Each signal's values by name, one a rollout. */
  columns: Readonly<Record<string, readonly Valued[]>>;
}

/** The result of scoring the group anew with the same verdicts, bit for bit. */
export function replayedGroup({ compiled, asking }: ReplayPlan, logged: LoggedGroup): ReplayedGroup {
  const signals = new GroupSignals(compiled, preparedFrom(logged, asking), logged.step ?? 0);
  drained(signals.advance());
  return { rewards: signals.rewards(), columns: signals.columns() };
}
