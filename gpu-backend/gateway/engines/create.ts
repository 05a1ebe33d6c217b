// Creates an engine pool from the engines' URLs.

import { LIMITS } from "../../../src/core/faults/limits.ts";
import { EngineAddress } from "./engine-address.ts";
import { Pool } from "./engine-pool.ts";
import type { EnginePool, EnginePoolConfig, Schedule } from "./port.ts";
import { Replica } from "./replicas.ts";

/** Timers do not keep the process alive; the open requests that wait for them do. */
const setTimer: Schedule = (run, ms) => {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
};

/** Starts polling immediately. @throws TypeError if there are no URLs or one is invalid */
export function createEnginePool(config: EnginePoolConfig): EnginePool {
  const { urls, apiKey, model, kind = null, tokens = [], simulated = false } = config;
  if (urls.length === 0) throw new TypeError("At least one engine URL is required.");
  const max = Math.max(1, Math.floor(config.maxInFlight ?? LIMITS.generations_in_flight_default));
  const replicas = urls.map((url) => new Replica(new EngineAddress(url, apiKey), max, kind));
  const { report } = config;
  const { schedule = setTimer, random = Math.random, now = () => performance.now() } = config;
  return new Pool(replicas, { model, simulated, tokens, schedule, random, now, report });
}
