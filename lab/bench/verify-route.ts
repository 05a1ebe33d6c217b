// The benchmark of the verify adapter against the openai adapter, in bare workerd: bytes sent, connections,
// CPU a comparison.

import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { type Backends, post } from "./edge-client.ts";
import { type Figure, figure, repeated } from "./figures.ts";
import { type Batch, comparisonsOf, rewardsRequest } from "./loads.ts";
import { checkReply } from "./rewards-route.ts";
import { type BareWorkerd, startWorkerd } from "./workerd.ts";

const BYTES_RATIO_MOST = 1 / 10;
const CPU_RATIO_MOST = 1 / 3;

/** Lines of a program of some 700 tokens, 2.8 KB. */
export const PROGRAM_LINES_700_TOKENS = 52;

const PROTOCOLS = ["openai", "verify"] as const;
type PerProtocol<T> = Record<(typeof PROTOCOLS)[number], T>;

interface Sent {
  bytes: number;
  connections: number;
}

/** Bytes that one request makes a fresh workerd send to its backend, headers included. */
async function sent(backends: Backends, workerd: BareWorkerd, batch: Batch): Promise<Sent> {
  // Asking for counts is itself some bytes, on the connection of this process.
  const idle = [await backends.counts(), await backends.counts()] as const;
  const asking = idle[1].bytes - idle[0].bytes;
  checkReply(await post(`${workerd.url}/v1/rewards`, JSON.stringify(rewardsRequest(batch))), batch, false);
  const after = await backends.counts();
  return { bytes: after.bytes - idle[1].bytes - asking, connections: after.connections - idle[1].connections };
}

async function cpuAComparison(workerd: BareWorkerd, batch: Batch): Promise<number> {
  const body = JSON.stringify(rewardsRequest(batch));
  const before = workerd.cpuMs();
  checkReply(await post(`${workerd.url}/v1/rewards`, body), batch, false);
  return (workerd.cpuMs() - before) / comparisonsOf(batch);
}

/**
 * One group of `batch.rollouts` for the bytes, all of `batch` for the CPU. The protocols take
 * turns, so that a busy machine slows both; the goals are the ratios. The gateway's verdicts come
 * one by one, the openai mock's whole at once: the comparison is the less favourable one.
 */
export async function benchVerifyRoute(
  script: WorkerModules,
  backends: Backends,
  batch: Batch,
  rounds: number,
): Promise<Figure[]> {
  const started: BareWorkerd[] = [];
  const start = async (vars: Record<string, string>) => {
    const workerd = await startWorkerd({ script, vars });
    started.push(workerd);
    return workerd;
  };
  try {
    const workers = { openai: await start(backends.verifier), verify: await start(backends.gateway) };
    const singleGroup = { ...batch, groups: 1 };
    const traffic = {
      openai: await sent(backends, workers.openai, singleGroup),
      verify: await sent(backends, workers.verify, singleGroup),
    };
    return [...trafficFigures(traffic, singleGroup), ...(await cpuFigures(workers, batch, rounds))];
  } finally {
    for (const workerd of started) await workerd.close();
  }
}

function trafficFigures({ openai, verify }: PerProtocol<Sent>, batch: Batch): Figure[] {
  const group = `group of ${batch.rollouts}`;
  return [
    figure(`bytes to the backend, ${group}, openai`, "bytes", null, [openai.bytes]),
    figure(`bytes to the backend, ${group}, verify`, "bytes", null, [verify.bytes]),
    figure("bytes, verify / openai", "ratio", { max: BYTES_RATIO_MOST }, [verify.bytes / openai.bytes]),
    figure(`connections, ${group}, openai`, "connections", null, [openai.connections]),
    figure(`connections, ${group}, verify`, "connections", { max: 1 }, [verify.connections]),
  ];
}

async function cpuFigures(workers: PerProtocol<BareWorkerd>, batch: Batch, rounds: number): Promise<Figure[]> {
  const size = `${batch.groups} x ${batch.rollouts}`;
  const spent: PerProtocol<number[]> = { openai: [], verify: [] };
  const ratio = await repeated(
    "CPU per comparison, verify / openai",
    "ratio",
    { max: CPU_RATIO_MOST },
    rounds,
    async () => {
      for (const protocol of PROTOCOLS) spent[protocol].push(await cpuAComparison(workers[protocol], batch));
      // A batch too small for the kernel's clock spends nothing.
      return (spent.verify.at(-1) as number) / Math.max(1e-6, spent.openai.at(-1) as number);
    },
  );
  const figures = PROTOCOLS.map((protocol) =>
    figure(`/v1/rewards ${size} through ${protocol}`, "CPU ms/comparison", null, spent[protocol].slice(-rounds)),
  );
  return [...figures, ratio];
}
