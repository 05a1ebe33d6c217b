// Owns `npm start`: the local stack for as long as the process lives. Reads PORT, HOST, DATA_DIR,
// DATABASE_URL, VERIFIER_*, API_KEYS.
import { once } from "node:events";
import { startStack } from "../stack.ts";

const { PORT = "8787", HOST = "127.0.0.1", DATA_DIR = ".kritai" } = process.env;
const port = Number(PORT);
if (!Number.isInteger(port) || port < 0 || port > 65_535)
  fail(`PORT must be an integer from 0 to 65535, it is ${JSON.stringify(PORT)}`);

try {
  const stack = await startStack({ host: HOST, port, dataDir: DATA_DIR, env: process.env });
  console.log(`database  ${stack.parts.database}\nverifier  ${stack.parts.verifier}\nruns      ${stack.url}/runs`);
  const ending = endSignal();
  console.log(`ready ${stack.url}`);
  await ending;
  console.log("ending: what is under way has 4 s");
  await stack.close();
  process.exit(0);
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}

/**
 * The first SIGTERM or SIGINT. Miniflare's own handlers would end the process before the log's last
 * write, so ours replace them.
 */
function endSignal(): Promise<unknown> {
  const signals = ["SIGTERM", "SIGINT"] as const;
  for (const signal of signals) process.removeAllListeners(signal);
  return Promise.race(signals.map((signal) => once(process, signal)));
}

function fail(message: string): never {
  console.error(`kritai: ${message}`);
  process.exit(1);
}
