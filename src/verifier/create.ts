// Owns the step from the configured backends to one verifier, and the isolate's memory of each
// backend. Must not know where the configuration comes from.
import type { Clock, Verifier } from "../scoring/ports.ts";
import { createFallbackVerifier } from "./fallback.ts";
import { Backend } from "./fan-out/backend.ts";
import { createGatewayVerifier } from "./gateway/adapter.ts";
import { createOpenAiVerifier } from "./openai/adapter.ts";

export interface BackendConfig {
  name: string;
  url: string;
  protocol: "openai" | "verify";
  /** Required for `openai`. */
  model: string | null;
  apiKey: string | null;
}

export interface VerifierOptions {
  /** Of `openai` backends. */
  hedging: boolean;
  maxInFlight?: number | undefined;
}

/** By name and URL, so that every app and room of the isolate knows the same of a backend. */
const remembered = new Map<string, Backend>();

function backendOf(name: string, url: string, hedging: boolean): Backend {
  const key = JSON.stringify([name, url, hedging]);
  const known = remembered.get(key) ?? new Backend({ name, hedging });
  remembered.set(key, known);
  return known;
}

/**
 * The verifier of these backends in order; null when one of `openai` names no model.
 * @throws TypeError for a URL that cannot be used
 */
export function createVerifier(
  backends: readonly [BackendConfig, ...BackendConfig[]],
  { hedging, maxInFlight }: VerifierOptions,
  clock: Clock,
): Verifier | null {
  const verifiers: Verifier[] = [];
  for (const { name, url, protocol, model, apiKey } of backends) {
    if (protocol === "verify") {
      const backend = backendOf(name, url, false);
      verifiers.push(createGatewayVerifier({ url, model, apiKey, backend }, clock));
    } else if (model === null) {
      return null;
    } else {
      const backend = backendOf(name, url, hedging);
      const bound = maxInFlight === undefined ? {} : { maxInFlight };
      verifiers.push(createOpenAiVerifier({ url, model, apiKey, backend, ...bound }, clock));
    }
  }
  return createFallbackVerifier(verifiers as [Verifier, ...Verifier[]], clock);
}
