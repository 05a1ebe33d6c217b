// A registry of counters, gauges and histograms by name and labels, rendered as Prometheus text. Label values
// must come from closed sets. Independent of any particular metric.

type MetricLabels = Readonly<Record<string, string>>;

/**
 * Kind and help text of a metric. `single`: the metric has no labels and is rendered even before its first
 * count.
 */
export type MetricFamily = readonly [kind: "counter" | "gauge" | "histogram", help: string, single?: "single"];

interface Series {
  labels: string;
  value: number;
  sum: number;
  buckets: number[];
}

/**
 * The count of one series; for a histogram, the number of observations, their sum and the bucket counts.
 * Labels are in Prometheus syntax.
 */
export type SeriesCount = readonly [name: string, labels: string, value: number, sum: number, buckets: number[]];

/** Metrics counted since the process (or isolate) started. */
export class MetricRegistry<Name extends string> {
  readonly #families: Readonly<Record<Name, MetricFamily>>;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Map<string, Series>>();

  /** @param bounds upper bounds of the histogram buckets in seconds, ascending */
  constructor(families: Readonly<Record<Name, MetricFamily>>, bounds: readonly number[] = []) {
    this.#families = families;
    this.#bounds = bounds;
    for (const name in families) {
      this.#series.set(name, new Map());
      if (families[name][2] === "single") this.#at(name, {});
    }
  }

  add(name: Name, amount: number, labels: MetricLabels = {}): void {
    this.#at(name, labels).value += amount;
  }

  set(name: Name, value: number, labels: MetricLabels = {}): void {
    this.#at(name, labels).value = value;
  }

  /** Sets the value if it is larger than the current one. */
  peak(name: Name, value: number): void {
    const series = this.#at(name, {});
    series.value = Math.max(series.value, value);
  }

  observe(name: Name, seconds: number, labels: MetricLabels = {}): void {
    const series = this.#at(name, labels);
    series.value++;
    series.sum += seconds;
    const bucket = this.#bounds.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) series.buckets[bucket] = (series.buckets[bucket] as number) + 1;
  }

  /** All series with a value other than 0. */
  counted(): SeriesCount[] {
    return [...this.#series].flatMap(([name, all]) =>
      [...all.values()].flatMap(({ labels, value, sum, buckets }): SeriesCount[] =>
        value === 0 ? [] : [[name, labels, value, sum, [...buckets]]],
      ),
    );
  }

  /** Returns the counts so far and resets them. */
  take(): SeriesCount[] {
    const taken = this.counted();
    for (const all of this.#series.values()) {
      for (const series of all.values())
        Object.assign(series, { value: 0, sum: 0, buckets: this.#bounds.map(() => 0) });
    }
    return taken;
  }

  /** Adds the counts of another registry; for a gauge, keeps the larger value. Unknown names are ignored. */
  merge(counted: readonly SeriesCount[]): void {
    for (const [name, labels, value, sum, buckets] of counted) {
      const family = this.#families[name as Name];
      if (family === undefined) continue;
      const series = this.#labelled(name as Name, labels);
      series.value = family[0] === "gauge" ? Math.max(series.value, value) : series.value + value;
      series.sum += sum;
      series.buckets = series.buckets.map((count, i) => count + (buckets[i] ?? 0));
    }
  }

  /** Renders all metrics in the Prometheus text format 0.0.4. */
  render(): string {
    let text = "";
    for (const [name, all] of this.#series) {
      const [kind, help] = this.#families[name as Name];
      text += `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n`;
      for (const series of all.values()) {
        text +=
          kind === "histogram" ? this.#histogram(name, series) : `${name}${braces(series.labels)} ${series.value}\n`;
      }
    }
    return text;
  }

  #at(name: Name, labels: MetricLabels): Series {
    let pairs = "";
    for (const label in labels) {
      const value = labels[label] as string;
      pairs += `${pairs === "" ? "" : ","}${label}="${SIGNS.test(value) ? value.replace(EACH_SIGN, "_") : value}"`;
    }
    return this.#labelled(name, pairs);
  }

  #labelled(name: Name, labels: string): Series {
    const all = this.#series.get(name) as Map<string, Series>;
    let found = all.get(labels);
    if (found === undefined) {
      found = { labels, value: 0, sum: 0, buckets: this.#bounds.map(() => 0) };
      all.set(labels, found);
    }
    return found;
  }

  #histogram(name: string, { labels, value, sum, buckets }: Series): string {
    const lead = labels === "" ? "" : `${labels},`;
    let text = "";
    let below = 0;
    this.#bounds.forEach((bound, i) => {
      below += buckets[i] as number;
      text += `${name}_bucket{${lead}le="${bound}"} ${below}\n`;
    });
    text += `${name}_bucket{${lead}le="+Inf"} ${value}\n`;
    return `${text}${name}_sum${braces(labels)} ${sum}\n${name}_count${braces(labels)} ${value}\n`;
  }
}

/** Characters that are not allowed in a label's value. */
const SIGNS = /[\\"\n]/;
const EACH_SIGN = /[\\"\n]/g;

const braces = (labels: string): string => (labels === "" ? "" : `{${labels}}`);
