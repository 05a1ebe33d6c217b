// The tests that start the stack, workerd or a command as processes, run for hours of simulated
// time, or rebuild sets of programs. Apart from `npm test`, so that people wait for that one.
import { defineConfig } from "vitest/config";
import { TIME_OUTS } from "./vitest.time-outs.ts";

/** Left out of `npm test`, and all of `npm run test:processes`. */
export const PROCESS_TESTS = [
  "test/e2e/**/*.test.ts",
  "test/**/restart.test.ts",
  "test/api/contracts/soak.test.ts",
  "test/lab/bench/**/*.test.ts",
  "test/lab/evaluate/{evaluate,main}.test.ts",
  "test/lab/{flags,help}.test.ts",
  "test/lab/loadtest/{command,slice}.test.ts",
  "test/lab/report/out-flags.test.ts",
  "test/lab/testbed/{adversarial,journey,mutation,problem-folders,small-set}.test.ts",
  "test/run-log/owners-migration.test.ts",
  "test/stack/slow-reply.test.ts",
  "test/trainers/**/*.test.ts",
];

export default defineConfig({
  test: {
    name: "processes",
    include: PROCESS_TESTS,
    ...TIME_OUTS,
    maxWorkers: "100%",
  },
});
