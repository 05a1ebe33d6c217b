// The local stack as a process, as `npm start` is one, under production's limits: on SIGTERM it ends with
// status 1 and says so when it was beyond them. Reads what `npm start` reads.
import { startStack } from "../../../scripts/stack/stack.ts";
import { bundleLimitedWorker, expectWithinLimits } from "../production-limits.ts";

const { DATA_DIR = ".kritai", PORT = "0" } = process.env;
const script = await bundleLimitedWorker();
const stack = await startStack({
  host: "127.0.0.1",
  port: Number(PORT),
  dataDir: DATA_DIR,
  env: process.env,
  script,
});
// Miniflare's own handler would end the process before it is asked.
process.removeAllListeners("SIGTERM");
process.once("SIGTERM", async () => {
  const fault = await expectWithinLimits(stack.url).then(
    () => null,
    (error) => `beyond production's limits at ${stack.url}: ${error}`,
  );
  if (fault !== null) console.error(fault);
  await stack.close();
  process.exit(fault === null ? 0 : 1);
});
console.log(`ready ${stack.url}`);
