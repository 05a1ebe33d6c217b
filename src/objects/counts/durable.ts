// The Durable Object that adds up the metrics of all isolates of a deployment and keeps the totals across
// restarts.
import { DurableObject } from "cloudflare:workers";
import type { SeriesCount } from "../../core/load/metric-registry.ts";
import { Metrics } from "../../platform/counters.ts";
import { durableValues } from "../storage/durable.ts";
import type { CountsStub } from "./remote.ts";

const KEPT = "counted";

export class DeploymentTotals extends DurableObject implements CountsStub {
  readonly #values = durableValues(this.ctx);
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

  #open(): Metrics {
    if (this.#metrics !== null) return this.#metrics;
    this.#metrics = new Metrics();
    this.#metrics.merge(this.#values.get<SeriesCount[]>(KEPT) ?? []);
    return this.#metrics;
  }
}
