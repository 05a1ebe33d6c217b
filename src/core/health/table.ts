// Owns the table of alarms: a new one is one file and one line here.
import type { Alarm, AlarmSpan } from "./alarm.ts";
import { spansOf } from "./alarm.ts";
import { atCap } from "./alarms/at-cap.ts";
import { driftProbe } from "./alarms/drift-probe.ts";
import { flatRewards } from "./alarms/flat-rewards.ts";
import { formatExploit } from "./alarms/format-exploit.ts";
import { groupIncomplete } from "./alarms/group-incomplete.ts";
import { jamsJudge } from "./alarms/jams-judge.ts";
import { judgeAtChance } from "./alarms/judge-at-chance.ts";
import { judgeCycles } from "./alarms/judge-cycles.ts";
import { judgeFlips } from "./alarms/judge-flips.ts";
import { judgeTies } from "./alarms/judge-ties.ts";
import { lengthDrift } from "./alarms/length-drift.ts";
import { lengthReward } from "./alarms/length-reward.ts";
import { malformed } from "./alarms/malformed.ts";
import { nearDuplicates } from "./alarms/near-duplicates.ts";
import { nulls } from "./alarms/nulls.ts";
import { parseRateLow } from "./alarms/parse-rate-low.ts";
import { proxyGap } from "./alarms/proxy-gap.ts";
import { verifierFailing } from "./alarms/verifier-failing.ts";
import { verifierSlow } from "./alarms/verifier-slow.ts";
import type { HealthRow } from "./health-row.ts";

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
  judgeAtChance,
  proxyGap,
  driftProbe,
  formatExploit,
  verifierSlow,
  verifierFailing,
];

/** Every span of every alarm over a run's rows, which come in order of their steps. */
export const alarmsOver = (rows: readonly HealthRow[]): AlarmSpan[] => ALARMS.flatMap((alarm) => spansOf(alarm, rows));
