// `npm test`, every test that needs no process matrix, in two projects: `node` (core, adapters,
// embedded parts) and `workerd` (the real runtime, through the Cloudflare plugin).
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { PROCESS_TESTS } from "./vitest.processes.config.ts";
import { TIME_OUTS } from "./vitest.time-outs.ts";

export default defineConfig({
  test: {
    // Vitest's own choice leaves one core idle; of two that is half the machine.
    maxWorkers: "100%",
    projects: [
      {
        test: {
          name: "node",
          include: ["test/**/*.test.ts"],
          exclude: ["test/{workerd,browser,faults}/**", "test/engines/real/**", ...PROCESS_TESTS],
          ...TIME_OUTS,
        },
      },
      {
        plugins: [
          cloudflareTest(({ inject }) => ({
            // In place of wrangler.toml's: the same Worker under production's limits, which workerd
            // does not enforce.
            main: "./test/workerd/limited-worker.ts",
            wrangler: { configPath: "./wrangler.toml" },
            miniflare: {
              bindings: {
                VERIFIER_URL: inject<string>("upstream_url"),
                VERIFIER_MODEL: "fake",
                MODELS: "*",
                VERIFIER_MAX_IN_FLIGHT: "32",
              },
            },
          })),
        ],
        test: {
          name: "workerd",
          include: ["test/workerd/**/*.test.ts"],
          globalSetup: ["test/workerd/upstream.ts"],
          setupFiles: ["test/workerd/limits-setup.ts"],
          ...TIME_OUTS,
        },
      },
    ],
  },
});
