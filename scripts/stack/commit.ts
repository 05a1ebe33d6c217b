// The git commit of the running code.
import { execFileSync } from "node:child_process";

/** The commit's hash, marked if files differ from it; `unknown` outside a checkout. */
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
