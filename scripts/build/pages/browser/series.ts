// Defines what is done to the points of a chart before they are drawn: neighbours of long runs together, and
// which colour and dash a series has.

export interface Point {
  step: number;
  /** Hours since its run began, where they are known. */
  hours?: number;
  value: number | null;
  series: string;
  /** The run whose line it is, where several runs are drawn. */
  run?: string;
  low?: number;
  high?: number;
}

/** Points of a line; of more steps neighbours share one. */
export const POINTS_MOST = 500;

const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Neighbours as one point: the mean of what is known of them, and the whole width of their band. */
function together(some: readonly Point[]): Point {
  const [first] = some as [Point];
  const value = mean(some.flatMap((point) => point.value ?? []));
  const [lows, highs] = [some.flatMap(({ low }) => low ?? []), some.flatMap(({ high }) => high ?? [])];
  const band = lows.length === 0 ? {} : { low: Math.min(...lows), high: Math.max(...highs) };
  return { ...first, value, ...band };
}

/**
 * Exponential moving average of each series, from its first value on unbiased: `weight` is what of
 * the past stays at each step, 0 leaves all as it is. Gaps stay gaps.
 */
export function smoothed(points: readonly Point[], weight: number): Point[] {
  const past = new Map<string, readonly [sum: number, known: number]>();
  return points.map((point) => {
    const { series, value } = point;
    if (value === null) return point;
    const [sum, known] = past.get(series) ?? [0, 0];
    const next = [weight * sum + (1 - weight) * value, weight * known + (1 - weight)] as const;
    past.set(series, next);
    return { ...point, value: next[0] / next[1] };
  });
}

/** At most POINTS_MOST points of each series, in the order of their steps. */
export function binned(points: readonly Point[]): Point[] {
  return [...Map.groupBy(points, ({ series }) => series).values()].flatMap((line) => {
    const each = Math.ceil(line.length / POINTS_MOST);
    if (each === 1) return line;
    return Array.from({ length: Math.ceil(line.length / each) }, (_, i) =>
      together(line.slice(i * each, (i + 1) * each)),
    );
  });
}

/**
 * Colours which people who see no red or no green tell apart too: the first two are Okabe and Ito's,
 * a test holds all of them. Each theme has its own, as light or dark as its ground wants.
 */
const COLORS = ["a", "b", "c", "d", "e", "f"].map((letter) => `var(--series-${letter})`);
/** For a series that shares its run's colour. */
const DASHES = ["", "5 3", "2 2", "8 3 2 3", "1 3"];

/**
 * One colour per run if several are drawn, else one per series; dashes distinguish the series. A series
 * without a value has neither.
 * @param drawnRuns the runs of the page in their order, so that each has one colour in all charts
 */
export function strokesOf(points: readonly Point[], drawnRuns: readonly string[] = []) {
  const runs = [...new Set([...drawnRuns, ...points.map(({ run }) => run ?? "")])];
  const names = [...new Set(points.flatMap(({ series, value }) => (value === null ? [] : [series])))];
  const ofRun = (name: string) => points.find(({ series }) => series === name)?.run ?? "";
  const among = (name: string) => names.filter((other) => ofRun(other) === ofRun(name)).indexOf(name);
  const place = (name: string) => (runs.length > 1 ? runs.indexOf(ofRun(name)) : names.indexOf(name));
  return {
    names,
    colors: names.map((name) => COLORS[place(name) % COLORS.length] as string),
    dashOf: (name: string) => DASHES[among(name) % DASHES.length] as string,
  };
}
