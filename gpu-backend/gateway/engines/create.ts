// Creates an engine pool from the engines' URLs.

import { LIMITS } from "../../../src/core/faults/limits.ts";
import { gatewayTimers } from "../timers/gateway-timers.ts";
import { EngineAddress } from "./engine-address.ts";
import { Pool } from "./engine-pool.ts";
import type { EnginePool, EnginePoolConfig } from "./port.ts";
import { Replica } from "./replicas.ts";

/** Starts polling immediately. @throws TypeError if there are no URLs or one is invalid */
export function createEnginePool(config: EnginePoolConfig): EnginePool {
  const { urls, apiKey, model, kind = null, tokens = [], simulated = false } = config;
  if (urls.length === 0) throw new TypeError("At least one engine URL is required.");
  const max = Math.max(1, Math.floor(config.maxInFlight ?? LIMITS.generations_in_flight_default));
  const { timers = gatewayTimers, random = Math.random, report } = config;
  const replicas = urls.map((url) => new Replica(new EngineAddress(url, apiKey, gatewayTimers), max, kind));
  return new Pool(replicas, { model, simulated, tokens, timers, random, report });
}
