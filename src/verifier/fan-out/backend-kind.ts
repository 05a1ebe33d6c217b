// The interface of a kind of backend: protocol name, settings, and a factory for its verifier. The kinds are
// listed in table.ts.
import type * as z from "zod";
import type { AiBinding, Clock, Verifier } from "../../ports/ports.ts";
import type { Backend } from "./backend.ts";

/** Configuration common to all kinds of backends. */
export interface Address {
  /** Name reported with each verdict. */
  name: string;
  url: string;
  api_key: string | null;
}

/** Name of the setting that holds the key of the backend at this index, for error messages. */
export const keyVariable = (at: number): string =>
  at === 0 ? "VERIFIER_API_KEY" : `VERIFIER_FALLBACKS[${at - 1}].api_key`;

/** Dependencies of a verifier, in addition to its settings. */
export interface BackendParts {
  /** The backend's state, shared within the isolate. */
  backend: Backend;
  /** Name of the setting that holds the key, for error messages. */
  key_variable: string;
  /** Upper bound of one session's requests between send and last byte; default: the kind's own. */
  max_in_flight?: number | undefined;
  clock: Clock;
  /** The Workers AI binding; undefined if the deployment has none. */
  ai?: AiBinding | undefined;
}

/**
 * A kind of backend, defined by one file and one line in the table. The schema of the configuration is
 * derived from these definitions.
 */
export interface BackendKind<S = unknown> {
  /** Protocol name in the configuration. */
  protocol: string;
  /**
   * Schema of the settings other than protocol, name, url and api_key. They are fields of an entry in
   * VERIFIER_FALLBACKS; for the first backend, they are variables named `VERIFIER_` plus the name of the
   * field.
   */
  settings: z.ZodObject;
  /** URL that selects a Worker binding, if the kind supports one. */
  binding?: string;
  /**
   * Whether the kind has separate variables and is not allowed in VERIFIER_PROTOCOL or
   * VERIFIER_FALLBACKS.
   */
  apart?: true;
  /** Whether stragglers may be hedged if the deployment allows hedging. */
  hedging: boolean;
  /**
   * Whether the backend supports lower priorities for questions that can wait. Null for kinds that
   * compare nothing and so receive no such questions.
   */
  priorities: boolean | null;
  /** @throws TypeError for a URL that cannot be used */
  create(settings: S & Address, parts: BackendParts): Verifier;
}
