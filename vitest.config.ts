// The projects of all tests, chosen by `--project`: scripts/project/test.ts names them. `npm test`
// is `node`, `isolated`, `mocked` and `workerd`: the product's guarantees, in three to four minutes
// on two cores.
import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

/**
 * The time-outs of all tests. They only end what hangs: a test that fails by a clock fails on a
 * busy machine, so no test and no poll has a shorter one.
 */
const TIME_OUTS = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 500_000 } },
} as const;

/** Tests that start the stack, workerd or a command, or simulate hours. */
const PROCESSES = [
  "test/e2e/**/*.test.ts",
  "test/**/restart.test.ts",
  "test/api/contracts/soak.test.ts",
  "test/run-log/owners-migration.test.ts",
  "test/stack/{container,npm-package,replicas,slow-reply,two-machines}.test.ts",
];
/** The laboratory's: its commands as processes, sets of programs rebuilt, its reports as pages. */
const LAB_PROCESSES = [
  "lab/test/bench/**/*.test.ts",
  "lab/test/evaluate/{evaluate,main}.test.ts",
  "lab/test/flags.test.ts",
  "lab/test/loadtest/{command,slice}.test.ts",
  "lab/test/report/out-flags.test.ts",
  "lab/test/testbed/{adversarial,journey,mutation,problem-folders,small-set}.test.ts",
  "lab/test/trainers/**/*.test.ts",
  // Mostly its commands.
  "test/project/help.test.ts",
];
const LAB_PAGES = ["test/browser/{loadtest,study}.test.ts"];
/** Commands that install and build for minutes: they have no time beside the others in CI. */
const DEPLOY = ["test/deploy/deploy.test.ts", "test/e2e/release.test.ts"];
/** Rooms that other projects run by themselves. */
const APART = [
  "**/node_modules/**",
  "test/{workerd,browser,faults}/**",
  "test/engines/real/**",
  ...PROCESSES,
  ...LAB_PROCESSES,
  ...DEPLOY,
];

/** Searches of a quarter of a minute and more, whose guarantees smaller tests of the same room hold. */
const SEARCHES = [
  "test/core/transcript/many.test.ts",
  "test/engines/cpu/assert-tests.test.ts",
  "test/recorded/tournaments.test.ts",
  "test/regexes.test.ts",
  "test/scoring/{budget-bound,rescore}.test.ts",
  "test/security/fuzz.test.ts",
  "test/simulation/**/*.test.ts",
];
/** Its simulator, too. */
const LAB = ["lab/test/**/*.test.ts", "test/engines/simulator/**/*.test.ts"];

/**
 * What is beside the product; databases; what takes a twentieth of the two minutes or more, whose
 * guarantees smaller tests of the same room hold as well; and what needs packages that `npm ci`
 * leaves out (scripts/project/beside.ts).
 */
const SLOW = [
  "test/{admission,clients,engines/cpu,gateway,red-team,run-log}/**/*.test.ts",
  "test/api/contracts/{content,trainer-clients}.test.ts",
  "test/api/routes/soft-votes.test.ts",
  "test/core/regex-peers.test.ts",
  "test/scoring/near-copies.test.ts",
  "test/verifier/sandbox.test.ts",
];

/**
 * Files that have one of these in them share their process with no other file. Each costs a process
 * and its imports, a second of CPU; a file that puts back the globals that it spies on needs none:
 * test/harness/globals-kept.ts holds the others to that.
 */
const NEEDS_A_PROCESS = [
  // Work that another file left behind would set its timers on this one's clock.
  /\bvi\.useFakeTimers\b|@vitest-environment|\/virtual-time|\binVirtualTime\b/,
  /\bspyOn\(globalThis, "setTimeout"\)/,
  // The isolate remembers each backend by its URL, and a port may be had twice.
  /verifier\/create\.ts|\/scalar-setup/,
  // Its engine is started and stopped by hooks of a module that a process loads once.
  /\/soft-votes-setup/,
  // Its imports end in .js, as the built package's: Vite alone reads them.
  /clients\/typescript\/src/,
  // Ids of its responses are counted by process.
  /recorded-replies\.json/,
];
const signed = (signs: readonly RegExp[]) =>
  globSync(["test/**/*.test.ts", "lab/test/**/*.test.ts"], { exclude: ["**/node_modules/**"] }).filter((path) => {
    const text = readFileSync(path, "utf8");
    return signs.some((sign) => sign.test(text));
  });
/** Tests that replace modules need Vite's runner and a process, too. */
const mocked = signed([/\bvi\.(?:mock|doMock|resetModules)\b/]);
const isolated = signed(NEEDS_A_PROCESS).filter((path) => !mocked.includes(path));

/** Node loads TypeScript as it is: without Vite's runner imports cost two fifths of the time. */
const NATIVE = { experimental: { viteModuleRunner: false } } as const;

/** Options of files that share their process. */
const SHARED = { isolate: false, setupFiles: "test/harness/globals-kept.ts", ...NATIVE } as const;

const isolatedOf = (patterns: readonly string[]) => {
  const paths = new Set(globSync(patterns));
  return isolated.filter((path) => paths.has(path));
};

/** Tests in the folders of `npm test` that `npm test` alone leaves out. */
const BESIDE = [...SLOW, ...SEARCHES, ...LAB];

/** Projects with another number of workers run one behind another. */
const ALONE = { fileParallelism: false } as const;

export default defineConfig({
  test: {
    // Vitest's own choice leaves one core idle; of two that is half the machine. One more than there
    // are, because some file always waits: for a window, a back-off, a program that it started.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        test: {
          name: "node",
          include: ["test/**/*.test.ts"],
          exclude: [...APART, ...BESIDE, ...isolated, ...mocked],
          ...SHARED,
          ...TIME_OUTS,
        },
      },
      {
        test: {
          name: "isolated",
          pool: "threads",
          include: isolated,
          exclude: [...APART, ...BESIDE],
          ...NATIVE,
          ...TIME_OUTS,
        },
      },
      { test: { name: "mocked", include: mocked, exclude: [...APART, ...BESIDE], ...TIME_OUTS } },
      {
        plugins: [
          cloudflareTest(({ inject }) => ({
            // In place of wrangler.toml's: the same Worker under production's limits, which workerd
            // does not enforce.
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
      ...[["slow", SLOW] as const, ["searches", SEARCHES] as const, ["lab", LAB] as const].flatMap(
        ([name, include]) => [
          {
            test: {
              name,
              include: [...include],
              exclude: [...APART, ...isolated, ...mocked, ...(name === "slow" ? SEARCHES : [])],
              ...SHARED,
              ...TIME_OUTS,
            },
          },
          { test: { name: `${name}-isolated`, include: isolatedOf(include), exclude: APART, ...TIME_OUTS } },
        ],
      ),
      // The real wrangler, several times a test.
      { test: { name: "deploy", include: DEPLOY, ...TIME_OUTS } },
      ...[["processes", PROCESSES] as const, ["lab-processes", LAB_PROCESSES] as const].map(([name, include]) => ({
        test: { name, include: [...include], exclude: ["**/node_modules/**", ...DEPLOY], ...NATIVE, ...TIME_OUTS },
      })),
      {
        test: {
          name: "faults",
          include: ["test/faults/**/*.test.ts"],
          ...NATIVE,
          ...TIME_OUTS,
          // Most cases wait for a deadline or a back-off: more at a time than there are cores costs
          // nothing.
          maxConcurrency: 6,
        },
      },
      // Pages of the running local stack in headless Chromium.
      ...[["browser", ["test/browser/**/*.test.ts"], LAB_PAGES] as const, ["lab-pages", LAB_PAGES, []] as const].map(
        ([name, include, exclude]) => ({
          test: {
            name,
            include: [...include],
            exclude: [...exclude],
            ...TIME_OUTS,
            ...ALONE,
            sequence: { groupOrder: 1 },
          },
        }),
      ),
      {
        // Against real engines, which test/tools/test-engine.ts starts before it starts these.
        test: {
          name: "engine",
          include: process.env.KRITAI_ENGINES === undefined ? [] : ["test/engines/real/**/*.test.ts"],
          ...TIME_OUTS,
          // A vLLM takes minutes to start on a busy machine, and is started in some tests again.
          testTimeout: 3_600_000,
          hookTimeout: 1_800_000,
          // An engine's CPU time shows whether it is at work, so nothing else may ask it meanwhile.
          ...ALONE,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
