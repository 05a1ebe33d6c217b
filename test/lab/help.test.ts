// Every npm script that is a program of ours says what it takes when asked for help, and refuses a
// flag that it does not have, before it does anything.
import { spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";

const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
const PROGRAM = /^(?:exec )?node (?:--import \S+ )?((?:scripts\/(?:lab|stack)|gpu-backend|test\/tools)\/\S+\.ts)$/;
const programs = Object.entries(scripts).flatMap(([name, command]) => {
  const main = PROGRAM.exec(command)?.[1];
  return main === undefined ? [] : [[name, main] as const];
});
/** What `npm run generate` and `npm run check` call. */
const builders = ["prompts", "programs", "complete-lockfile"].map(
  (name) => [name, `scripts/build/${name}.ts`] as const,
);

async function run(main: string, flag: string) {
  const child = spawn(process.execPath, [main, flag], { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((ended) => child.once("close", ended)),
  ]);
  return { status, stdout, stderr };
}

describe.each([...programs, ...builders])("%s", (name, main) => {
  it("prints its usage and ends with 0 for --help", async () => {
    const { status, stdout, stderr } = await run(main, "--help");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(name === "cost" || main.startsWith("scripts/build/") ? main : `npm run ${name}`);
  });

  it("refuses a flag that it does not have by its name, without a stack trace", async () => {
    const { status, stdout, stderr } = await run(main, "--nonesuch");
    expect(stderr).toContain("nonesuch");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

it("looks at every command of docs/commands.md that is a program", () => {
  expect(programs.map(([name]) => name)).toEqual(
    expect.arrayContaining([
      "start",
      "demo",
      "bench",
      "testbed",
      "token",
      "logs:expire",
      "logs:replay",
      "study",
      "evaluate",
      "loadtest",
    ]),
  );
});

it("no program reads its flags by itself: gpu-backend/flags.ts does, with node's parseArgs", () => {
  const sources = globSync(["scripts/{lab,stack}/**/*.ts", "scripts/build/*.ts", "gpu-backend/**/*.ts"]);
  const matching = (words: RegExp) => sources.filter((file) => words.test(readFileSync(file, "utf8")));
  expect(matching(/\bparseArgs\(/)).toEqual(["gpu-backend/flags.ts"]);
  expect(matching(/\bargv\.(?:indexOf|find)\(|process\.argv\.includes\(/)).toEqual([]);
});
