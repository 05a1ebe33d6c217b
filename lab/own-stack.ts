// A local stack that a command starts for itself, in front of a verifier that is there already.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  const end = () => rmSync(dataDir, { recursive: true, force: true });
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

/** The server's variables; its key is read from VERIFIER_API_KEY. */
export const verifierEnv = ({ url, model }: OwnVerifier): Record<string, string | undefined> => ({
  VERIFIER_URL: url,
  VERIFIER_MODEL: model,
  VERIFIER_API_KEY: process.env.VERIFIER_API_KEY,
});
