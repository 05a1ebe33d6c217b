// The table of alarms. To add an alarm, add one file and one line here.
import type { Alarm } from "../alarm.ts";
import { atCap } from "./at-cap.ts";
import { driftProbe } from "./drift-probe.ts";
import { evidenceCut } from "./evidence-cut.ts";
import { flatRewards } from "./flat-rewards.ts";
import { formatExploit } from "./format-exploit.ts";
import { groupIncomplete } from "./group-incomplete.ts";
import { jamsJudge } from "./jams-judge.ts";
import { judgeAtChance } from "./judge-at-chance.ts";
import { judgeCycles } from "./judge-cycles.ts";
import { judgeFlips } from "./judge-flips.ts";
import { judgeTies } from "./judge-ties.ts";
import { lengthDrift } from "./length-drift.ts";
import { lengthReward } from "./length-reward.ts";
import { malformed } from "./malformed.ts";
import { nearDuplicates } from "./near-duplicates.ts";
import { nulls } from "./nulls.ts";
import { parseRateLow } from "./parse-rate-low.ts";
import { proxyGap } from "./proxy-gap.ts";
import { verifierFailing } from "./verifier-failing.ts";
import { verifierSlow } from "./verifier-slow.ts";

export const ALARMS: readonly Alarm[] = [
  flatRewards,
  parseRateLow,
  nulls,
  malformed,
  groupIncomplete,
  lengthDrift,
  atCap,
  lengthReward,
  nearDuplicates,
  judgeFlips,
  judgeCycles,
  judgeTies,
  jamsJudge,
  evidenceCut,
  judgeAtChance,
  proxyGap,
  driftProbe,
  formatExploit,
  verifierSlow,
  verifierFailing,
];
