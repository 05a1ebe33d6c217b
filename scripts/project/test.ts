// `npm test [-- NAME] [vitest's flags and files]`: runs the vitest projects or the program of a name, after
// installing the packages that they need in addition to `npm ci`.
import { type Beside, installBeside } from "./beside.ts";
import { goOnAs, ROOT, runToEnd } from "./child.ts";
import { isHelp, isPart, type Parts, sayHelp } from "./parts.ts";

/** The vitest projects of `npm test` without a name, which need only the packages of `npm ci`. */
export const DEFAULT_PROJECTS = ["node", "toys", "workerd"];

export const TESTS = {
  call: "npm test --",
  description: `Without a name: runs the projects ${DEFAULT_PROJECTS.join(", ")}. Passes flags and files on to vitest.`,
  names: {
    slow: "the GPU side, databases and other slow tests",
    searches: "properties over thousands of cases, and the worst-case text of every regular expression",
    lab: "the lab's code",
    "lab-commands": "the lab's commands as processes, and its report pages",
    processes: "the local stack as processes: commands and restarts",
    deploy: "npm run deploy with the real wrangler against fake services, and a release's files",
    faults: "every combination of fault, protocol and reply format, and half a minute of chaos",
    browser: "the web pages in Chromium",
    python: "the Python client: bash clients/python/run-tests.sh",
    engine: "installs and tests real inference engines on the CPU: test/tools/test-engine.ts",
    all: "all tests in sequence, with a real vLLM at the end",
  },
} as const satisfies Parts<string>;

type Name = keyof typeof TESTS.names;

const PROJECTS: Partial<Record<Name, { projects: readonly string[]; needs: readonly Beside[] }>> = {
  slow: { projects: ["slow"], needs: ["lab", "test"] },
  searches: { projects: ["searches"], needs: ["lab", "test"] },
  lab: { projects: ["lab"], needs: ["lab", "test"] },
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
  // Tests start many programs, and half of the CPU time of each start goes into compiling the same code.
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
