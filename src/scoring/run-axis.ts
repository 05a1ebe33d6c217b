// Owns which axis a run is looked at over where nobody names one: its steps, else windows.
import { LIMITS } from "../core/faults/limits.ts";
import { BY_STEP, type RunAxis } from "../ports/run-axis.ts";

/** Windows of the size that holds unless the caller says. */
export const BY_WINDOW: RunAxis = { by: "window", window_groups: LIMITS.window_groups };

/**
 * What is found over the axis that is asked for; over none, by step, and by window where no request
 * of the run has a step.
 */
export async function overAxis<T>(
  asked: RunAxis | null,
  windows: RunAxis,
  read: (axis: RunAxis) => Promise<T>,
  isEmpty: (found: T) => boolean,
): Promise<{ axis: RunAxis; found: T }> {
  const axis = asked ?? BY_STEP;
  const found = await read(axis);
  if (asked !== null || !isEmpty(found)) return { axis, found };
  const beside = await read(windows);
  // Of a run without any request neither is the better.
  return isEmpty(beside) ? { axis, found } : { axis: windows, found: beside };
}
