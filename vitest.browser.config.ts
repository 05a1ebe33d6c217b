// The browser tests: pages of the running local stack in headless Chromium. Apart from `npm test`,
// which needs no browser.
import { defineConfig } from "vitest/config";
import { TIME_OUTS } from "./vitest.time-outs.ts";

export default defineConfig({
  test: {
    name: "browser",
    include: ["test/browser/**/*.test.ts"],
    ...TIME_OUTS,
    fileParallelism: false,
  },
});
