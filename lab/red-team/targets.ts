// The verifiers that can be attacked: in this process, the simulator, the embedded one, or one behind a URL.

import { MODEL } from "../../gpu-backend/engines/cpu/completion.ts";
import { startCpuVerifier } from "../../gpu-backend/engines/cpu/server.ts";
import { startSimulator } from "../../gpu-backend/engines/simulator/server.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Clock } from "../../src/ports/ports.ts";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import type { Target } from "./campaign.ts";
import { gullibleJudge } from "./gullible.ts";

const clock: Clock = systemClock;

export interface RunningTarget extends Target {
  /** For the report. */
  title: string;
  close(): Promise<void>;
}

/**
 * @param named `gullible`, `simulator`, `cpu`, or an engine's base URL. @throws TypeError for what
 * is none of them
 */
export async function startTarget(named: string, model: string, apiKey: string | null): Promise<RunningTarget> {
  const at = (url: string, served: string) => createOpenAiVerifier({ url, model: served, apiKey }, clock);
  if (named === "gullible") {
    const title = "A judge that obeys any unescaped text in its prompt";
    return { name: "gullible", title, exact: true, verifier: gullibleJudge(), close: async () => {} };
  }
  if (named === "simulator") {
    const simulator = await startSimulator({ scale: "instant" });
    const verifier = at(simulator.url, "sim-14b");
    return { name: "simulator", title: "The simulated engine", exact: false, verifier, close: () => simulator.close() };
  }
  if (named === "cpu") {
    const cpu = await startCpuVerifier();
    const title = "The embedded verifier, which runs the programs";
    return { name: "cpu", title, exact: true, verifier: at(cpu.url, MODEL), close: () => cpu.close() };
  }
  if (!/^https?:\/\//.test(named))
    throw new TypeError(`--verifier: ${named} must be gullible, simulator, cpu or a URL`);
  const { origin } = new URL(named);
  return {
    name: "url",
    title: `${model} at ${origin}`,
    exact: false,
    verifier: at(named, model),
    close: async () => {},
  };
}
