// The build command of wrangler.toml: writes the Worker's bundle and the static assets for wrangler.
import { bundleWorker } from "../bundle.ts";

for (const [name, text] of Object.entries(await bundleWorker()))
  console.log(`dist/bundle/${name}: ${text.length} bytes`);
