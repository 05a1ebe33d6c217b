// The tests against real engines. Apart from `npm test`: test/tools/test-engine.ts starts the
// engines and runs these.
import { defineConfig } from "vitest/config";
import { TIME_OUTS } from "./vitest.time-outs.ts";

if (process.env.KRITAI_ENGINES === undefined)
  throw new Error("Run `npm run test:engine`: these tests need its engines.");

export default defineConfig({
  test: {
    name: "engine",
    include: ["test/engines/real/**/*.test.ts"],
    ...TIME_OUTS,
    // A vLLM takes minutes to start on a busy machine, and is started in some tests again.
    testTimeout: 3_600_000,
    hookTimeout: 1_800_000,
    // An engine's CPU time tells whether it is at work, so nothing else may ask it meanwhile.
    fileParallelism: false,
  },
});
