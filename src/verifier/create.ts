// Builds one verifier from the configured backends. Independent
// of where the configuration comes from.
import type { AiBinding, Clock, Verifier } from "../ports/ports.ts";
import { Backend } from "./fan-out/backend.ts";
import { keyVariable } from "./fan-out/backend-kind.ts";
import { createFallbackVerifier } from "./fan-out/fallback.ts";
import { kindsTaken, questionRouter } from "./question-router.ts";
import type { BackendSettings } from "./settings.ts";
import { BACKENDS } from "./table.ts";

interface VerifierOptions {
  /** Whether to hedge, for kinds of backends that support hedging. */
  hedging: boolean;
  max_in_flight?: number | undefined;
  /** The Workers AI binding, for a backend that is reached through the binding. */
  ai?: AiBinding | undefined;
}

/** Backend states by name and URL. */
type BackendStates = Map<string, Backend>;

function backendOf(states: BackendStates, name: string, url: string, hedging: boolean): Backend {
  const key = JSON.stringify([name, url, hedging]);
  const known = states.get(key) ?? new Backend({ name, hedging });
  states.set(key, known);
  return known;
}

/**
 * Builds the verifier for these backends. Backends that answer the same kind of questions are tried in order.
 * Verifiers with the same `states` share the state of a backend that they both use. Unnamed backends are
 * called `verifier` (the first), `fallback-1`, `fallback-2`, ..
 * @throws TypeError for a URL that cannot be used
 */
export function createVerifier(
  backends: readonly [BackendSettings, ...BackendSettings[]],
  { hedging, max_in_flight, ai }: VerifierOptions,
  clock: Clock,
  states: BackendStates = new Map(),
): Verifier {
  const verifiers = backends.map((settings, at) => {
    const { protocol, url, api_key = null, key_variable = keyVariable(at) } = settings;
    const { name = at === 0 ? "verifier" : `fallback-${at}` } = settings;
    const kind = BACKENDS.find((kind) => kind.protocol === protocol);
    if (kind === undefined) throw new TypeError("No kind of backend supports this protocol.");
    const backend = backendOf(states, name, url, hedging && kind.hedging);
    return kind.create({ ...settings, name, api_key }, { backend, key_variable, max_in_flight, clock, ai });
  });
  const kinds = [...new Set(verifiers.flatMap(kindsTaken))];
  const each = kinds.map((kind) => verifiers.filter((verifier) => kindsTaken(verifier).includes(kind)));
  return questionRouter(
    each.map((alike) => createFallbackVerifier(alike as [Verifier, ...Verifier[]], clock)) as [Verifier, ...Verifier[]],
  );
}
