// Polls one replica for its health, its gauges and its tokenizer's special tokens. Independent of calls and
// of the choice among replicas.
import { LIMITS } from "../../../src/core/faults/limits.ts";
import type { Timers } from "../../../src/ports/ports.ts";
import type { Page } from "./engine-address.ts";
import { readVocabulary } from "./engine-tokens.ts";
import { parseGauges } from "./gauges.ts";
import type { EnginePoolConfig } from "./port.ts";
import type { Replica } from "./replicas.ts";
import { tryOut } from "./try-out.ts";
import type { Vocabulary } from "./vocabulary.ts";

const HEALTH_EVERY_MS = 2_000;
const GAUGES_EVERY_MS = 1_000;
/** Polling interval for engines without gauges, which a restarted engine may have. */
const GAUGES_RARELY_MS = 30_000;
/** Polling interval for tokens, because a different engine may be started behind the same address. */
export const TOKENS_EVERY_MS = 60_000;
/**
 * Each interval is multiplied by a random factor of 1 ± this share, so that gateways do not poll in lockstep.
 */
const JITTER = 0.2;

export interface ProbeOptions {
  timers: Timers;
  random: () => number;
  /** Whether another replica is healthy. */
  elsewhere: () => boolean;
  /** Called when the replica's state or cap may have changed. */
  onChange: () => void;
  /** Receives the engine's list of its tokenizer's tokens; null if the engine offers none. */
  onVocabulary: (vocabulary: Vocabulary | null) => void;
  /** The model of the test question, which is sent only if `report` is set. */
  model: string;
  report: EnginePoolConfig["report"];
}

export class EngineProbe {
  readonly #replica: Replica;
  readonly #options: ProbeOptions;
  /** Cancel functions by timer slot; undefined for a timer that was never set. */
  #cancels: ((() => void) | undefined)[] = [];
  #stopped = false;
  #read = false;
  #tried = false;
  /** Whether the engine has reported its tokenizer's tokens, or shown that it does not report them. */
  #vocabulary = false;
  readonly #asked = Promise.withResolvers<void>();

  constructor(replica: Replica, options: ProbeOptions) {
    this.#replica = replica;
    this.#options = options;
  }

  /** Starts polling: tokens and then gauges immediately, health after its first interval. */
  start(): void {
    this.#later(0, HEALTH_EVERY_MS, () => this.#health());
    void this.#tokens().then(() => this.#gauges());
  }

  /** Resolves after the first request for tokens, whatever its result. */
  get asked(): Promise<void> {
    return this.#asked.promise;
  }

  stop(): void {
    this.#stopped = true;
    this.#asked.resolve();
    for (const cancel of this.#cancels) cancel?.();
  }

  #later(slot: 0 | 1 | 2, ms: number, run: () => Promise<void>): void {
    if (this.#stopped) return;
    const { timers, random } = this.#options;
    this.#cancels[slot] = timers.after(ms * (1 - JITTER + 2 * JITTER * random()), () => void run());
  }

  /** Polls the health route. A server without that route (4xx) counts as alive. */
  async #health(): Promise<void> {
    const page = await this.#page("/health");
    if (this.#stopped) return;
    const lives = page !== null && page.status < 500;
    const elsewhere = this.#options.elsewhere();
    const { health } = this.#replica;
    if (lives && !this.#tried) {
      this.#tried = true;
      void this.#tryOut();
    }
    if (lives && (health.checked(elsewhere) || !this.#vocabulary)) void this.#tokens();
    else if (!lives) {
      health.failed();
      // A replica that returns may have been started with other flags.
      this.#tried = false;
      this.#replica.form.restarted();
    }
    this.#replica.look(lives, elsewhere);
    this.#options.onChange();
    this.#later(0, HEALTH_EVERY_MS, () => this.#health());
  }

  async #tryOut(): Promise<void> {
    const { model, report, timers } = this.#options;
    if (report === undefined) return;
    const { engine, kind } = this.#replica;
    const unfit = await tryOut(engine, model, kind, timers);
    if (this.#stopped) return;
    this.#replica.unfit = unfit;
    if (unfit !== null) report({ level: "warn", event: "engine_unfit", engine: engine.label, reason: unfit });
  }

  async #tokens(): Promise<void> {
    this.#cancels[2]?.();
    const vocabulary = await readVocabulary(this.#replica.engine);
    if (this.#stopped) return;
    this.#vocabulary = vocabulary !== undefined;
    if (vocabulary !== undefined) this.#options.onVocabulary(vocabulary);
    this.#asked.resolve();
    this.#later(2, TOKENS_EVERY_MS, () => this.#tokens());
  }

  async #gauges(): Promise<void> {
    const poll = () => this.#gauges();
    if (this.#read && this.#replica.in_flight === 0) return this.#later(1, GAUGES_EVERY_MS, poll);
    const page = await this.#page("/metrics");
    if (this.#stopped) return;
    // A failed page is not evidence: under load the page may just be late.
    if (page === null || page.status >= 500) return this.#later(1, GAUGES_EVERY_MS, poll);
    this.#read = true;
    const gauges = page.status < 300 ? parseGauges(page.text) : null;
    this.#replica.kind ??= gauges?.kind ?? null;
    this.#replica.aimd.sample(gauges, this.#replica.in_flight);
    this.#options.onChange();
    this.#later(1, gauges === null ? GAUGES_RARELY_MS : GAUGES_EVERY_MS, poll);
  }

  /** Returns null if the engine did not answer. */
  async #page(path: string): Promise<Page | null> {
    const { engine } = this.#replica;
    try {
      return await engine.get(engine.beside(path), LIMITS.readiness_timeout_ms);
    } catch {
      return null;
    }
  }
}
