// Every command that is a program of ours says what it takes when asked for help, and refuses a
// flag that it does not have, before it does anything.
import { spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { LAB, mainOf } from "../../scripts/project/lab.ts";

const scriptsOf = (folder: string) =>
  JSON.parse(readFileSync(`${folder}package.json`, "utf8")).scripts as Record<string, string>;
/** By how its call begins. */
const programs: [call: string, ...command: string[]][] = [
  ...["start", "demo", "token", "migrate"].map((name): [string, string] => [
    `npm run ${name}`,
    `scripts/stack/commands/${name}.ts`,
  ]),
  ...["expire", "replay"].map((name): [string, string, string] => [
    `npm run logs -- ${name}`,
    "scripts/stack/commands/logs.ts",
    name,
  ]),
  ...(Object.keys(LAB.names) as (keyof typeof LAB.names)[]).map((name): [string, string] => [
    scriptsOf("")[name] === undefined ? `npm run lab -- ${name}` : `npm run ${name} --`,
    mainOf(name),
  ]),
  ["npm run deploy", "scripts/deploy/main.ts"],
  ["npm run lab -- NAME", "scripts/project/lab.ts"],
  ["npm run logs -- NAME", "scripts/stack/commands/logs.ts"],
  ["npm run check -- NAME", "scripts/project/check.ts"],
  ["npm run generate -- NAME", "scripts/project/generate.ts"],
  ["npm test -- engine", "test/tools/test-engine.ts"],
  ["npm run gateway -w gpu-backend", "gpu-backend/gateway/main.ts"],
  ["npm run simulator -w gpu-backend", "gpu-backend/engines/simulator/main.ts"],
  ["npm run cost -w gpu-backend", "gpu-backend/serve/cost.ts"],
  ...["prompts", "programs", "complete-lockfile"].map((name): [string, string] => [
    `node scripts/build/${name}.ts`,
    `scripts/build/${name}.ts`,
  ]),
];

/** Commands of pages, one a line, without comments behind them. */
const pages = ["README.md", ...globSync(["docs/**/*.md", "lab/*/README.md"])].map((path) => readFileSync(path, "utf8"));
const commands = pages.flatMap((page) =>
  [...page.matchAll(/^```sh\n(.*?)^```|`(npm [^`]+)`/gms)].flatMap(([, block, inline]) =>
    (block ?? inline ?? "").split("\n").map((line) => line.replace(/\s+#.*/, "")),
  ),
);

/** The flags with which pages call a command, as in `npm start -- --quiet`, each behind its part's name. */
function flagsOnPages(call: string): string[] {
  const start = call.replace(/^npm run start$/, "npm start").replace(/ --$/, "");
  const calls = commands.flatMap((command) => command.split(`${start} `).slice(1));
  const flags = calls.flatMap((rest) => {
    const [part = ""] = /^(?:-- )?[a-z]+(?= |$)/.exec(rest) ?? [];
    return (rest.match(/(?<=^|\s)--[a-z][\w-]+/g) ?? []).map((flag) => `${part} ${flag}`.trim());
  });
  return [...new Set(flags)];
}

async function run(...args: string[]) {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const [stdout, stderr, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((ended) => child.once("close", ended)),
  ]);
  return { status, stdout, stderr };
}

describe.each(programs)("%s", (call, ...command) => {
  it("prints its usage and ends with 0 for --help", async () => {
    const { status, stdout, stderr } = await run(...command, "--help");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(call);
    // Whatever a page calls it with.
    const unknown = flagsOnPages(call).map(async (named) => {
      const [flag = "", ...part] = named.split(" ").reverse();
      const help = part.length === 0 ? stdout : (await run(...command, ...part, "--help")).stdout;
      return help.includes(flag) ? [] : [named];
    });
    expect((await Promise.all(unknown)).flat()).toEqual([]);
  });

  it("refuses a flag that it does not have by its name, without a stack trace", async () => {
    const { status, stdout, stderr } = await run(...command, "--nonesuch");
    expect(stderr).toContain("nonesuch");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

it("npm test says what it takes; what it does not know goes to vitest", async () => {
  const { status, stdout, stderr } = await run("scripts/project/test.ts", "--help");
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("npm test -- NAME");
});

it("pages call commands with flags", () => {
  expect(flagsOnPages("npm run evaluate --")).toContain("--set");
  expect(flagsOnPages("npm run start")).toContain("--example");
});

it("a name that is almost one is guessed", async () => {
  const { status, stderr } = await run("scripts/project/lab.ts", "stduy");
  expect([status, stderr.split("\n")[0]]).toEqual([2, "kritai: unknown NAME stduy; did you mean study?"]);
});

it("are all that package.json and gpu-backend/package.json call", () => {
  const looked = new Set([...programs.map(([, main]) => main), "scripts/project/test.ts"]);
  const called = ["", "gpu-backend/"].flatMap((folder) =>
    Object.entries(scriptsOf(folder)).flatMap(([name, command]) => {
      const main = /(?:^|[\s/])((?:\w[\w-]*\/)+[\w-]+\.ts)/.exec(command)?.[1];
      return name === "postinstall" ? [] : [folder === "" ? main : `${folder}${main}`];
    }),
  );
  expect(called).toHaveLength(15);
  expect(called.filter((main) => main === undefined || !looked.has(main))).toEqual([]);
});

it("no program reads its flags by itself: gpu-backend/flags.ts does, with node's parseArgs", () => {
  const sources = globSync(["scripts/**/*.ts", "gpu-backend/**/*.ts", "lab/**/*.ts"], {
    exclude: ["**/node_modules/**"],
  });
  const matching = (words: RegExp) => sources.filter((file) => words.test(readFileSync(file, "utf8")));
  expect(matching(/\bparseArgs\(/)).toEqual(["gpu-backend/flags.ts"]);
  expect(matching(/\bargv\.(?:indexOf|find)\(|process\.argv\.includes\(/)).toEqual([]);
});
