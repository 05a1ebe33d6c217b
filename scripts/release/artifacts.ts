// Builds the files for package registries: two npm packages, a wheel and an sdist, and runs the registries'
// own checkers on them.
import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { asPython } from "./versions.ts";

export interface Folders {
  /** The repository, with its installed packages and environments. */
  root: string;
  /** A copy of the sources with the version written into it; its `dist` takes intermediate files. */
  sources: string;
  /** The folder for the release's files. */
  out: string;
}

export interface Artifacts {
  /** The folder of each npm package, unpacked. */
  npm: readonly string[];
  tarballs: readonly string[];
  wheel: string;
  sdist: string;
}

/** Prints the command and runs it. @throws Error with the program's output if it fails */
export function run(cwd: string, program: string, args: readonly string[], env: Record<string, string> = {}): string {
  console.log(`release: ${[program.split("/").at(-1), ...args].join(" ")}`.replaceAll(cwd, "."));
  const options = { cwd, encoding: "utf8", stdio: "pipe", maxBuffer: 1 << 26 } as const;
  return execFileSync(program, args, { ...options, env: { ...process.env, ...env } });
}

/** A program in the Python environment that run-tests.sh creates for releases. */
export const python = (root: string, name: string): string => join(root, ".venv/python-client-release/bin", name);

/** The commit time of HEAD, in seconds since 1970: the timestamp in archives and SBOMs. */
export function committedAt(root: string): string {
  return execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: root, encoding: "utf8" }).trim();
}

/** Builds and checks the artifacts. */
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
  // The package `kritai` has a command and no types to check.
  tool("attw", ...["--profile", "esm-only", tarballs[1] as string]);

  run(root, "bash", ["clients/python/run-tests.sh", "--release", "--prepare"]);
  const built = ["-m", "build", "--no-isolation", "--outdir", out, "clients/python"];
  run(sources, python(root, "python"), built, { SOURCE_DATE_EPOCH: committedAt(root) });
  const name = `kritai-${asPython(version)}`;
  const [wheel, sdist] = [`${name}-py3-none-any.whl`, `${name}.tar.gz`];
  run(out, python(root, "twine"), ["check", "--strict", wheel, sdist]);
  return { npm: [kritai, client], tarballs, wheel, sdist };
}
