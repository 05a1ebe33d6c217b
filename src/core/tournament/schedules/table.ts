// Table of schedules by name. To add a schedule, write one file and add one line here.

import { active } from "./active.ts";
import { anchored } from "./anchored.ts";
import { blocks } from "./blocks.ts";
import { circular } from "./circular.ts";
import { knockout } from "./knockout.ts";
import { pivot } from "./pivot.ts";
import { roundRobin } from "./round-robin.ts";
import type { Schedule } from "./schedule.ts";
import { singleList } from "./single-list.ts";
import { swiss } from "./swiss.ts";

export const SCHEDULES: Readonly<Record<string, Schedule<never>>> = {
  round_robin: roundRobin,
  single_list: singleList,
  circular,
  anchored,
  pivot,
  swiss,
  knockout,
  blocks,
  active,
};
