// Defines what a workload is: bodies of one sort with a name.

import type { SpecInput } from "../../../src/core/reward/flat-spec.ts";
import type { RewardsRequest } from "../../../src/core/reward/requests.ts";

type GroupInput = Omit<RewardsRequest["groups"][number], "rollouts"> & {
  rollouts: readonly RewardsRequest["groups"][number]["rollouts"][number][];
};

export interface RewardsBody {
  run_id?: string | undefined;
  step?: number | undefined;
  spec?: SpecInput | string | undefined;
  deadline_ms?: number | undefined;
  groups: readonly GroupInput[];
}

export interface RerankBody {
  query: string;
  documents: readonly (string | Record<string, unknown>)[];
  top_n?: number | null | undefined;
}

export interface VerdictsBody {
  formulation: string;
  items: readonly { text: string }[];
}

/** Bodies to be sent in turn, all of one sort. */
export type Workload =
  | { bodyType: "groups"; name: string; items: readonly RewardsBody[] }
  | { bodyType: "rerank"; name: string; items: readonly RerankBody[] }
  | { bodyType: "verdicts"; name: string; items: readonly VerdictsBody[] };

/** Most bodies kept ready: each is held as text for every target. */
export const ITEMS_MAX = 1024;
