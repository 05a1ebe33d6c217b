// `npm test [-- NAME] [what vitest takes]`: which projects and programs a name stands for, and what they need
// that `npm ci` leaves out.
import { type Beside, installBeside } from "./beside.ts";
import { goOnAs, ROOT, runToEnd } from "./child.ts";
import { isHelp, isPart, type Parts, sayHelp } from "./parts.ts";

/** The projects of `npm test` without a name: the product's guarantees, with nothing but `npm ci`. */
export const DEFAULT_PROJECTS = ["node", "isolated", "mocked", "workerd"];

export const TESTS = {
  call: "npm test --",
  description: `Without a name: projects ${DEFAULT_PROJECTS.join(", ")}. Flags and files are passed on.`,
  names: {
    slow: "the GPU side, databases, what takes long",
    searches: "properties over thousands of cases, every regular expression's worst text",
    lab: "the laboratory",
    "lab-commands": "the laboratory's commands as processes, and its reports as pages",
    processes: "the stack, its commands and restarts as processes",
    deploy: "npm run deploy, with the real wrangler against stand-ins; a release and what it made",
    faults: "every fault x protocol x form of reply, and half a minute of chaos",
    browser: "the pages in Chromium",
    python: "the Python client: bash clients/python/run-tests.sh",
    engine: "real engines on the CPU, which it installs: test/tools/test-engine.ts",
    all: "everything, one behind another, a real vLLM last",
  },
} as const satisfies Parts<string>;

type Name = keyof typeof TESTS.names;

const PROJECTS: Partial<Record<Name, { projects: readonly string[]; needs: readonly Beside[] }>> = {
  slow: { projects: ["slow", "slow-isolated"], needs: ["lab", "test"] },
  searches: { projects: ["searches", "searches-isolated"], needs: ["lab", "test"] },
  lab: { projects: ["lab", "lab-isolated"], needs: ["lab", "test"] },
  "lab-commands": { projects: ["lab-processes", "lab-pages"], needs: ["lab", "test"] },
  processes: { projects: ["processes"], needs: ["lab", "test"] },
  deploy: { projects: ["deploy"], needs: ["test"] },
  faults: { projects: ["faults"], needs: [] },
  browser: { projects: ["browser"], needs: ["lab", "test"] },
};

const VITEST = "node_modules/vitest/vitest.mjs";
const ENGINE = "test/tools/test-engine.ts";

async function runOne(name: Name | null, args: readonly string[]): Promise<void> {
  if (name === "python") process.exit(await runToEnd("bash", ["clients/python/run-tests.sh", ...args]));
  if (name === "engine") return goOnAs(ENGINE, args);
  const { projects, needs } = (name === null ? undefined : PROJECTS[name]) ?? { projects: DEFAULT_PROJECTS, needs: [] };
  await installBeside(...needs);
  // For the many programs that tests start: half of such a start's CPU is compiling the same code.
  process.env.NODE_COMPILE_CACHE ??= `${ROOT}node_modules/.cache/kritai/compiled`;
  const asked = args.some((arg) => arg.startsWith("--project"))
    ? []
    : projects.flatMap((project) => ["--project", project]);
  await goOnAs(VITEST, ["run", ...asked, ...args]);
}

async function runAll(): Promise<number> {
  const names = ["slow", "searches", "lab", "lab-commands", "processes", "deploy", "faults", "browser", "python"];
  for (const args of [[], ...names.map((name) => [name]), ["engine", "vllm"]]) {
    const status = await runToEnd(process.execPath, [`${ROOT}scripts/project/test.ts`, ...args]);
    if (status !== 0) return status;
  }
  return 0;
}

if (import.meta.main) {
  const [word, ...rest] = process.argv.slice(2);
  if (isHelp(word)) sayHelp(TESTS);
  if (word === "all") process.exit(await runAll());
  await (isPart(TESTS, word) ? runOne(word, rest) : runOne(null, process.argv.slice(2)));
}
