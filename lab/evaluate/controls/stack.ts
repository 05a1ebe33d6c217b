// Owns a local stack with a verifier of the tool's own behind it: a control, the simulator, or the
// embedded CPU verifier. Knows no set format and no metric.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSimulator } from "../../../gpu-backend/engines/simulator/server.ts";
import type { SimulatorOptions } from "../../../gpu-backend/engines/simulator/simulator.ts";
import { startStack } from "../../../scripts/stack/stack.ts";
import type { Question } from "../asking/client.ts";
import { type Engine, startEngine } from "./engine.ts";
import { type ControlName, createPolicy } from "./policies.ts";

export interface ControlStack {
  url: string;
  close(): Promise<void>;
}

/** An answer is one event: there is nothing to watch while an instant engine thinks. */
const STREAM_TOKENS = 4_096;

/**
 * Starts database, edge and verifier on free loopback ports, with a data folder that ends with
 * them.
 */
export async function startControl(
  name: ControlName,
  questions: readonly Question[],
  simulator: SimulatorOptions,
): Promise<ControlStack> {
  const engine = await startVerifier(name, questions, simulator);
  const dataDir = mkdtempSync(join(tmpdir(), "kritai-evaluate-"));
  const end = async () => {
    await engine?.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  const model = name === "simulator" ? (simulator.model ?? "sim-14b") : "control";
  const env = engine === null ? {} : { VERIFIER_URL: engine.url, VERIFIER_MODEL: model };
  try {
    const stack = await startStack({ host: "127.0.0.1", port: 0, dataDir, env });
    return {
      url: stack.url,
      close: async () => {
        await stack.close();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** null: the stack brings its own, the CPU verifier. */
async function startVerifier(
  name: ControlName,
  questions: readonly Question[],
  simulator: SimulatorOptions,
): Promise<Engine | null> {
  if (name === "cpu") return null;
  if (name === "simulator") return startSimulator({ scale: "instant", stream_tokens: STREAM_TOKENS, ...simulator });
  return startEngine(createPolicy(name, questions));
}
