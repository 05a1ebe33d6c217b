// A local stack with a verifier of the tool's own behind it: a control, the simulator, or the embedded CPU
// verifier.
import { startSimulator } from "../../../gpu-backend/engines/simulator/server.ts";
import type { SimulatorOptions } from "../../../gpu-backend/engines/simulator/simulator.ts";
import { type OwnStack, startOwnStack } from "../../own-stack.ts";
import type { Question } from "../asking/client.ts";
import { type Engine, startEngine } from "./engine.ts";
import { type ControlName, createPolicy } from "./policies.ts";

/** An answer is one event: there is nothing to watch while an instant engine thinks. */
const STREAM_TOKENS = 4_096;

/** Starts a local stack with the control behind it. */
export async function startControl(
  name: ControlName,
  questions: readonly Question[],
  simulator: SimulatorOptions,
): Promise<OwnStack> {
  const engine = await startVerifier(name, questions, simulator);
  const model = name === "simulator" ? (simulator.model ?? "sim-14b") : "control";
  try {
    const stack = await startOwnStack(engine === null ? {} : { VERIFIER_URL: engine.url, VERIFIER_MODEL: model });
    return { url: stack.url, close: () => stack.close().finally(() => engine?.close()) };
  } catch (error) {
    await engine?.close();
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
