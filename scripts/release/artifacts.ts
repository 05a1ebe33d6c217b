// The files that registries take: two npm packages, a wheel and an sdist, built from a folder with the
// sources, and what the registries' own checkers say of them.
import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { asPython } from "./versions.ts";

export interface Folders {
  /** The repository, whose packages and environments are used. */
  root: string;
  /** The tree with the version written into it; what is made on the way lies in its `dist`. */
  sources: string;
  /** Where the release's files go. */
  out: string;
}

export interface Artifacts {
  /** Where each npm package lies unpacked. */
  npm: readonly string[];
  tarballs: readonly string[];
  wheel: string;
  sdist: string;
}

/** Says what it runs; @throws Error with what the program printed where it fails */
export function run(cwd: string, program: string, args: readonly string[], env: Record<string, string> = {}): string {
  console.log(`release: ${[program.split("/").at(-1), ...args].join(" ")}`.replaceAll(cwd, "."));
  const options = { cwd, encoding: "utf8", stdio: "pipe", maxBuffer: 1 << 26 } as const;
  return execFileSync(program, args, { ...options, env: { ...process.env, ...env } });
}

/** A program of the environment that run-tests.sh makes for releases. */
export const python = (root: string, name: string): string => join(root, ".venv/python-client-release/bin", name);

/** When HEAD was committed, seconds: the time that archives and lists state. */
export function committedAt(root: string): string {
  return execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: root, encoding: "utf8" }).trim();
}

/** Builds and checks. */
export function build({ root, sources, out }: Folders, version: string): Artifacts {
  const node = (...args: string[]) => run(sources, process.execPath, args);
  const tool = (name: string, ...args: string[]) => run(out, join(root, "test/node_modules/.bin", name), args);
  node("scripts/project/client-types.ts");
  const kritai = join(sources, "dist/kritai");
  node("scripts/stack/commands/package.ts", kritai);
  const client = join(sources, "dist/client");
  const written = join(sources, "clients/typescript");
  run(sources, join(root, "node_modules/.bin/tsc"), ["-p", written, "--outDir", join(client, "dist")]);
  for (const name of ["package.json", "README.md", "LICENSE"]) cpSync(join(written, name), join(client, name));

  const pack = (folder: string) => run(folder, "npm", ["pack", "--silent", "--pack-destination", out]).trim();
  const tarballs = [pack(kritai), pack(client)];
  for (const tarball of tarballs) tool("publint", "run", "--strict", tarball);
  // The other has a command, and no types that could be wrong.
  tool("attw", ...["--profile", "esm-only", tarballs[1] as string]);

  run(root, "bash", ["clients/python/run-tests.sh", "--release", "--prepare"]);
  const built = ["-m", "build", "--no-isolation", "--outdir", out, "clients/python"];
  run(sources, python(root, "python"), built, { SOURCE_DATE_EPOCH: committedAt(root) });
  const name = `kritai-${asPython(version)}`;
  const [wheel, sdist] = [`${name}-py3-none-any.whl`, `${name}.tar.gz`];
  run(out, python(root, "twine"), ["check", "--strict", wheel, sdist]);
  return { npm: [kritai, client], tarballs, wheel, sdist };
}
