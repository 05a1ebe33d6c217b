// Runs wrangler, Cloudflare's command line: its answer, and in its own words why not. It never asks a person,
// and its output is written to no log.
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
  /** Where it failed: Cloudflare's error code, if it was Cloudflare that refused. */
  code: number | null;
  /** Where it failed: one line. */
  reason: string;
  /** After a deploy: where the Worker answers. */
  addresses: string[];
}

interface Entry {
  type: string;
  code?: number;
  message?: string;
  targets?: string[];
}

/**
 * Runs wrangler to its end.
 * @param on `env`: the environment of wrangler.toml, empty: its top level; `account`: empty   until it is
 * known
 * @param input for its standard input, such as secrets
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
        // A third of its start is compiling.
        NODE_COMPILE_CACHE: `${ROOT}node_modules/.cache/wrangler-code`,
        ...process.env,
        // Its build runs Node by name, and needs the one that `npm ci` brings.
        PATH: `${ROOT}node_modules/.bin${delimiter}${process.env.PATH}`,
        // Or it takes the account that it used last, whoever is logged in now.
        ...(account !== "" && { CLOUDFLARE_ACCOUNT_ID: account }),
        WRANGLER_HIDE_BANNER: "true",
        WRANGLER_WRITE_LOGS: "false",
        WRANGLER_OUTPUT_FILE_PATH: record,
      },
    });
    // A process that ends before it has read its input says why in its own words.
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

/** Cloudflare's words, or else wrangler's: it names the path of the interface first. */
function reasonOf(stderr: string, message = ""): string {
  const lines = stderr.split("\n").map((line) => line.trim());
  const said = lines.find((line) => /\[code: \d+\]$/.test(line));
  const error = lines.find((line) => line.includes("[ERROR]"))?.replace(/^.*\[ERROR\]\s*/, "");
  return said ?? (message.split("\n")[0] || error || "wrangler ended without a word");
}
