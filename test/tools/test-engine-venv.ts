// The Python environment of the engine test: made when missing, left alone when it holds what its
// requirements name.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Where torch's build without CUDA is, for machines whose pip finds none by its own configuration.
 */
const TORCH_CPU_INDEX = "https://download.pytorch.org/whl/cpu";
/** Characters of a failed command's output that are shown. */
const SHOWN_CHARS = 4_000;

/**
 * The environment's interpreter, with everything installed: torch by its version, all else by hash.
 * Does nothing when that has been done before.
 * @param python the interpreter to make it with, 3.10 or later
 * @param requirements their path, every dependency among them but torch, which torch.txt beside it names
 * @throws Error with the end of what the failing command printed; an AbortError when `signal`
 *   aborts
 */
export async function ensureVenv(
  python: string,
  venv: string,
  requirements: string,
  signal: AbortSignal,
): Promise<string> {
  const interpreter = join(venv, "bin", "python");
  const stamp = join(venv, "installed.sha256");
  const torch = join(dirname(requirements), "torch.txt");
  const wanted = createHash("sha256").update(readFileSync(torch)).update(readFileSync(requirements)).digest("hex");
  if (read(stamp) === wanted) return interpreter;
  rmSync(stamp, { force: true });
  await run(python, ["-m", "venv", "--clear", venv], signal);
  const quietly = ["--quiet", "--no-input", "--disable-pip-version-check", "--no-deps"];
  const install = (...what: string[]) => run(interpreter, ["-m", "pip", "install", ...quietly, ...what], signal);
  await install("-r", torch).catch((fault: Error) => {
    if (signal.aborted) throw fault;
    return install("-r", torch, "--extra-index-url", TORCH_CPU_INDEX);
  });
  await install("--require-hashes", "-r", requirements);
  writeFileSync(stamp, wanted);
  return interpreter;
}

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** Runs a command to its end. @throws Error when it cannot be started or fails */
export async function run(command: string, args: readonly string[], signal: AbortSignal): Promise<void> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], signal });
  let said = "";
  const hear = (text: string) => {
    said = (said + text).slice(-SHOWN_CHARS);
  };
  child.stdout.setEncoding("utf8").on("data", hear);
  child.stderr.setEncoding("utf8").on("data", hear);
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${command} ${args.slice(0, 3).join(" ")} .. failed (${code}):\n${said}`);
}
