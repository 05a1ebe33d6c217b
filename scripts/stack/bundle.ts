// Owns the Worker as one module, and the pages that it serves: made from the sources. Knows no
// process.
import { build, stop } from "esbuild";
import { buildAssets } from "./assets.ts";

const ENTRY = new URL("../../src/worker.ts", import.meta.url).pathname;

/**
 * A Worker as one ES module: ours, minified, unless told otherwise. The static assets that it is
 * bound to are built where they are not there.
 */
export async function bundleWorker({ entry = ENTRY, minify = true } = {}): Promise<string> {
  await buildAssets();
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "error",
  });
  // Its helper process would otherwise stay as long as the stack.
  await stop();
  return (outputFiles[0] as { text: string }).text;
}
