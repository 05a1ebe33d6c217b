// Decides when a run's own settings are in its figures, in words for terminal and report.
import { KNEE_RULE } from "./knee.ts";
import type { Summary } from "./summary-schema.ts";

/**
 * For a warm-up that is shorter than a request takes: the window then begins before the first replies, which
 * looks like a target that does not keep up. null where that hides less than the knee's rule forgives.
 */
export function warmupCaution({ points, load }: Pick<Summary, "points" | "load">): string | null {
  const median_ms = points[0]?.target.latency_ms.p50.value ?? 0;
  const missing_s = median_ms / 1000 - load.warmup_s;
  if (missing_s <= (1 - KNEE_RULE.achieved_share_min) * load.duration_s) return null;
  return (
    `The warm-up of ${load.warmup_s} s is shorter than a request takes (p50 ${(median_ms / 1000).toPrecision(3)} s at the lowest load), ` +
    "so the achieved rates are too low. Set a longer --warmup."
  );
}
