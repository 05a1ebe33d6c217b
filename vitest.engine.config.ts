// The tests against real engines. Apart from `npm test`: test/tools/test-engine.ts starts the
// engines and runs these.
import { defineConfig } from "vitest/config";

if (process.env.KRITAI_ENGINES === undefined)
  throw new Error("Run `npm run test:engine`: these tests need its engines.");

export default defineConfig({
  test: {
    name: "engine",
    include: ["test/engines/real/**/*.test.ts"],
    testTimeout: 180_000,
    hookTimeout: 120_000,
    // An engine's CPU time tells whether it is at work, so nothing else may ask it meanwhile.
    fileParallelism: false,
  },
});
