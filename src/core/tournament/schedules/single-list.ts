// The schedule `single_list`: all candidates in one list.
import * as z from "zod";
import { ApiError } from "../../faults/errors.ts";
import { LIMITS } from "../../faults/limits.ts";
import type { Schedule } from "./schedule.ts";

/** One list, of as many candidates as the preset takes. Throws ApiError `list_too_long` if there are more. */
export const singleList: Schedule = {
  mode: "listwise",
  settings: z.strictObject({}),
  complete: true,
  *waves({ order, listLimit }) {
    const n = order.length;
    if (n > LIMITS[listLimit]) {
      throw new ApiError(
        "list_too_long",
        `A single list holds ${LIMITS.list_candidates_min}..${LIMITS[listLimit]} different candidates (${listLimit} = ${LIMITS[listLimit]}); this group has ${n}. Use the schedule "blocks", mode "pairwise", or smaller groups.`,
      );
    }
    if (n >= LIMITS.list_candidates_min) yield [order];
    return undefined;
  },
};
