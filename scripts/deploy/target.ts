// Reads a deployment's name, queues and variables from wrangler.toml, and computes the tag that identifies
// its content.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { PUBLIC, sourcesDigest } from "../build/public/folder.ts";
import { ROOT } from "../project/child.ts";
import { bundleWorker } from "../stack/bundle.ts";

export interface Target {
  /** The environment of wrangler.toml; empty: its top level. */
  env: string;
  worker: string;
  queues: string[];
  /** Variables that are set in wrangler.toml, with their values there. */
  vars: Record<string, string>;
}

const readToml = () => readFileSync(`${ROOT}wrangler.toml`, "utf8");

/** @throws Error if wrangler.toml has no such environment */
export function targetOf(env: string, toml = readToml()): Target {
  const [top = "", ...environments] = toml.split(/^(?=\[env\.\w+\]$)/m);
  const part = env === "" ? top : environments.find((text) => text.startsWith(`[env.${env}]\n`));
  if (part === undefined) throw new Error(`wrangler.toml has no environment ${env}`);
  const section = env === "" ? "vars" : `env.${env}.vars`;
  const vars = part.split(`\n[${section}]\n`)[1]?.split(/^\[/m)[0] ?? "";
  return {
    env,
    worker: /^name = "(.+)"$/m.exec(part)?.[1] ?? "",
    queues: [...new Set([...part.matchAll(/^queue = "(.+)"$/gm)].map(([, queue = ""]) => queue))],
    vars: Object.fromEntries(
      [...vars.matchAll(/^(\w+) = "(.*)"$/gm)].map(([, name = "", value = ""]) => [name, value]),
    ),
  };
}

/** Cloudflare limits the tag of a version to 25 characters. */
const TAG_DIGITS = 16;
export const isTag = (text: string | undefined) => /^kritai-[0-9a-f]{16}$/.test(text ?? "");

/**
 * A digest of the content: the Worker's code, the sources of its pages, wrangler.toml and the variables that
 * override it.
 */
export async function contentTag(env: string, vars: Readonly<Record<string, string>>): Promise<string> {
  const content = [env, vars, readToml(), sourcesDigest(PUBLIC), await bundleWorker()];
  const digest = createHash("sha256").update(JSON.stringify(content)).digest("hex");
  return `kritai-${digest.slice(0, TAG_DIGITS)}`;
}
