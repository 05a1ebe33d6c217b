// The projects of all tests, chosen by `--project`: scripts/project/test.ts names them. A test's lane follows
// from its folder, or from the ending of its name: `.slow`, `.search` or `.process` before `.test.ts`.
import { availableParallelism } from "node:os";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/** Time-outs only end what hangs: a test that fails by a clock fails on a busy machine. */
const LIMITS = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 500_000 } } };
/** Node loads TypeScript as it is: without Vite's runner imports cost two fifths of the time. */
const NATIVE = { experimental: { viteModuleRunner: false } };
/** Files share their process, whose imports cost a second of CPU; they put back the globals that they replace. */
const SHARED = {
  isolate: false,
  setupFiles: ["test/harness/globals-kept.ts", "test/harness/client-sources.ts"],
  ...NATIVE,
};
/** Projects with another number of workers run one behind another. */
const alone = (groupOrder: number) => ({ fileParallelism: false, sequence: { groupOrder } });

/** Tests of a table with one entry more, which `vi.mock` replaces: each needs a process and Vite's runner. */
const TOYS = ["test/toys/**/*.test.ts"];
/** Tests that start the stack, workerd or a command, or simulate hours. */
const PROCESSES = ["test/e2e/**/*.test.ts", "test/**/{restart,soak}.test.ts", "test/**/*.process.test.ts"];
/** The laboratory's: its commands as processes, sets of programs rebuilt. */
const COMMANDS = ["lab/test/{bench,trainers}/**/*.test.ts", "{lab/test,test/project}/**/*.process.test.ts"];
const LAB_PAGES = ["test/browser/{loadtest,study}.test.ts"];
/** Commands that install and build for minutes. */
const DEPLOY = ["test/{deploy/deploy,e2e/release}.test.ts"];
/** Searches of a quarter of a minute and more, whose guarantees smaller tests of the same room hold. */
const SEARCHES = ["test/**/*.search.test.ts"];
const LAB = ["lab/test/**/*.test.ts", "test/engines/simulator/**/*.test.ts"];
/**
 * What is beside the product; databases; what takes a twentieth of the two minutes or more, whose guarantees
 * smaller tests of the same room hold as well; what needs packages that `npm ci` leaves out.
 */
const SLOW = [
  "test/{admission,clients,engines/cpu,gateway,red-team,run-log}/**/*.test.ts",
  "test/api/contracts/{content,trainer-clients}.test.ts",
  "test/**/*.slow.test.ts",
];
/** Rooms that other projects run by themselves. */
const APART = ["**/node_modules/**", "test/{workerd,browser,faults}/**", "test/engines/real/**"];
const STARTING = [...PROCESSES, ...COMMANDS, ...DEPLOY];

const project = (name: string, include: readonly string[], exclude: readonly string[], more: object = NATIVE) => ({
  test: { name, include: [...include], exclude: ["**/node_modules/**", ...exclude], ...LIMITS, ...more },
});

/** In place of wrangler.toml's: the same Worker under production's limits, which workerd does not enforce. */
const limitedWorker = cloudflareTest(({ inject }) => ({
  main: "./test/workerd/limited-worker.ts",
  wrangler: { configPath: "./wrangler.toml" },
  // Workers AI would need a login.
  remoteBindings: false,
  miniflare: {
    bindings: {
      VERIFIER_URL: inject<string>("upstream_url"),
      VERIFIER_MODEL: "fake",
      // Where the machine is busy a second copy of a slow question would be counted.
      VERIFIER_HEDGING: "off",
      EARLY_JUDGING: process.env.EARLY_JUDGING ?? "",
      MODELS: "*",
      LOG_LEVEL: "error",
      // The secrets that wrangler.toml requires would come from this process's variables.
      API_KEYS: "",
      DATABASE_URL: "",
      VERIFIER_MAX_IN_FLIGHT: "32",
    },
  },
}));
const WORKERD = { globalSetup: ["test/workerd/upstream.ts"], setupFiles: ["test/workerd/limits-setup.ts"] };

/** A vLLM takes minutes to start on a busy machine. Its CPU time shows whether it is at work, so it runs alone. */
const ENGINE = { testTimeout: 3_600_000, hookTimeout: 1_800_000, ...alone(2) };
const engines = process.env.KRITAI_ENGINES === undefined ? [] : ["test/engines/real/**/*.test.ts"];

const projects = [
  project("node", ["test/**/*.test.ts"], [...APART, ...STARTING, ...TOYS, ...SLOW, ...SEARCHES, ...LAB], SHARED),
  project("toys", TOYS, [], {}),
  { plugins: [limitedWorker], ...project("workerd", ["test/workerd/**/*.test.ts"], [], WORKERD) },
  project("slow", SLOW, [...STARTING, ...SEARCHES], SHARED),
  project("searches", SEARCHES, [], SHARED),
  project("lab", LAB, STARTING, SHARED),
  project("deploy", DEPLOY, [], {}),
  project("processes", PROCESSES, [...DEPLOY, "test/project/**"]),
  project("lab-processes", COMMANDS, []),
  // Most cases wait for a deadline or a back-off: more at a time than there are cores costs nothing.
  project("faults", ["test/faults/**/*.test.ts"], [], { ...NATIVE, maxConcurrency: 6 }),
  project("browser", ["test/browser/**/*.test.ts"], LAB_PAGES, alone(1)),
  project("lab-pages", LAB_PAGES, [], alone(1)),
  project("engine", engines, [], ENGINE),
];

// One worker more than there are cores, because some file always waits for a program that it started.
export default defineConfig({ test: { maxWorkers: availableParallelism() + 1, projects } });
