// Calls a bare workerd and its backends: JSON posts that must succeed, and the mock's own process.
import { fork } from "node:child_process";

/** Posts a body and reads the whole reply. Throws with the start of the reply unless it is 200. */
export async function post(url: string, body: string): Promise<string> {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 500)}`);
  return text;
}

export interface Backends {
  /** Variables that point a Worker at the mock verifier. */
  verifier: Record<string, string>;
  /** The same for the verify protocol. */
  gateway: Record<string, string>;
  /** Variables that point it at the mock database besides. */
  database: Record<string, string>;
  /** `bytes`: what came in, the asking for counts included. */
  counts(): Promise<{ questions: number; statements: number; connections: number; bytes: number }>;
  /** The body of the latest chat question that was looked at: a new connection's first. */
  question(): Promise<string>;
  close(): Promise<void>;
}

/** Starts mock.ts as a separate process, so that its CPU is counted apart. */
export async function startBackends(): Promise<Backends> {
  const child = fork(new URL("./mock.ts", import.meta.url), { execArgv: [] });
  const port = await new Promise<number>((resolve, reject) => {
    child.once("message", (said) => resolve((said as { port: number }).port));
    child.once("exit", (code) => reject(new Error(`the mock exited with code ${code}`)));
    child.once("error", reject);
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    verifier: { VERIFIER_URL: url, VERIFIER_MODEL: "bench", VERIFIER_PROTOCOL: "openai" },
    gateway: { VERIFIER_URL: url, VERIFIER_PROTOCOL: "verify" },
    database: { DATABASE_URL: "postgres://local:local@127.0.0.1/local", DATABASE_FETCH_ENDPOINT: `${url}/sql` },
    counts: async () => (await (await fetch(`${url}/counts`)).json()) as Awaited<ReturnType<Backends["counts"]>>,
    question: async () => (await fetch(`${url}/question`)).text(),
    close: () =>
      new Promise((resolve) => {
        child.removeAllListeners("exit");
        child.once("exit", () => resolve());
        child.kill();
      }),
  };
}
