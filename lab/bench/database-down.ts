// The benchmark of the run-log queue: replies with the database up and down in one run, memory over the
// outage, and the backlog's drain. Knows the stack from outside.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { percentile } from "../../src/core/math/stats.ts";
import { answer } from "../../test/harness/mock-behaviours.ts";
import { startMockVerifier } from "../../test/harness/mock-verifier.ts";
import { startRig } from "../../test/run-log/rig.ts";
import { post } from "./edge-client.ts";
import { type Figure, figure } from "./figures.ts";
import { rss } from "./kernel.ts";
import { rewardsRequest } from "./loads.ts";

export interface DatabaseDownLoad {
  /**
   * Requests a second for warm_ms before anything is measured: until V8's heap and the allocators
   * have the size they keep.
   */
  warm_per_second: number;
  warm_ms: number;
  /** Requests a second, sent at fixed times whatever the replies do. */
  per_second: number;
  up_ms: number;
  down_ms: number;
}

/** Beyond this the queue, not the database, would be what a reply waits for. */
const RATIO_MOST = 1.5;
const GROWTH_MIB_MOST = 64;
const DRAIN_MS_MOST = 300_000;
const MIB = 1024 * 1024;

type Rig = Awaited<ReturnType<typeof startRig>>;

interface Phase {
  latencies_ms: number[];
  /** At each second: workerd's, and this process's, which holds queues, database and clients. */
  memory: { workerd: number; node: number }[];
}

/** Sends for `ms` and keeps every reply's id; throws for a reply that is not as it should be. */
async function send(url: string, per_second: number, ms: number, ids: Set<string>): Promise<Phase> {
  const body = { ...rewardsRequest({ groups: 1, rollouts: 4, thoughts: 100 }), run_id: "bench" };
  const latencies_ms: number[] = [];
  const memory: Phase["memory"] = [];
  const replies: Promise<void>[] = [];
  const started = performance.now();
  const count = Math.round((ms / 1000) * per_second);
  for (let i = 0; i < count; i++) {
    await sleep(Math.max(0, started + (i * 1000) / per_second - performance.now()));
    if (i % per_second === 0) memory.push(memoryNow());
    const sent = performance.now();
    const taken = post(`${url}/v1/rewards`, JSON.stringify(body)).then((text) => {
      latencies_ms.push(performance.now() - sent);
      const { request_id, logged, rewards } = JSON.parse(text) as RewardsReply;
      if (logged !== "queued" || rewards.flat().includes(null))
        throw new Error(`unexpected reply: ${text.slice(0, 300)}`);
      ids.add(request_id);
    });
    // Heard at the end; an early rejection must not end the process.
    taken.catch(() => {});
    replies.push(taken);
  }
  await Promise.all(replies);
  return { latencies_ms, memory };
}

function memoryNow() {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8").trim().split(" ");
  const workerd = children.filter(Boolean).reduce((sum, pid) => sum + rss(Number(pid)).now, 0);
  return { workerd, node: rss(process.pid).now };
}

/**
 * Bytes that this process still reaches: V8 lets garbage lie for as long as the machine has room,
 * so its resident memory says little.
 */
function liveMemory(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // A second time for what the first one's finalizers let go.
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

async function drained(rig: Rig): Promise<number> {
  const started = performance.now();
  while (rig.backlog() > 0) {
    if (performance.now() - started > DRAIN_MS_MOST) throw new Error(`${rig.backlog()} messages were never stored`);
    await sleep(100);
  }
  return performance.now() - started;
}

/**
 * Up, down, up; then every reply's row must be there, once. Retry delays are those of a deployment.
 */
export async function benchDatabaseDown(script: WorkerModules, load: DatabaseDownLoad): Promise<Figure[]> {
  const mock = await startMockVerifier(() => answer("\\boxed{A}"), { keep_bodies: false });
  const dataDir = mkdtempSync(join(tmpdir(), "kritai-bench-"));
  const rig = await startRig({ script, verifier_url: mock.url, dataDir, delay_scale: 1 });
  try {
    const ids = new Set<string>();
    const { per_second } = load;
    await send(rig.url, load.warm_per_second, load.warm_ms, ids);
    await send(rig.url, per_second, load.up_ms / 3, ids);
    const up = await send(rig.url, per_second, load.up_ms, ids);
    await rig.databaseGoes();
    const live_before = liveMemory();
    const down = await send(rig.url, per_second, load.down_ms, ids);
    const backlog = rig.backlog();
    const live_growth = (liveMemory() - live_before) / MIB;
    await rig.databaseReturns();
    const drain_ms = await drained(rig);
    // Before and after together: a busier neighbour in one half would else be taken for the outage.
    up.latencies_ms.push(...(await send(rig.url, per_second, load.up_ms, ids)).latencies_ms);
    await drained(rig);
    const stored = new Set((await rig.sql("SELECT request_id FROM requests")).map(([id]) => id));
    const [total] = await rig.sql("SELECT requests FROM runs WHERE run_id = 'bench'");
    const lost = [...ids].filter((id) => !stored.has(id)).length;
    const parts = Math.max(1, Math.floor(down.memory.length / Math.max(2, Math.floor(load.down_ms / 60_000))));
    const growth = (program: "workerd" | "node") => {
      const bytes = down.memory.map((memory) => memory[program]);
      return (mean(bytes.slice(-parts)) - mean(bytes.slice(0, parts))) / MIB;
    };
    const once = (name: string, unit: string, goal: Figure["goal"], value: number) => figure(name, unit, goal, [value]);
    const at = (phase: Phase, share: number) =>
      percentile(
        [...phase.latencies_ms].sort((a, b) => a - b),
        share,
      );
    const ratio = (share: number) => at(down, share) / at(up, share);
    return [
      once("database down: replies", "replies", null, ids.size),
      once("database down: p50 of replies, up", "ms", null, at(up, 0.5)),
      once("database down: p50 of replies, down", "ms", null, at(down, 0.5)),
      once("database down: p50, down relative to up", "ratio", { max: RATIO_MOST }, ratio(0.5)),
      once("database down: p99, down relative to up", "ratio", { max: RATIO_MOST }, ratio(0.99)),
      once(
        "database down: workerd memory, last minute minus first",
        "MiB",
        { max: GROWTH_MIB_MOST },
        growth("workerd"),
      ),
      once(
        "database down: queues and clients, live heap, end minus start",
        "MiB",
        { max: GROWTH_MIB_MOST },
        live_growth,
      ),
      once("database down: queues and clients, resident memory, last minute minus first", "MiB", null, growth("node")),
      once("database down: messages queued at the end of the outage", "messages", null, backlog),
      once("database down: time to drain the queue afterwards", "s", { max: DRAIN_MS_MOST / 1000 }, drain_ms / 1000),
      once("database down: replies without a row", "replies", { max: 0 }, lost),
      once("database down: rows without a reply", "rows", { max: 0 }, Number(total?.[0]) - ids.size),
    ];
  } finally {
    await rig[Symbol.asyncDispose]();
    await mock.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
