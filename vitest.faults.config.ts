// The fault matrix and a short chaos run: minutes of starting and killing processes. Apart from
// `npm test`, so that it stays quick.
import { defineConfig } from "vitest/config";
import { TIME_OUTS } from "./vitest.time-outs.ts";

export default defineConfig({
  test: {
    name: "faults",
    include: ["test/faults/**/*.test.ts"],
    ...TIME_OUTS,
    maxWorkers: "100%",
    // Most cases wait for a deadline or a back-off: more at a time than there are cores costs
    // nothing.
    maxConcurrency: 6,
  },
});
