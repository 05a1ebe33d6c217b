// `npm run check [-- NAME]`: checks types, lint, prose and generated files, or one of them, or builds a
// deploy without deploying it.
// Installs the packages for types and lint on first use.
import { type Beside, installBeside } from "./beside.ts";
import { runToEnd } from "./child.ts";
import { partOf } from "./parts.ts";

export const CHECKS = {
  call: "npm run check --",
  description: "Without a name: runs types, lint, prose and generated in this order, and stops at the first failure.",
  names: {
    types: "checks the types of the Worker, the Node code and the TypeScript client",
    lint: "runs Biome; to fix files: test/node_modules/.bin/biome check --write FILES",
    prose: "finds unclear words in comments, messages, documentation and names",
    generated: "checks that lockfiles, prompts and programs match their sources",
    deploy: "builds what would be deployed, without deploying it",
  },
} as const;

type Name = keyof typeof CHECKS.names;

interface Check {
  needs: readonly Beside[];
  runs: readonly (readonly [program: string, ...args: string[]])[];
}

const node = (...args: string[]) => [process.execPath, ...args] as const;
/** Each checker repeats the work for shared types, so more checkers than cores are slower. */
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
  // The compiler is a short-lived Go program that spent a third of its time on garbage collection.
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
