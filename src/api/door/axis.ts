// Owns the query parameters that say what a run's rows are laid out over. Knows no route's meaning.

import * as z from "zod";
import { said } from "#said";
import { LIMITS } from "../../core/faults/limits.ts";
import { BY_STEP, type RunAxis } from "../../ports/run-axis.ts";
import { BY_WINDOW } from "../../scoring/run-axis.ts";
import { wholeNumber } from "./parameters.ts";
import { invalidRequest } from "./validation.ts";

const BySchema = z.enum(["step", "window"]);
const meaning = (unsaid: string) =>
  said(
    `\`step\`: the trainer's steps. \`window\`: requests without a step in order of logging, so many groups a window; a step is then a window's number. ${unsaid}`,
  );
const window_groups = wholeNumber(1, "window_groups_max")
  .nullable()
  .default(null)
  .meta(said(`groups of a window; default ${LIMITS.window_groups}`));

/** Of a route that takes steps unless told otherwise. */
export const STEP_AXIS = { by: BySchema.default("step").meta(meaning("Default `step`")), window_groups };
/** Of a route that takes what the run has. */
export const EITHER_AXIS = {
  by: BySchema.nullable().default(null).meta(meaning("Default: steps where any request has one, else windows")),
  window_groups,
};

interface AxisQuery {
  by: "step" | "window" | null;
  window_groups: number | null;
}

/** The axis that is asked for, if any, and the windows that are meant. */
export function axisOf({ by, window_groups }: AxisQuery): { asked: RunAxis | null; windows: RunAxis } {
  if (by === "step" && window_groups !== null)
    throw invalidRequest([{ path: "window_groups", message: "only with by=window" }]);
  const windows = window_groups === null ? BY_WINDOW : ({ by: "window", window_groups } as const);
  if (by === null) return { asked: null, windows };
  return { asked: by === "window" ? windows : BY_STEP, windows };
}

/** The same in a reply: a window's groups are null by step. */
export const axisFields = (axis: RunAxis) => ({ window_groups: null, ...axis });
