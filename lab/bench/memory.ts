// The benchmark of the isolate's memory: its heap through the inspector, and the resident memory that a
// request adds to the process.

import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { type Backends, post } from "./edge-client.ts";
import { type Figure, figure } from "./figures.ts";
import { type Inspector, openInspector } from "./inspector.ts";
import { type Batch, rewardsRequest, verdictsBody } from "./loads.ts";
import { checkReply } from "./rewards-route.ts";
import { type BareWorkerd, startWorkerd, TRIVIAL_WORKER } from "./workerd.ts";

const MIB = 1024 * 1024;
/** An isolate's limit on Cloudflare, 128 MB for everything. */
const ISOLATE_MB_MOST = 128;
/**
 * Workers run under a limit, and V8 lets garbage lie until it nears one: without it the figure
 * would be V8's leisure, not the Worker's need. A heap that outgrew this would end the process, and
 * with it the benchmark.
 */
const HEAP_LIMIT_MIB = 96;
const SAMPLE_MS = 15;

export interface MemoryRequest {
  name: string;
  path: string;
  body: string;
  check(reply: string): void;
}

/** A batch whose body is as near to `bytes` as whole thoughts allow, and never above. */
export function largeBatch(groups: number, rollouts: number, bytes: number): Batch {
  const size = (thoughts: number) => Buffer.byteLength(JSON.stringify(rewardsRequest({ groups, rollouts, thoughts })));
  let low = 0;
  let high = Math.ceil(bytes / (groups * rollouts));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (size(middle) <= bytes) low = middle;
    else high = middle - 1;
  }
  return { groups, rollouts, thoughts: low };
}

export interface MemoryLoad {
  groups: number;
  rollouts: number;
  bytes: number;
  items: number;
}

/**
 * Peaks in MB (1e6 bytes): what the isolate held, and what the process held beyond an idle Worker
 * of one line.
 */
export async function benchMemory(
  script: WorkerModules,
  backends: Backends,
  load: MemoryLoad,
  rounds: number,
): Promise<Figure[]> {
  const batch = largeBatch(load.groups, load.rollouts, load.bytes);
  const requests: MemoryRequest[] = [
    {
      name: `${load.groups * load.rollouts} rollouts, ${(load.bytes / MIB).toFixed(1)} MiB`,
      path: "/v1/rewards",
      body: JSON.stringify(rewardsRequest(batch)),
      check: (reply) => checkReply(reply, batch, true),
    },
    {
      name: `${load.items} verdict items`,
      path: "/v1/verdicts",
      body: verdictsBody(load.items),
      check: (reply) => void JSON.parse(reply),
    },
  ];
  return peaksOf(script, { ...backends.verifier, ...backends.database }, requests, rounds);
}

/** The same of any requests. */
export async function peaksOf(
  script: WorkerModules,
  vars: Record<string, string>,
  requests: readonly MemoryRequest[],
  rounds: number,
): Promise<Figure[]> {
  const idle = await idleRss();
  const figures: Figure[] = [];
  for (const request of requests) {
    figures.push(await isolatePeak(script, vars, request, rounds));
    for (const limited of [true, false]) figures.push(await residentPeak(script, vars, request, rounds, idle, limited));
  }
  return figures;
}

const limits = [`--max-heap-size=${HEAP_LIMIT_MIB}`];

async function idleRss(): Promise<number> {
  const workerd = await startWorkerd({ script: TRIVIAL_WORKER, v8Flags: limits });
  try {
    await (await fetch(workerd.url)).text();
    return workerd.rss().now;
  } finally {
    await workerd.close();
  }
}

async function send(workerd: BareWorkerd, { path, body, check }: MemoryRequest): Promise<void> {
  check(await post(`${workerd.url}${path}`, body));
}

/** The isolate's heap and the buffers outside it, sampled between its turns. */
async function isolatePeak(
  script: WorkerModules,
  vars: Record<string, string>,
  request: MemoryRequest,
  rounds: number,
) {
  const workerd = await startWorkerd({ script, vars, v8Flags: limits, inspector: true });
  try {
    const inspector = await openInspector(workerd.inspector as string);
    const peaks: number[] = [];
    for (let round = 0; round < rounds; round++)
      peaks.push((await sampledPeak(inspector, send(workerd, request))) / 1e6);
    inspector.close();
    return figure(`isolate's peak memory, ${request.name}`, "MB", { max: ISOLATE_MB_MOST }, peaks);
  } finally {
    await workerd.close();
  }
}

async function sampledPeak(inspector: Inspector, work: Promise<void>): Promise<number> {
  let peak = 0;
  let running = true;
  const sample = async () => {
    while (running) {
      const { used, backing } = await inspector.heap();
      peak = Math.max(peak, used + backing);
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  };
  const ended = work.finally(() => {
    running = false;
  });
  await Promise.all([ended, sample()]);
  return peak;
}

/**
 * Peak resident memory of a fresh process for each round, less the idle Worker's. Without the heap
 * limit it is only reported.
 */
async function residentPeak(
  script: WorkerModules,
  vars: Record<string, string>,
  request: MemoryRequest,
  rounds: number,
  idle: number,
  limited: boolean,
): Promise<Figure> {
  const peaks: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const workerd = await startWorkerd({ script, vars, v8Flags: limited ? limits : [] });
    try {
      await send(workerd, request);
      peaks.push((workerd.rss().peak - idle) / 1e6);
    } finally {
      await workerd.close();
    }
  }
  const name = `process's peak memory above idle, ${request.name}${limited ? "" : ", no heap limit"}`;
  return figure(name, "MB", limited ? { max: ISOLATE_MB_MOST } : null, peaks);
}
