// `npm run check [-- NAME]`: types, lint, prose and generated files, one of them, or the deploy's dry run.
// Packages that types and lint need besides those of `npm ci` are installed on first use.
import { type Beside, installBeside } from "./beside.ts";
import { runToEnd } from "./child.ts";
import { partOf } from "./parts.ts";

export const CHECKS = {
  call: "npm run check --",
  description: "Without a name: types, lint, prose and generated, in this order, up to the first that fails.",
  names: {
    types: "the compiler, for the Worker, for Node and for the TypeScript client",
    lint: "Biome, which also mends: test/node_modules/.bin/biome check --write FILES",
    prose: "comments, messages, documentation and names without words that readers had to guess at",
    generated: "lockfiles, prompts and programs are what their sources give",
    deploy: "what would be deployed can be built",
  },
} as const;

type Name = keyof typeof CHECKS.names;

interface Check {
  needs: readonly Beside[];
  runs: readonly (readonly [program: string, ...args: string[]])[];
}

const node = (...args: string[]) => [process.execPath, ...args] as const;
/** Each checker repeats the types that several files share, so there are at most as many as cores. */
const tsc = (project: string) => ["node_modules/.bin/tsc", "-p", project, "--checkers", "2"] as const;
const CHECK: Record<Name, Check> = {
  types: {
    needs: ["lab", "test"],
    runs: [
      node("scripts/project/client-types.ts"),
      [...tsc("clients/typescript/tsconfig.json"), "--noEmit"],
      ...["tsconfig.json", "tsconfig.node.json"].map(tsc),
    ],
  },
  lint: { needs: ["test"], runs: [["test/node_modules/.bin/biome", "ci", "."]] },
  prose: { needs: [], runs: [node("scripts/project/plain-english.ts")] },
  generated: {
    needs: [],
    runs: ["complete-lockfile", "prompts", "programs"].map((name) => node(`scripts/build/${name}.ts`, "--check")),
  },
  deploy: { needs: [], runs: [["node_modules/.bin/wrangler", "deploy", "--dry-run", "--outdir", "dist/worker"]] },
};

if (import.meta.main) {
  // The compiler is a Go program that ends soon: a third of its time went into collecting garbage.
  process.env.GOGC ??= "400";
  const asked = process.argv.slice(2);
  const names: Name[] =
    asked.length === 0 ? ["types", "lint", "prose", "generated"] : asked.map((word) => partOf(CHECKS, word));
  for (const name of names) {
    const { needs, runs } = CHECK[name];
    await installBeside(...needs);
    for (const [program, ...args] of runs) {
      const status = await runToEnd(program, args);
      if (status !== 0) process.exit(status);
    }
  }
}
