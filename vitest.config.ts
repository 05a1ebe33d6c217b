// Time-outs only end what hangs: a test that fails by a clock fails on a busy machine. Two test
// projects: `node` (core, adapters, embedded parts) and `workerd` (the real runtime, through the
// Cloudflare plugin).
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "node",
          include: ["test/**/*.test.ts"],
          exclude: ["test/workerd/**", "test/browser/**", "test/engines/real/**", "test/faults/**"],
          testTimeout: 180_000,
          hookTimeout: 120_000,
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
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
