// A local stack that a command starts for itself, in front of a verifier that is there already.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFaults } from "../scripts/stack/preflight.ts";
import { startStack } from "../scripts/stack/stack.ts";

export interface OwnStack {
  url: string;
  close(): Promise<void>;
}

/**
 * Starts database and edge on free loopback ports, with a data folder that ends with them.
 * @param env the variables VERIFIER_*, as for `npm start`; without them the stack starts a verifier
 */
export async function startOwnStack(env: Readonly<Record<string, string | undefined>>): Promise<OwnStack> {
  const dataDir = mkdtempSync(join(tmpdir(), "kritai-lab-"));
  const remove = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 2 });
  // A command that is stopped by a signal exits without closing the stack.
  process.once("exit", remove);
  const end = () => {
    process.off("exit", remove);
    remove();
  };
  try {
    const stack = await startStack({ host: "127.0.0.1", port: 0, dataDir, env });
    return { url: stack.url, close: () => stack.close().finally(end) };
  } catch (error) {
    end();
    throw error;
  }
}

/** An OpenAI-compatible server. */
export interface OwnVerifier {
  url: string;
  model: string;
}

/**
 * Starts a stack in front of a verifier. Checks the verifier first: without an answer each question would be
 * retried until its deadline.
 * @throws Error if the verifier is not ready, with the flags to correct
 */
export async function startStackBefore(verifier: OwnVerifier): Promise<OwnStack> {
  const env = verifierEnv(verifier);
  const faults = await startFaults(env, { host: "127.0.0.1", port: 0, dataDir: null });
  const [fault] = faults;
  if (fault === undefined) return startOwnStack(env);
  const flags = `--verifier ${addressOf(verifier.url)} --model ${verifier.model}`;
  const place = fault.path.startsWith("VERIFIER_") ? flags : fault.path;
  throw new Error(`${place}: ${fault.message}; no question was sent`);
}

/** The URL without a user and password. */
function addressOf(text: string): string {
  if (!URL.canParse(text)) return text;
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}

/** The server's variables; its key is read from VERIFIER_API_KEY. */
const verifierEnv = ({ url, model }: OwnVerifier): Record<string, string | undefined> => ({
  VERIFIER_URL: url,
  VERIFIER_MODEL: model,
  VERIFIER_API_KEY: process.env.VERIFIER_API_KEY,
});
