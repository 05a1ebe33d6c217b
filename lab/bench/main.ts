// `npm run lab -- bench`: which benchmarks run, the table and the JSON.
import { writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { commandFlags } from "../../scripts/command-line/flags.ts";
import { bundleWorker } from "../../scripts/stack/bundle.ts";
import { commit } from "../../scripts/stack/commit.ts";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { workerd } from "../../scripts/stack/workerd.ts";
import { AGENTS, benchAgents } from "./agents.ts";
import { benchAlarmsLook } from "./alarms-look.ts";
import { benchColdStart } from "./cold-start.ts";
import { benchContracts } from "./contracts-route.ts";
import { benchCostlyFloods } from "./costly-floods.ts";
import { benchDatabaseDown } from "./database-down.ts";
import { benchDecisions } from "./decisions.ts";
import { benchEarly } from "./early.ts";
import { benchEarlyStack } from "./early-stack.ts";
import { benchEarlyStop } from "./early-stop.ts";
import { benchEarlyStopStack } from "./early-stop-stack.ts";
import { type Backends, startBackends } from "./edge-client.ts";
import { type Figure, isMet } from "./figures.ts";
import { benchGateway } from "./gateway.ts";
import { benchGroupRoom } from "./group-room.ts";
import { benchGrowth, curvesUpTo } from "./growth.ts";
import { benchHedging } from "./hedging.ts";
import { benchHyperdrive } from "./hyperdrive.ts";
import { benchIdleUploads } from "./idle-uploads.ts";
import { benchMemory } from "./memory.ts";
import { benchOtherKeys } from "./other-keys.ts";
import { benchParsers } from "./parsers.ts";
import { benchParsing } from "./parsing.ts";
import { benchPeers } from "./peers.ts";
import { profileRoutes } from "./profile.ts";
import { benchRescore } from "./rescore-route.ts";
import { benchRewardsRoute } from "./rewards-route.ts";
import { benchScoring } from "./scoring.ts";
import { benchSignals } from "./signals.ts";
import { benchThinking } from "./thinking.ts";
import { benchVerdictsRoute } from "./verdicts-route.ts";
import { benchVerifyRoute, PROGRAM_LINES_700_TOKENS } from "./verify-route.ts";
import { benchWaves } from "./waves.ts";

const BATCH = { groups: 64, rollouts: 16, thoughts: 1000 };
const MINUTES_MOST = 24 * 60;
const BODY_BYTES = 18 * 1024 * 1024;
/** Small groups: what a contract adds would drown in many comparisons. */
const CONTRACTS = { rollouts: 4, requests: 60 };
const VERDICTS = [
  { items: 65_536, requests: 3 },
  { items: 1024, requests: 96 },
];
/**
 * Groups of 16, every pair of 700-token programs. 256 generations fill the engine's KV cache, and
 * the gauges hold them below that.
 */
const EARLY_STOP = {
  rollouts: 16,
  samples: 8,
  groups: 100,
  calibration_groups: 6,
  alone_groups: 5,
  in_flight: 256,
  load_share: 0.72,
};
/**
 * Some three minutes. The gauges are read once a real second, too seldom in scaled time to rule
 * anything: 192 fit without them.
 */
const EARLY_STOP_STACK = {
  ...EARLY_STOP,
  scale: 200,
  groups: 12,
  calibration_groups: 3,
  alone_groups: 1,
  in_flight: 192,
};

/** Steps of 64 groups, and of 8 that come at 72 % of what the engine sustains. */
const WAVES = { rollouts: 16, groups: 64, small: { groups: 8, steps: 96 }, load_share: 0.72, in_flight: 256 };

/** As 64 groups on 256 places, in half of the time. */
const EARLY = {
  sizes: [
    { rollouts: 8, max: 0.4 },
    { rollouts: 16, max: 0.25 },
  ],
  groups: 32,
  spreads: [0.5, 1, 2, 4],
  lost: 0.01,
  in_flight: 128,
  repeats: 5,
  mixed: { runs: 8, steps: 4, sizes: [4, 8, 16], spreads: [0, 0.5, 2], loads: [0.5, 0.8] },
};

/** Sixteen groups are 448 and 1,920 generations on 32 places. */
const EARLY_STACK = {
  ...{ sizes: EARLY.sizes, groups: [1, 16], spread: 2, repeats: 3 },
  ...{ generation_ms: 500, slots: 32 },
};

/** Minutes long, so only by `--only`. */
const ON_REQUEST: ReadonlySet<string> = new Set([
  "agents",
  "alarms-look",
  "database-down",
  "decisions",
  "gateway",
  "group-room",
  "growth",
  "early",
  "early-stack",
  "early-stop",
  "early-stop-stack",
  "hedging",
  "hyperdrive",
  "idle-uploads",
  "other-keys",
  "peers",
  "costly-floods",
  "waves",
  "rescore",
  "thinking",
]);

let bundle: Promise<WorkerModules> | null = null;
const script = () => {
  bundle ??= bundleWorker();
  return bundle;
};

/** Each is given --minutes, in ms. */
const BENCHES: Record<string, (minutes_ms: number) => Promise<Figure[]>> = {
  parsing: () => benchParsing(3),
  parsers: () => benchParsers(5),
  verdicts: async () => benchVerdictsRoute(await script(), VERDICTS, 5),
  scoring: () => benchScoring(BATCH, 9),
  signals: () => benchSignals(BATCH, 15),
  rewards: () => withBackends(rewards),
  decisions: () => withBackends(decisions),
  verify: () => withBackends(verify),
  contracts: () => withBackends(contracts),
  gateway: (memory_ms) => benchGateway({ rounds: 3, window_ms: 1_500, memory_ms }),
  early: () => benchEarly(EARLY),
  "early-stack": async () => benchEarlyStack(await script(), EARLY_STACK),
  "early-stop": () => benchEarlyStop(EARLY_STOP),
  "early-stop-stack": () => benchEarlyStopStack(EARLY_STOP_STACK),
  waves: () => benchWaves(WAVES),
  "group-room": () => withBackends(groupRoom),
  growth: () => benchGrowth(curvesUpTo({ groups: 256, rollouts: 64, kib: 256, signals: 16 }), 5),
  hedging: () => benchHedging({ questions: 10_000, rounds: 5 }),
  hyperdrive: () => benchHyperdrive({ groups: 200, requests: 60, delays_ms: [0, 2, 10] }),
  "idle-uploads": async () => benchIdleUploads(await script(), { requests: 300, rounds: 5 }),
  "other-keys": () => benchOtherKeys({ requests: 200, rounds: 3 }),
  "costly-floods": async () => benchCostlyFloods(await script(), { requests: 300, rounds: 3 }),
  memory: () => withBackends(memory),
  peers: () => withBackends(peers),
  thinking: () => withBackends(thinking),
  agents: () => withBackends(agents),
  "alarms-look": () => benchAlarmsLook({ steps: 2000, groups: 32, rollouts: 16, requests: 1 }, 5),
  "database-down": async (down_ms) =>
    benchDatabaseDown(await script(), {
      ...{ warm_per_second: 60, warm_ms: 60_000 },
      ...{ per_second: 10, up_ms: 15_000, down_ms },
    }),
  rescore: async () => benchRescore(await script(), { groups: 1000, rollouts: 16 }, 5),
  start: async () => benchColdStart(await script(), 5),
};

const rewards = async (backends: Backends) => benchRewardsRoute(await script(), backends, BATCH, 5);

const decisions = async (backends: Backends) =>
  benchDecisions(await script(), backends, { groups: 64, rollouts: 8 }, 7);

const groupRoom = async (backends: Backends) =>
  benchGroupRoom(await script(), backends, { members: 16, groups: 1000 }, 21);

const peers = async (backends: Backends) => benchPeers(await script(), backends, BATCH, 7);

const thinking = async (backends: Backends) =>
  benchThinking(await script(), backends, { groups: 16, rollouts: 8, thoughts: 1000 }, 5);

const verify = async (backends: Backends) =>
  benchVerifyRoute(await script(), backends, { ...BATCH, lines: PROGRAM_LINES_700_TOKENS }, 5);

const contracts = async (backends: Backends) => benchContracts(await script(), backends, CONTRACTS, 5);

const agents = async (backends: Backends) => benchAgents(await script(), backends, AGENTS, 3);

const memory = async (backends: Backends) =>
  benchMemory(await script(), backends, { groups: 64, rollouts: 16, bytes: BODY_BYTES, items: 65_536 }, 3);

async function withBackends<T>(run: (backends: Backends) => Promise<T>): Promise<T> {
  const backends = await startBackends();
  try {
    return await run(backends);
  } finally {
    await backends.close();
  }
}

function goalText({ goal }: Figure): string {
  if (goal === null) return "";
  return "min" in goal ? `>= ${goal.min.toLocaleString("en")}` : `<= ${goal.max.toLocaleString("en")}`;
}

function verdictText(figure: Figure): string {
  const met = isMet(figure);
  if (met === null) return "";
  return met ? "met" : "MISSED";
}

function shown(value: number): string {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 3);
}

function printTable(figures: readonly Figure[]): void {
  const rows = figures.map((figure) => [
    figure.name,
    shown(figure.median),
    figure.unit,
    figure.repeats === 1 ? "" : `${shown(figure.min)} .. ${shown(figure.max)}`,
    goalText(figure),
    verdictText(figure),
  ]);
  const table = [["metric", "measured", "unit", "min .. max", "goal", "verdict"], ...rows];
  const widths = (table[0] as string[]).map((_, column) =>
    Math.max(...table.map((row) => (row[column] as string).length)),
  );
  for (const row of table) {
    const cells = row.map((cell, i) =>
      i === 1 || i === 3 ? cell.padStart(widths[i] as number) : cell.padEnd(widths[i] as number),
    );
    console.log(cells.join("  ").trimEnd());
  }
}

function environment() {
  return {
    at: new Date().toISOString(),
    commit: commit(),
    node: process.version,
    workerd: workerd.version,
    machine: { cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length, memory_bytes: totalmem(), kernel: release() },
  };
}

const NAMES = Object.keys(BENCHES);
const options = commandFlags({
  command: "bench",
  call: "npm run lab -- bench",
  description: `Measures speed and memory, as a table and as JSON. Benchmarks that run only when --only names them: ${[...ON_REQUEST].join(", ")}.`,
  numbers: {
    minutes: {
      min: 0.01,
      max: MINUTES_MOST,
      value: 0.25,
      help: "how long `gateway` watches memory, and how long `database-down` keeps the database down",
    },
  },
  texts: { out: { value: "dist/bench.json", file: true, help: "the JSON file with the results" } },
  switches: { profile: "write CPU profiles of the routes instead" },
  lists: { only: { choices: NAMES, help: "run only this benchmark" } },
});

async function main(): Promise<void> {
  if (options.profile) return withBackends(profileRoutes);
  const figures: Figure[] = [];
  const chosen = options.only.length > 0 ? options.only : NAMES.filter((name) => !ON_REQUEST.has(name));
  for (const name of chosen) {
    console.error(`measuring ${name} ..`);
    figures.push(...((await BENCHES[name]?.(options.minutes * 60_000)) ?? []));
  }
  printTable(figures);
  const results = figures.map((figure) => ({ ...figure, met: isMet(figure) }));
  writeFileSync(options.out, `${JSON.stringify({ ...environment(), figures: results }, null, 2)}\n`);
  console.log(`\n${results.filter(({ met }) => met === false).length} goals missed; results in ${options.out}`);
}

await main();
