// One edge in workerd before a simulated engine, with the gateway between where the protocol asks for it.

import { type RunningSimulator, startSimulator } from "../../gpu-backend/engines/simulator/server.ts";
import { createEnginePool } from "../../gpu-backend/gateway/engines/create.ts";
import { startGateway } from "../../gpu-backend/gateway/http/server.ts";
import { startEdge } from "../../scripts/stack/edge.ts";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import type { Protocol } from "./faults-table.ts";

/** Answers that depend on the pass rates alone: the assertion is about the reply to a fault, not a draw. */
const CERTAIN = { discrimination: 1_000, lapse_rate: 0, position_bias: 0, parse_rate: 1, loop_rate: 0 };
const SHORT_THOUGHTS = { thinking_median_tokens: 200, thinking_sigma: 0 };

export interface Rig extends AsyncDisposable {
  url: string;
  simulator: RunningSimulator;
}

/**
 * Its own edge, gateway and engine, so that no breaker, budget or health of another test is in the
 * way.
 */
export async function startRig(protocol: Protocol, script: WorkerModules, vars: Record<string, string>): Promise<Rig> {
  await using parts = new AsyncDisposableStack();
  const simulator = await startSimulator({ scale: "instant", noise: { ...CERTAIN, ...SHORT_THOUGHTS } });
  parts.defer(() => simulator.close());
  let upstream = simulator.url;
  if (protocol === "verify") {
    const pool = createEnginePool({ urls: [simulator.url], model: "sim-14b", apiKey: null, kind: "other" });
    parts.defer(() => pool.close());
    const gateway = await startGateway({ host: "127.0.0.1", port: 0, pool });
    parts.defer(() => gateway.close(0));
    upstream = gateway.url;
  }
  const verifier = { VERIFIER_URL: upstream, VERIFIER_MODEL: "sim-14b", VERIFIER_PROTOCOL: protocol };
  const edge = await startEdge({ host: "127.0.0.1", port: 0, script, vars: { ...vars, ...verifier } });
  parts.defer(() => edge.close());
  const all = parts.move();
  return { url: edge.url, simulator, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
