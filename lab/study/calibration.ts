// Owns how often what a reply states of its order is so: groups asked of the simulated verifiers, by
// bins of the stated confidence.
import { DEFAULT_SPEC, type NamedSchedule, type Spec } from "../../src/core/contract/spec.ts";
import { orderConfidence } from "../../src/core/math/bradley-terry.ts";
import { hashText } from "../../src/core/math/random.ts";
import { kendallTauB } from "../../src/core/math/stats.ts";
import { isGraded } from "../../src/core/tournament/pair-questions.ts";
import { outcomesIn, rehearsed } from "../../src/core/tournament/rehearsal.ts";
import { surenessFit } from "../../src/core/tournament/schedules/sureness.ts";
import { TournamentRun } from "../../src/core/tournament/tournament-run.ts";
import { csv } from "../report/csv.ts";
import { LEVELS, NOISES } from "./cells.ts";
import { readLists } from "./lists.ts";
import { answersTo } from "./play.ts";
import { type Noise, verifierOf } from "./verifier-model.ts";

/** One group that was asked, and what was stated of it. */
export interface Calibrated {
  level: string;
  noise: string;
  style: Noise["style"];
  way: string;
  schedule: string;
  n: number;
  stated: { best: number; tau: number };
  /** Whether the first of the order is the verifier's own best, and the best by pass rate. */
  own: boolean;
  passes: boolean;
  /** tau of the order with the verifier's own. */
  tau: number;
  /** Fewer pairs than all were asked. */
  early: boolean;
}

const SOFT = "soft" as "majority";
/** How a pair is asked. */
const WAYS: Readonly<Record<string, Partial<Spec["judge"]>>> = {
  "one vote": {},
  "16 votes, one order": { samples: 16 },
  "4 votes, both orders": { both_orders: true, samples: 4 },
  "16 votes, both orders": { both_orders: true, samples: 16 },
  "soft, both orders": { vote: SOFT, both_orders: true },
  "soft x 4, both orders": { vote: SOFT, both_orders: true, samples: 4 },
};
const SCHEDULES: Readonly<Record<string, NamedSchedule>> = {
  "all pairs": "round_robin",
  "two rings": { name: "circular", degree: 2 },
  active: "active",
};

interface Plan {
  set: string;
  draws: number;
  sizes: readonly number[];
  /** Lists of a size at most; default all. */
  most?: number;
}

/** Every verifier, way and schedule over `draws` lists of each problem and size. */
export function calibrationGroups({ set, draws, sizes, most }: Plan): Calibrated[] {
  const styles = ["direct", "thinking"] as const;
  return sizes.flatMap((n) =>
    readLists(set, n, draws)
      .slice(0, most)
      .flatMap((list, k) =>
        Object.entries(NOISES).flatMap(([noise, own]) =>
          Object.entries(LEVELS).flatMap(([level, strength]) =>
            styles.flatMap((style) => {
              const verifier = verifierOf(list.qualities, { ...strength, ...own, style }, `${list.problem} ${n} ${k}`);
              return Object.entries(WAYS).flatMap(([way, more]) =>
                Object.entries(SCHEDULES).map(([schedule, named]): Calibrated => {
                  const judge = { ...DEFAULT_SPEC.judge, ...more, schedule: named };
                  const keys = list.qualities.map((_, i) => hashText("candidate", list.problem, k, i));
                  const graded = isGraded(judge);
                  const run = new TournamentRun({ keys, judge, seed: k });
                  const { decision, waves } = rehearsed(run, n, (shown) => answersTo(shown, verifier, graded));
                  const pairs = keys.flatMap((_, i) => keys.slice(i + 1).map((__, j) => [i, i + 1 + j]));
                  const fit = surenessFit(n, pairs, outcomesIn(decision));
                  const top = fit.theta.indexOf(Math.max(...fit.theta));
                  const met = new Set(waves.flat().map(({ shown }) => [...shown].sort((a, b) => a - b).join()));
                  return {
                    ...{ level, noise, style, way, schedule, n, stated: orderConfidence(fit) },
                    own: verifier.seen[top] === Math.max(...verifier.seen),
                    passes: list.qualities[top] === Math.max(...list.qualities),
                    tau: kendallTauB([...fit.theta], [...verifier.seen]).tau ?? 0,
                    early: met.size < pairs.length,
                  };
                }),
              );
            }),
          ),
        ),
      ),
  );
}

const BINS = [0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0000001];
const meanOf = (values: readonly number[]) => values.reduce((sum, own) => sum + own, 0) / values.length;

/** Of groups whose stated confidence lies in each bin: stated, observed, and how many. */
export function binned(groups: readonly Calibrated[]): { stated: number; own: number; passes: number; n: number }[] {
  return BINS.slice(1).map((high, k) => {
    const here = groups.filter(({ stated: { best } }) => best >= (BINS[k] as number) && best < high);
    return {
      stated: meanOf(here.map(({ stated }) => stated.best)),
      own: meanOf(here.map(({ own }) => Number(own))),
      passes: meanOf(here.map(({ passes }) => Number(passes))),
      n: here.length,
    };
  });
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

/** Fewer groups are no frequency. */
const TOLD_LEAST = 10;

const TOLD_BY = ["noise", "level", "way", "style", "schedule"] as const;
const BIN_NAMES = BINS.slice(1).map((high, k) => `${BINS[k]} to ${Math.min(1, high)}`);

/** Every bin that enough groups lie in, by each of what the groups differ in. */
export function binsCsv(groups: readonly Calibrated[]): string {
  const rows = TOLD_BY.flatMap((by) =>
    [...new Set(groups.map((one) => one[by]))].flatMap((name) =>
      binned(groups.filter((one) => one[by] === name)).flatMap(({ stated, own, passes, n }, k) =>
        n < TOLD_LEAST
          ? []
          : [[by, name, BIN_NAMES[k] as string, stated.toFixed(2), own.toFixed(2), passes.toFixed(2), n]],
      ),
    ),
  );
  return csv(["by", "of", "bin", "stated_mean", "own_best", "best_by_pass_rate", "groups"], rows);
}

function binTable(groups: readonly Calibrated[], by: (typeof TOLD_BY)[number]): string {
  const names = [...new Set(groups.map((one) => one[by]))];
  const head = [by, ...BIN_NAMES];
  const rows = names.map((name) => [
    name,
    ...binned(groups.filter((one) => one[by] === name)).map(({ stated, own, passes, n }) =>
      n < TOLD_LEAST ? "-" : `${stated.toFixed(2)}: ${own.toFixed(2)}, ${passes.toFixed(2)} (${n})`,
    ),
  ]);
  return table(head, rows);
}

/**
 * The page.
 * @param folder of bins.csv, from the page
 */
export function calibrationPage(command: string, groups: readonly Calibrated[], folder: string): string {
  const active = groups.filter(({ schedule }) => schedule === "active");
  const ways = [...new Set(groups.map(({ way }) => way))];
  const taus = ways.map((way) => {
    const own = groups.filter((one) => one.way === way);
    const ended = active.filter((one) => one.way === way);
    const [stated, reached] = [meanOf(own.map((one) => one.stated.tau)), meanOf(own.map(({ tau }) => tau))];
    const early = meanOf(ended.map((one) => Number(one.early)));
    return [way, stated.toFixed(3), reached.toFixed(3), `${(100 * early).toFixed(1)} %`];
  });
  const worst = binned(groups.filter(({ noise }) => noise === "strong pair bias")).filter(({ n }) => n >= TOLD_LEAST);
  const over = Math.max(0, ...worst.map(({ stated, own }) => stated - own));
  return `# What \`order_confidence\` states, and how often it is so

**Of ${groups.length} groups what is stated is a lower bound: with the study's strong pair bias no bin's observed frequency is more than ${over.toFixed(2)} below what is stated.**

${command}

Each vote is a game, a soft one a fractional one. What a verifier sees in a pair, or in a place, is a
chance of its own (\`src/core/tournament/schedules/sureness.ts\`), so no number of votes makes a pair certain. Groups of ${[...new Set(groups.map(({ n }) => n))].join(" and ")} of
the simulated verifiers of [the study](schedules.md). A cell holds the mean stated and, of its groups, the share whose first
is the verifier's own best and the share whose first is the best by pass rate; then how many groups. What is stated is of the
verifier's own best: one that is wrong about a candidate is so in every vote.

${binTable(groups, "noise")}

The same by level, way, style and schedule: [bins.csv](${folder}/bins.csv), a row a cell.

\`expected_tau\` against tau of the order with the verifier's own, and how often \`active\` (\`sure\` 0.95) ended before all pairs:

${table(["way", "stated", "reached", "active ended early"], taus)}
`;
}
