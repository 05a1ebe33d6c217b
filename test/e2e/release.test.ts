// A release's packages, as a user has them who has nothing else: `pip install` of the wheel in a bare
// environment, `npx kritai` of the packed tarball in an empty folder, a reward from one to the other, and the
// TypeScript client under two compilers. Needs the registries of npm and of Python.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ROOT, textOf } from "../harness/imports.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const VERSION = "98.7.6-rc.1";
const folder = temporaryFolder();
const out = join(folder.path, "release");
const statesBefore = textOf("package.json") + textOf("CHANGELOG.md");

const run = (cwd: string, program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd, encoding: "utf8", stdio: "pipe" });
const made = (name: string) => {
  const path = join(folder.path, name);
  mkdirSync(path);
  return path;
};
/** A package of an empty folder, with what npm takes from the registry. */
function installed(name: string, tarball: string): string {
  const path = made(name);
  writeFileSync(join(path, "package.json"), '{ "type": "module", "private": true }');
  run(path, "npm", "install", "--no-audit", "--no-fund", "--prefer-offline", join(out, tarball));
  return path;
}

let service: ChildProcess | undefined;
let url = "";
beforeAll(async () => {
  run(ROOT, process.execPath, "scripts/release/main.ts", "--version", VERSION, "--out", out);
  const path = installed("service", `kritai-${VERSION}.tgz`);
  const child = spawn("npx", ["kritai"], {
    ...{ cwd: path, stdio: ["ignore", "pipe", "inherit"] as ["ignore", "pipe", "inherit"] },
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0" },
    detached: true,
  });
  service = child;
  for await (const line of createInterface(child.stdout)) {
    url = /^ready (\S+)/.exec(line)?.[1] ?? "";
    if (url !== "") break;
  }
});
afterAll(async () => {
  // npx, the shell that it starts and the service: one group of processes.
  if (service?.pid !== undefined && service.exitCode === null) {
    process.kill(-service.pid, "SIGTERM");
    await once(service, "exit");
  }
  folder.remove();
});

it("is complete, has the version everywhere, and leaves the tree as it was", async () => {
  const files = readdirSync(out).sort();
  expect(files).toEqual(
    [
      ...["SHA256SUMS", "kritai-98.7.6rc1-py3-none-any.whl", "kritai-98.7.6rc1.tar.gz", `kritai-${VERSION}.tgz`],
      ...[`kritai-client-${VERSION}.tgz`, "licences.tsv", "npm-client.cdx.json", "npm-kritai.cdx.json"],
      ...["provenance.json", "python.cdx.json"],
    ].sort(),
  );
  const sums = readFileSync(join(out, "SHA256SUMS"), "utf8").trim().split("\n");
  expect(sums.map((line) => line.split("  ")[1]).sort()).toEqual(files.filter((name) => name !== "SHA256SUMS"));
  for (const line of sums) {
    const [sum, name = ""] = line.split("  ");
    expect(
      createHash("sha256")
        .update(readFileSync(join(out, name)))
        .digest("hex"),
    ).toBe(sum);
  }
  const { subject, predicate } = JSON.parse(readFileSync(join(out, "provenance.json"), "utf8"));
  expect(subject.map(({ name }: { name: string }) => name)).toContain(`kritai-${VERSION}.tgz`);
  expect(predicate.buildDefinition.resolvedDependencies[0].digest.gitCommit).toBe(
    run(ROOT, "git", "rev-parse", "HEAD").trim(),
  );
  for (const name of ["npm-kritai", "npm-client", "python"]) {
    const bom = JSON.parse(readFileSync(join(out, `${name}.cdx.json`), "utf8"));
    expect(bom).toMatchObject({
      bomFormat: "CycloneDX",
      metadata: { component: { version: expect.stringMatching(/^98/) } },
    });
    expect(bom.components.length).toBeGreaterThan(0);
  }
  expect(textOf("package.json") + textOf("CHANGELOG.md")).toBe(statesBefore);
  const info = (await (await fetch(url)).json()) as { version: string };
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as { info: { version: string } };
  expect([info.version, document.info.version]).toEqual([VERSION, VERSION]);
});

it("`kritai check` and `kritai demo` of the wheel, against `npx kritai` of the tarball", () => {
  const path = made("python");
  run(path, "python3", "-m", "venv", "venv");
  run(path, "venv/bin/pip", "install", "--quiet", join(out, "kritai-98.7.6rc1-py3-none-any.whl"));
  const kritai = (...args: string[]) => run(path, "venv/bin/kritai", ...args, "--url", url);
  const said = kritai("check", "--groups", "4", "--rollouts", "3");
  expect(said).toMatch(/^address +answers in \d+ ms$/m);
  expect(said).toMatch(/^service +.*$/m);
  expect(said).toMatch(/^spec +sha256:\w{12}, rewards in \[-1, 1\]/m);
  expect(said).toMatch(/^step +4 groups of 3: 12 generations at first, \d+ at most/m);
  expect(kritai("demo")).toMatch(/^doubles +1$[\s\S]*^adds two +0.5$[\s\S]*^no program +-1$/m);
  expect(kritai("runs")).toMatch(/^kritai-demo /m);
});

const USED = `import { createClient, KritaiError, type RewardsRequest } from "@kritai/client";
const request: RewardsRequest = {
  run_id: "ts",
  step: 1,
  groups: [{ prompt: "Read n and print n doubled.\\n\\nSample Input 1\\n4\\nSample Output 1\\n8", rollouts: [
    { text: "\`\`\`python\\nprint(int(input()) + 2)\\n\`\`\`" },
    { text: "\`\`\`python\\nprint(int(input()) * 2)\\n\`\`\`" },
    { text: "no idea" },
  ] }],
};
const kritai = createClient({ url: process.argv[2] as string });
const { rewards, groups } = await kritai.rewards(request);
const first: number | null | undefined = rewards[0]?.[0];
for await (const event of kritai.streamRewards(request)) if (event.type === "group") event.rollouts[0]?.reward;
const { run_id } = await kritai.call("get", "/v1/runs/{run_id}", { params: { path: { run_id: "ts" } } });
const fault = await kritai.call("get", "/v1/runs/{run_id}", { params: { path: { run_id: "none" } } }).catch((error: unknown) => error);
if (!(fault instanceof KritaiError)) throw fault;
const known: boolean = fault.code === "not_found";
console.log(JSON.stringify({ rewards, first, run_id, known, error: groups[0]?.rollouts[2]?.error }));
`;
/** Each line is refused by the types. */
const REFUSED = `import { createClient } from "@kritai/client";
const kritai = createClient({ url: "http://127.0.0.1" });
// @ts-expect-error a group has rollouts
kritai.rewards({ groups: [{ prompt: "p" }] });
// @ts-expect-error no such path
kritai.call("get", "/v1/rnus");
// @ts-expect-error the path has a parameter
kritai.call("get", "/v1/runs/{run_id}");
// @ts-expect-error a reward may be null
kritai.rewards({ groups: [] }).then(({ rewards }): number | undefined => rewards[0]?.[0]);
`;

it("the TypeScript client is typed under both compilers, and gets rewards where Node runs it", () => {
  const path = installed("typescript", `kritai-client-${VERSION}.tgz`);
  writeFileSync(join(path, "used.ts"), `declare const process: { argv: string[] };\n${USED}`);
  writeFileSync(join(path, "refused.ts"), REFUSED);
  const flags = ["--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,dom.iterable"];
  for (const modules of ["node_modules", "test/node_modules"])
    run(path, join(ROOT, modules, ".bin/tsc"), ...flags, "--outDir", "js", "used.ts", "refused.ts");
  const said = JSON.parse(run(path, process.execPath, "js/used.js", url));
  expect(said).toEqual({ rewards: [[0.5, 1, -1]], first: 0.5, run_id: "ts", known: true, error: null });
});
