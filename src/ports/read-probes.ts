// Ports for the daily probe of what a judge reads: the backends that can be probed, and the stored outcomes.
import type { ItemErrorCode } from "../core/faults/errors.ts";

/** A known word in the probe's state. */
interface ProbeDepth {
  /** Estimated tokens of the state up to the word. */
  tokens: number;
  /** Whether the judge named the word. */
  read: boolean;
}

/** Result of one probe: a state of the largest size that a backend is sent, with known words at five depths. */
export interface ReadProbe {
  /** In ascending order; empty if the probe failed. */
  depths: readonly ProbeDepth[];
  /** Why the probe failed, in which case nothing is known about the depths; null if it succeeded. */
  error: ItemErrorCode | null;
  /** Whether the backend refused the probe without reading the state, so that an early retry costs nothing. */
  refused: boolean;
}

/** A backend that can be probed. */
export interface ProbedBackend {
  name: string;
  model: string;
  /** Identifies server and model. A probe of another subject says nothing about the backend. */
  subject: string;
  /** Never rejects. */
  probe(): Promise<ReadProbe>;
}

/** The last probe of a backend, for `/readyz`. */
export interface ReadStatus {
  backend: string;
  model: string;
  /** Time of the last successful probe, and its age; null before the first. */
  at: string | null;
  age_s: number | null;
  /** Tokens up to which the judge read the state; null before the first successful probe. */
  read_tokens: number | null;
  depths: readonly ProbeDepth[];
  /** Why the last probe failed; null if it succeeded. */
  error: ItemErrorCode | null;
}

export interface ReadProbes {
  /** The last probes, and whether any backend is due for one. */
  status(): Promise<{ reading: readonly ReadStatus[]; due: boolean }>;
  /** Probes the backends that are due and that no other caller is probing. Never rejects. */
  run(): Promise<void>;
}
