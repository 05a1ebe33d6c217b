// The name of the code that runs: the checkout's commit. Knows nothing else of git.
import { execFileSync } from "node:child_process";

/** The commit, with a note when files differ from it; `unknown` outside a checkout. */
export function commit(): string {
  const git = (...args: string[]) =>
    execFileSync("git", args, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      cwd: import.meta.dirname,
    }).trim();
  try {
    return git("rev-parse", "HEAD") + (git("status", "--porcelain") === "" ? "" : " (with changes)");
  } catch {
    return "unknown";
  }
}
