// Runs the GPU gateway in this process for the local stack, in front of one engine, on a free loopback port.
import { createEnginePool } from "../../gpu-backend/gateway/engines/create.ts";
import { startGateway } from "../../gpu-backend/gateway/http/server.ts";

/** The stack ends within 5 s of SIGTERM, so the gateway aborts running questions before that. */
const DRAIN_MS = 1_000;

export interface LocalGateway {
  /** `http://HOST:PORT`, without a path. */
  url: string;
  close(): Promise<void>;
}

/** Rejects if it cannot listen. @param simulated whether the engine is the simulator */
export async function startLocalGateway(engineUrl: string, model: string, simulated = false): Promise<LocalGateway> {
  const pool = createEnginePool({ urls: [engineUrl], model, apiKey: null, simulated });
  try {
    const gateway = await startGateway({ host: "127.0.0.1", port: 0, pool });
    return { url: gateway.url, close: () => gateway.close(DRAIN_MS) };
  } catch (error) {
    await pool.close();
    throw error;
  }
}
