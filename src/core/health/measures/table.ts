// Owns the table of measures: a new one is one file and one line here. Replies have them in this order.
import { abstainedShare } from "./abstained-share.ts";
import { atCapShare } from "./at-cap-share.ts";
import { auditCorrelation } from "./audit-correlation.ts";
import { cyclicShare } from "./cyclic-share.ts";
import { duplicateShare } from "./duplicate-share.ts";
import { failedShare } from "./failed-share.ts";
import { flipRate } from "./flip-rate.ts";
import { incompleteShare } from "./incomplete-share.ts";
import { jamShare } from "./jam-share.ts";
import { labelCorrelation } from "./label-correlation.ts";
import { latencyP99 } from "./latency-p99-ms.ts";
import { lengthP50 } from "./length-p50.ts";
import { lengthReward } from "./length-reward.ts";
import { malformedShare } from "./malformed-share.ts";
import { nulls } from "./nulls.ts";
import { parseRate } from "./parse-rate.ts";
import { repeatCorrelation } from "./repeat-correlation.ts";
import { repeatRollouts } from "./repeat-rollouts.ts";
import { rewardMean } from "./reward-mean.ts";
import { rollouts } from "./rollouts.ts";
import { tieShare } from "./tie-share.ts";
import { triples } from "./triples.ts";
import { unformattedMean } from "./unformatted-mean.ts";
import { zeroVarianceShare } from "./zero-variance-share.ts";

export const MEASURES = [
  rollouts,
  rewardMean,
  unformattedMean,
  zeroVarianceShare,
  parseRate,
  nulls,
  abstainedShare,
  malformedShare,
  lengthP50,
  atCapShare,
  lengthReward,
  duplicateShare,
  tieShare,
  flipRate,
  cyclicShare,
  triples,
  jamShare,
  labelCorrelation,
  auditCorrelation,
  repeatCorrelation,
  repeatRollouts,
  latencyP99,
  incompleteShare,
  failedShare,
] as const;
