// Runs wrangler, Cloudflare's command line, and returns its output or the reason for its failure. wrangler
// never prompts, and writes no log file.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { stripVTControlCharacters } from "node:util";
import { ROOT } from "../project/child.ts";

export interface WranglerReply {
  ok: boolean;
  stdout: string;
  /** After a failure: Cloudflare's error code; null if the error is wrangler's. */
  code: number | null;
  /** After a failure: the reason, in one line. */
  reason: string;
  /** After a deploy: the Worker's URLs. */
  addresses: string[];
}

interface Entry {
  type: string;
  code?: number;
  message?: string;
  targets?: string[];
}

/**
 * Runs wrangler until it exits.
 * @param on `env`: the environment in wrangler.toml, empty for its top level; `account`: empty until known
 * @param input text for standard input, such as secrets
 */
export async function wrangler(
  { env, account }: { env: string; account: string },
  args: readonly string[],
  input?: string,
): Promise<WranglerReply> {
  const folder = mkdtempSync(join(tmpdir(), "kritai-wrangler-"));
  const record = join(folder, "record.ndjson");
  try {
    const child = spawn(process.execPath, ["node_modules/wrangler/bin/wrangler.js", ...args, `--env=${env}`], {
      cwd: ROOT,
      stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      env: {
        WRANGLER_SEND_METRICS: "false",
        // Compiling takes a third of wrangler's start.
        NODE_COMPILE_CACHE: `${ROOT}node_modules/.cache/wrangler-code`,
        ...process.env,
        // wrangler's build command runs `node`, which must be the one that `npm ci` installs.
        PATH: `${ROOT}node_modules/.bin${delimiter}${process.env.PATH}`,
        // Without it wrangler uses the account that it used last, even after a new login.
        ...(account !== "" && { CLOUDFLARE_ACCOUNT_ID: account }),
        WRANGLER_HIDE_BANNER: "true",
        WRANGLER_WRITE_LOGS: "false",
        WRANGLER_OUTPUT_FILE_PATH: record,
      },
    });
    // If wrangler exits before it reads its input, its own error says why.
    child.stdin?.on("error", () => {}).end(input);
    const [stdout, stderr, status] = await Promise.all([
      text(child.stdout as NonNullable<typeof child.stdout>),
      text(child.stderr as NonNullable<typeof child.stderr>),
      new Promise<number | null>((ended) => void child.once("close", ended)),
    ]);
    const entries = readEntries(record);
    const failed = entries.find(({ type }) => type === "command-failed");
    const targets = entries.find(({ type }) => type === "deploy")?.targets ?? [];
    return {
      ok: status === 0,
      stdout: stripVTControlCharacters(stdout),
      code: failed?.code ?? null,
      reason: reasonOf(stripVTControlCharacters(stderr), failed?.message),
      addresses: targets.filter((target) => target.startsWith("https://")),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function readEntries(file: string): Entry[] {
  try {
    const lines = readFileSync(file, "utf8").trim().split("\n");
    return lines.map((line) => JSON.parse(line) as Entry);
  } catch {
    return [];
  }
}

/** Cloudflare's error, or else wrangler's: wrangler's message begins with the API's path. */
function reasonOf(stderr: string, message = ""): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  const said = lines.find((line) => /\[code: \d+\]$/.test(line));
  const error = lines.find((line) => line.includes("[ERROR]"))?.replace(/^.*\[ERROR\]\s*/, "");
  return said ?? (message.split("\n")[0] || error || "wrangler failed without an error message");
}
