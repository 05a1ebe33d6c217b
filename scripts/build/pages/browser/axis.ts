// Owns what a run is laid out over on the pages: steps, or windows of groups where its tool tells
// none; in the words and the addresses of the pages.
import type { RunDetail } from "../../../../src/ports/run-log.ts";

export interface Axis {
  by: "step" | "window";
  /** Groups of a window; null by step. */
  window_groups: number | null;
}

const BY_STEP: Axis = { by: "step", window_groups: null };

const WINDOW_GROUPS = 16;
/** Of more windows the page would be slow: they are larger then. */
const WINDOWS_MOST = 2000;

/** The axis of a run, with windows as large as the address says, or as its length wants. */
export function axisOf({ last_step, groups }: Pick<RunDetail, "last_step" | "groups">, search: string): Axis {
  if (last_step !== null) return BY_STEP;
  const asked = Number(new URLSearchParams(search).get("window_groups") ?? "");
  let window_groups = Number.isInteger(asked) && asked > 0 ? asked : WINDOW_GROUPS;
  while (asked === 0 && groups / window_groups > WINDOWS_MOST) window_groups *= 2;
  return { by: "window", window_groups };
}

/**
 * The axis of a run laid over another: of one without steps beside one that has some, windows as
 * large as a step of the other, so that the same place is the same number of groups.
 */
export function axisBeside(other: Pick<RunDetail, "last_step" | "groups">, first: Axis, groupsAStep: number): Axis {
  if (other.last_step !== null) return BY_STEP;
  return { by: "window", window_groups: first.window_groups ?? Math.max(1, Math.round(groupsAStep)) };
}

/** The axis that the address of a step's page names. */
export function namedAxis(search: string): Axis {
  const query = new URLSearchParams(search);
  if (query.get("by") !== "window") return BY_STEP;
  return { by: "window", window_groups: Number(query.get("window_groups") ?? WINDOW_GROUPS) };
}

/** As a query of a route or a page; empty by step. */
export const axisQuery = ({ by, window_groups }: Axis): string =>
  by === "step" ? "" : `by=window&window_groups=${window_groups}&`;

/** Which groups a window has, where steps are windows. */
export const windowSpan = ({ window_groups }: Axis, window: number): string =>
  window_groups === null ? "" : `groups ${window * window_groups} to ${(window + 1) * window_groups - 1}`;
