// The Durable Object that adds up the metrics of all isolates of a deployment and keeps the totals across
// restarts. Also keeps the outcomes of the daily probes.
import { DurableObject } from "cloudflare:workers";
import type { SeriesCount } from "../../core/load/metric-registry.ts";
import { Metrics } from "../../platform/counters.ts";
import type { ReadProbe } from "../../ports/read-probes.ts";
import { durableValues } from "../storage/durable.ts";
import { type ProbeRecord, type ProbesStub, probeLedger } from "./read-probes.ts";
import type { CountsStub } from "./remote.ts";

const KEPT = "counted";

export class DeploymentTotals extends DurableObject implements CountsStub, ProbesStub {
  readonly #values = durableValues(this.ctx);
  readonly #probes = probeLedger(this.#values);
  #metrics: Metrics | null = null;

  async add(counted: readonly SeriesCount[]): Promise<void> {
    const metrics = this.#open();
    metrics.merge(counted);
    this.#values.set(KEPT, metrics.counted());
  }

  async text(counted: readonly SeriesCount[]): Promise<string> {
    if (counted.length > 0) await this.add(counted);
    return this.#open().render();
  }

  async probes(): Promise<ProbeRecord[]> {
    return this.#probes.records();
  }

  async claimProbe(key: string, now: number): Promise<boolean> {
    return this.#probes.claim(key, now);
  }

  async keepProbe(key: string, outcome: ReadProbe, now: number): Promise<void> {
    this.#probes.keep(key, outcome, now);
  }

  #open(): Metrics {
    if (this.#metrics !== null) return this.#metrics;
    this.#metrics = new Metrics();
    this.#metrics.merge(this.#values.get<SeriesCount[]>(KEPT) ?? []);
    return this.#metrics;
  }
}
