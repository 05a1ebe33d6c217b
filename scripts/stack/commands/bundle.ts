// Owns wrangler.toml's build: the Worker's bundle and the static assets, where wrangler reads them.
import { bundleWorker } from "../bundle.ts";

const text = await bundleWorker();
console.log(`dist/bundle/worker.mjs: ${text.length} bytes`);
