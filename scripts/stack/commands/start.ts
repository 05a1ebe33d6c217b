// `npm start`: the local stack for as long as the process lives, what is wrong with its variables before
// anything starts, and one line a request.
import { once } from "node:events";
import { commandFlags } from "../../command-line/flags.ts";
import { terminalLine, thrownText } from "../log-line.ts";

const { example, quiet } = commandFlags({
  command: "start",
  description: "Runs the local stack until Ctrl-C: edge, database and verifier, except those that a variable names.",
  switches: {
    example: "adds an example run to the log, to try the pages",
    quiet: "don't log requests; still log errors",
  },
  variables: {
    PORT: "where to listen; 0: any free port (8787)",
    HOST: "the address to listen on (127.0.0.1)",
    DATA_DIR: "where database, queues and Durable Objects keep their files (.kritai)",
    DATABASE_URL: "a Postgres or Neon database that npm run migrate was run on (an embedded one)",
    VERIFIER_URL: "who judges, with VERIFIER_MODEL, VERIFIER_PROTOCOL, VERIFIER_API_KEY (an embedded one on the CPU)",
    JUDGE: "a preset: what `default` asks, played by the engine simulator unless VERIFIER_URL is given (none)",
    LOG_TEXTS: "off: prompts and answers are not stored, but hashes (on with the embedded database)",
    API_KEYS: "name:sha256hex:scopes of each key (none: only this machine is answered)",
    "…": "the Worker's others: docs/variables.md",
  },
});
const { PORT = "8787", HOST = "127.0.0.1", DATA_DIR = ".kritai" } = process.env;
const port = /^\d{1,5}$/.test(PORT) ? Number(PORT) : Number.NaN;
if (!(port <= 65_535)) fail([`PORT must be an integer from 0 to 65535, it is ${JSON.stringify(PORT)}`]);

/** Before it, requests are the stack's own probing. */
let ready = false;
const began = performance.now();
console.log(
  `starting  on ${HOST}, ${port === 0 ? "any free port" : `port ${port}`}: the Worker, its database, its verifier`,
);
try {
  // Modules that take longest to load come only once they are of use.
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
  console.log(`keys      ${names.join(", ") || "none: only this machine is answered, without a key"}`);
  console.log(`texts     ${stack.parts.texts}`);
  console.log(`docs      ${stack.url}/docs\nruns      ${stack.url}/runs`);
  if (example) {
    const { EXAMPLE_RUN, writeExampleRun } = await import("../example-run.ts");
    const key_name = names[0] ?? null;
    const written = await writeExampleRun({ vars: stack.database, key_name });
    console.log(
      `example   ${stack.url}/runs/${EXAMPLE_RUN} (made up; ${written === 0 ? "all steps are there" : `${written} steps written`})`,
    );
    const { AGENTS_RUN, writeExampleAgents } = await import("../example-agents.ts");
    await writeExampleAgents({ vars: stack.database, key_name });
    console.log(`agents    ${stack.url}/runs/${AGENTS_RUN}/steps/0 (recorded runs, a made-up judge)`);
  }
  const ending = endSignal();
  console.log(`ready ${stack.url}`);
  ready = true;
  const why = await Promise.race([ending.then(() => null), stack.ended]);
  if (why !== null) fail([`workerd ended with ${why}; what was accepted is on disk, and the next start goes on`]);
  console.log("ending: what is under way has 4 s");
  await stack.close();
  process.exit(0);
} catch (error) {
  fail([thrownText(error)]);
}

/**
 * Prints the Worker's lines: requests, once told to, to standard output, and all else to standard
 * error. A reader that has stopped, as a pipe's may have, does not hold the stack up: its lines are
 * dropped.
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

/** A line a fault, and the end. */
function fail(messages: readonly string[]): never {
  for (const message of messages) console.error(`kritai: ${message}`);
  process.exit(1);
}
