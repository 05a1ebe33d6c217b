// The benchmarks by the names that --layout takes.
import type { Benchmark } from "../items/benchmark.ts";
import { judgeBench } from "./judge-bench.ts";
import { labelled } from "./labelled.ts";
import { processBench } from "./process-bench.ts";
import { rewardBench2 } from "./reward-bench-2.ts";
import { rmBench } from "./rm-bench.ts";
import { rubrics } from "./rubrics.ts";
import { verifyBench } from "./verify-bench.ts";

export const LAYOUTS = {
  labelled,
  rubrics,
  "verify-bench": verifyBench,
  "process-bench": processBench,
  "reward-bench-2": rewardBench2,
  "rm-bench": rmBench,
  "judge-bench": judgeBench,
} as const satisfies Record<string, Benchmark>;
export type LayoutName = keyof typeof LAYOUTS;
export const LAYOUT_NAMES = Object.keys(LAYOUTS) as LayoutName[];
