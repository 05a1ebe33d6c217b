// The step from the configured backends to one verifier, and the isolate's memory of each backend. Must not
// know where the configuration comes from.
import type { AiBinding, Clock, Verifier } from "../ports/ports.ts";
import { Backend } from "./fan-out/backend.ts";
import { keyVariable } from "./fan-out/backend-kind.ts";
import { createFallbackVerifier } from "./fan-out/fallback.ts";
import { kindsTaken, questionRouter } from "./question-router.ts";
import type { BackendSettings } from "./settings.ts";
import { BACKENDS } from "./table.ts";

interface VerifierOptions {
  /** For the backends whose kind can. */
  hedging: boolean;
  max_in_flight?: number | undefined;
  /** The Workers AI binding, for the backend that is reached through it. */
  ai?: AiBinding | undefined;
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
 * The verifier of these backends: those that answer the same kind of questions in order. Without a
 * name the first is `verifier` and the others are `fallback-1`, `fallback-2`, ..
 * @throws TypeError for a URL that cannot be used
 */
export function createVerifier(
  backends: readonly [BackendSettings, ...BackendSettings[]],
  { hedging, max_in_flight, ai }: VerifierOptions,
  clock: Clock,
): Verifier {
  const verifiers = backends.map((settings, at) => {
    const { protocol, url, api_key = null, key_variable = keyVariable(at) } = settings;
    const { name = at === 0 ? "verifier" : `fallback-${at}` } = settings;
    const kind = BACKENDS.find((kind) => kind.protocol === protocol);
    if (kind === undefined) throw new TypeError("No kind of backend has this protocol.");
    const backend = backendOf(name, url, hedging && kind.hedging);
    return kind.create({ ...settings, name, api_key }, { backend, key_variable, max_in_flight, clock, ai });
  });
  const kinds = [...new Set(verifiers.flatMap(kindsTaken))];
  const each = kinds.map((kind) => verifiers.filter((verifier) => kindsTaken(verifier).includes(kind)));
  return questionRouter(
    each.map((alike) => createFallbackVerifier(alike as [Verifier, ...Verifier[]], clock)) as [Verifier, ...Verifier[]],
  );
}
