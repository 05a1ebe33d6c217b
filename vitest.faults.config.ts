// The fault matrix and a short chaos run: minutes of starting and killing processes. Apart from
// `npm test`, so that it stays quick.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "faults",
    include: ["test/faults/**/*.test.ts"],
    testTimeout: 180_000,
    hookTimeout: 120_000,
    fileParallelism: false,
    // Most cases wait for a deadline or a back-off: more at a time than there are cores costs
    // nothing.
    maxConcurrency: 6,
  },
});
