// Owns wrangler.toml's build: the Worker's bundle and the static assets, where wrangler reads them.
import { bundleWorker } from "../bundle.ts";

for (const [name, text] of Object.entries(await bundleWorker()))
  console.log(`dist/bundle/${name}: ${text.length} bytes`);
