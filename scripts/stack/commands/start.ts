// `npm start`: checks the environment variables, then runs the local stack until Ctrl-C and prints one line
// per request.
import { once } from "node:events";
import { commandFlags } from "../../command-line/flags.ts";
import { terminalLine, thrownText } from "../log-line.ts";

const { example, quiet } = commandFlags({
  command: "start",
  description:
    "Runs Kritai on this machine until Ctrl-C: the edge Worker, a database and a verifier. The database and the verifier are embedded, unless a variable names others.",
  switches: {
    example: "adds an example run to the log, to try the pages",
    quiet: "don't log requests; still log errors",
  },
  variables: {
    PORT: "the port to listen on; 0: any free port (default: 8787)",
    HOST: "the address to listen on (default: 127.0.0.1)",
    DATA_DIR: "the folder for the files of database, queues and Durable Objects (default: .kritai)",
    DATABASE_URL: "a Postgres or Neon database, prepared by npm run migrate (default: an embedded Postgres)",
    VERIFIER_URL:
      "the URL of the model that judges; see also VERIFIER_MODEL, VERIFIER_PROTOCOL, VERIFIER_API_KEY (default: an embedded CPU verifier)",
    JUDGE: "the default judge preset (docs/judges.md); simulated unless VERIFIER_URL is set (default: none)",
    LOG_TEXTS: "off: store hashes of prompts and answers, not their texts (default: on with the embedded database)",
    API_KEYS: "API keys as name:sha256hex:scopes (default: none; only this machine may send requests)",
    "…": "other variables of the Worker: docs/variables.md",
  },
});
const { PORT = "8787", HOST = "127.0.0.1", DATA_DIR = ".kritai" } = process.env;
const port = /^\d{1,5}$/.test(PORT) ? Number(PORT) : Number.NaN;
if (!(port <= 65_535)) fail([`PORT must be an integer from 0 to 65535, not ${JSON.stringify(PORT)}`]);

/** Until the stack is ready, all requests are its own probes. */
let ready = false;
const began = performance.now();
console.log(
  `starting  on ${HOST}, ${port === 0 ? "any free port" : `port ${port}`}: the Worker, a database and a verifier`,
);
try {
  // The imports below come late because these modules take long to load.
  const { keyNames, misspeltVariables, startFaults } = await import("../preflight.ts");
  const names = keyNames(process.env);
  for (const line of misspeltVariables(process.env)) console.error(`warning   ${line}`);
  const faults = await startFaults(process.env, { host: HOST, port, dataDir: DATA_DIR });
  if (faults.length > 0) fail(faults.map(({ path, message }) => `${path}: ${message}`));
  const { startStack } = await import("../stack.ts");
  const stack = await startStack({
    ...{ host: HOST, port, dataDir: DATA_DIR, env: process.env },
    note: (progress) => console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${progress}`),
    log_requests: !quiet,
    logged: tellLines(() => ready),
  });
  console.log(`database  ${stack.parts.database}\nverifier  ${stack.parts.verifier}`);
  console.log(`keys      ${names.join(", ") || "none: only this machine may send requests, without a key"}`);
  console.log(`texts     ${stack.parts.texts}`);
  console.log(`docs      ${stack.url}/docs\nruns      ${stack.url}/runs`);
  if (example) {
    const { EXAMPLE_RUN, writeExampleRun } = await import("../example-run.ts");
    const key_name = names[0] ?? null;
    const written = await writeExampleRun({ vars: stack.database, key_name });
    console.log(
      `example   ${stack.url}/runs/${EXAMPLE_RUN} (made up; ${written === 0 ? "already in the log" : `${written} steps written`})`,
    );
    const { AGENTS_RUN, writeExampleAgents } = await import("../example-agents.ts");
    await writeExampleAgents({ vars: stack.database, key_name });
    console.log(`agents    ${stack.url}/runs/${AGENTS_RUN}/steps/0 (recorded agent runs, made-up verdicts)`);
  }
  const ending = endSignal();
  console.log(`ready ${stack.url}`);
  ready = true;
  const why = await Promise.race([ending.then(() => null), stack.ended]);
  if (why !== null) fail([`workerd exited with ${why}; accepted work is on disk, and the next start continues it`]);
  console.log("stopping: requests in flight have 4 s to finish");
  await stack.close();
  process.exit(0);
} catch (error) {
  fail([thrownText(error)]);
}

/**
 * Prints the Worker's log lines: requests to standard output, as soon as `requestsToo` returns true, and all
 * others to standard error. If the reader of a pipe stops, request lines are dropped instead of blocking.
 */
function tellLines(requestsToo: () => boolean): (line: string) => void {
  const BACKLOG_MAX_BYTES = 1 << 20;
  const { stdout } = process;
  if (!stdout.isTTY) (stdout as { _handle?: { setBlocking?(on: boolean): void } })._handle?.setBlocking?.(false);
  return (line) => {
    const { text, request } = terminalLine(line, new Date());
    if (!request) console.error(text);
    else if (requestsToo() && stdout.writableLength < BACKLOG_MAX_BYTES) stdout.write(`${text}\n`);
  };
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

/** Prints one line per fault and exits with 1. */
function fail(messages: readonly string[]): never {
  for (const message of messages) console.error(`kritai: ${message}`);
  process.exit(1);
}
