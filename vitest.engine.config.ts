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
    // An engine's CPU time tells whether it is at work, so nothing else may ask it meanwhile.
    fileParallelism: false,
  },
});
