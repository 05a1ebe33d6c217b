// Runs the launch scripts with a stand-in for the engine that writes down what it was started with. Must not
// know any flag.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SERVE } from "./records.ts";

export interface Launched {
  status: number | null;
  stdout: string;
  stderr: string;
  /** The engine's arguments; empty when it was not started. */
  argv: string[];
  env: Record<string, string>;
}

/**
 * A folder with stand-ins named like the engines' programs; each writes its arguments and
 * environment, then does `body`.
 */
export function standIns(body = ""): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "kritai-serve-"));
  for (const program of ["vllm", "python3"]) {
    const path = join(folder, program);
    writeFileSync(path, `#!/bin/bash\nprintf '%s\\0' "$@" >"$CAPTURE"\nenv -0 >"$CAPTURE.env"\n${body}\n`);
    chmodSync(path, 0o755);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Only what a script needs: nothing of the machine's own settings may reach it. */
export const bareEnv = (folder: string, env: Record<string, string>): Record<string, string> => ({
  PATH: `${folder}:/usr/local/bin:/usr/bin:/bin`,
  HOME: folder,
  TMPDIR: folder,
  CAPTURE: join(folder, "capture"),
  ...env,
});

const entries = (path: string): string[] => {
  try {
    return readFileSync(path, "utf8").split("\0").slice(0, -1);
  } catch {
    return [];
  }
};

/** Runs launch/<script> to its end. */
export async function launch(
  script: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Launched> {
  const { folder, remove } = standIns();
  try {
    const child = spawn("bash", [`${SERVE}launch/${script}`, ...args], { env: bareEnv(folder, env) });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const [status] = (await once(child, "close")) as [number | null];
    const pairs = entries(join(folder, "capture.env")).map((line) => {
      const cut = line.indexOf("=");
      return [line.slice(0, cut), line.slice(cut + 1)] as const;
    });
    // The file with SGLang's key lies in the folder that goes away: its text takes the place of its
    // path.
    const argv = entries(join(folder, "capture")).map((arg) =>
      arg.startsWith(folder) ? readFileSync(arg, "utf8") : arg,
    );
    return { status, stdout, stderr, argv, env: Object.fromEntries(pairs) };
  } finally {
    remove();
  }
}

/** Flags with their values; `null` for a switch. What stands before the first flag is not in it. */
export function flagsOf(argv: readonly string[]): Map<string, string | null> {
  const flags = new Map<string, string | null>();
  argv.forEach((arg, i) => {
    if (!arg.startsWith("--")) return;
    if (flags.has(arg)) throw new Error(`${arg} is given twice`);
    const next = argv[i + 1];
    flags.set(arg, next === undefined || next.startsWith("--") ? null : next);
  });
  return flags;
}
