// Owns the table of schedules by name: a new one is one file and one line here.

import type { Spec } from "../../contract/spec.ts";
import type { ScheduleFactory } from "../schedule.ts";
import { roundRobin } from "./round-robin.ts";
import { singleList } from "./single-list.ts";

export const SCHEDULES: Readonly<Record<Spec["judge"]["schedule"], ScheduleFactory>> = {
  round_robin: roundRobin,
  single_list: singleList,
};
