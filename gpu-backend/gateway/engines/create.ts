// Makes a pool of engines from their addresses.

import { LIMITS } from "../../../src/core/faults/limits.ts";
import { EngineAddress } from "./engine-address.ts";
import { Pool } from "./engine-pool.ts";
import type { EnginePool, EnginePoolConfig, Schedule } from "./port.ts";
import { Replica } from "./replicas.ts";

/** Timers do not keep the process alive: what waits for them is an open request, which does. */
const setTimer: Schedule = (run, ms) => {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
};

/** Starts polling at once. @throws TypeError for no URL, or one that cannot be used */
export function createEnginePool(config: EnginePoolConfig): EnginePool {
  const { urls, apiKey, model, kind = null, tokens = [], simulated = false } = config;
  if (urls.length === 0) throw new TypeError("At least one engine URL is needed.");
  const max = Math.max(1, Math.floor(config.maxInFlight ?? LIMITS.generations_in_flight_default));
  const replicas = urls.map((url) => new Replica(new EngineAddress(url, apiKey), max, kind));
  const { report } = config;
  const { schedule = setTimer, random = Math.random, now = () => performance.now() } = config;
  return new Pool(replicas, { model, simulated, tokens, schedule, random, now, report });
}
