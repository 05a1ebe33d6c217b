// Means over items with intervals that draw whole problems.

import { hashText } from "../../../../src/core/math/random.ts";
import { clusteredRatio } from "../../../statistics/clusters.ts";
import type { Estimate } from "../../figures/estimate.ts";
import type { Judged, Settings } from "./benchmark.ts";

type Drawn = Pick<Settings, "seed" | "bootstrap">;

/** The mean of values in [0, 1]; null values are of no item. */
export function share<J extends Pick<Judged<unknown>, "item">>(
  name: string,
  judged: readonly J[],
  valued: (judgement: J) => number | boolean | null,
  { seed, bootstrap }: Drawn,
): Estimate {
  const observations = judged.flatMap((judgement) => {
    const value = valued(judgement);
    return value === null ? [] : [{ over: Number(value), under: 1, cluster: judgement.item.problem }];
  });
  return clusteredRatio(observations, { resamples: bootstrap, seed: hashText(seed, name), range: [0, 1] });
}

/** A figure that is not a mean over items: it has no interval. */
export const single = (mean: number | null, n: number): Estimate => ({ mean, ci95: null, n });

/** null where one of them is. */
export function meanOf(values: readonly (number | null)[]): number | null {
  if (values.length === 0 || values.some((value) => value === null)) return null;
  return values.reduce<number>((sum, value) => sum + (value as number), 0) / values.length;
}

export function harmonicMean(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return null;
  return a + b === 0 ? 0 : (2 * a * b) / (a + b);
}
