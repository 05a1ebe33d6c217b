// Defines what a kind of backend is: its protocol's name, its settings and the way to make a verifier of it.
// Kinds: table.ts.
import type * as z from "zod";
import type { AiBinding, Clock, Verifier } from "../../ports/ports.ts";
import type { Backend } from "./backend.ts";

/** The configuration of every backend, whatever its kind. */
export interface Address {
  /** The name on its verdicts. */
  name: string;
  url: string;
  api_key: string | null;
}

/** Where the key of the backend at that place is configured: the first's, or a fallback's. */
export const keyVariable = (at: number): string =>
  at === 0 ? "VERIFIER_API_KEY" : `VERIFIER_FALLBACKS[${at - 1}].api_key`;

/** The parts of a verifier besides its settings. */
export interface BackendParts {
  /** The isolate's memory of it. */
  backend: Backend;
  /** Where the configuration says its key, for people. */
  key_variable: string;
  /** Requests of one session between send and last byte at one time; absent: the kind's default. */
  max_in_flight?: number | undefined;
  clock: Clock;
  /** The Workers AI binding; absent where the deployment has none. */
  ai?: AiBinding | undefined;
}

/**
 * A kind of backend. Its one file and its line in the table are all there is of it: what the
 * configuration may say of it derives from here.
 */
export interface BackendKind<S = unknown> {
  /** Its name in the configuration. */
  protocol: string;
  /**
   * Schema of its settings besides protocol, name, url and api_key: members of an entry of
   * VERIFIER_FALLBACKS; for the first backend the text of `VERIFIER_` and the member's name.
   */
  settings: z.ZodObject;
  /** The URL that stands for a binding of the Worker, where the kind can be reached through one. */
  binding?: string;
  /** It has separate variables, and is not a protocol of VERIFIER_PROTOCOL or VERIFIER_FALLBACKS. */
  apart?: true;
  /** Whether stragglers may be asked a second time, where the deployment allows it. */
  hedging: boolean;
  /**
   * Whether it takes priorities of questions that can wait for others; null: it is asked none that could, as
   * it compares nothing.
   */
  priorities: boolean | null;
  /** @throws TypeError for a URL that cannot be used */
  create(settings: S & Address, parts: BackendParts): Verifier;
}
