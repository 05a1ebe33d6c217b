// The benchmark of the GPU gateway: generations a core-second, latency added to a generation, memory over
// time. Engine and gateway are separate processes.
import { Agent, request as httpRequest } from "node:http";
import { percentile } from "../../src/core/math/stats.ts";
import { splitCores } from "./cores.ts";
import { startBackends } from "./edge-client.ts";
import { type Figure, figure } from "./figures.ts";
import { benchAddedLatency, startLatencyEngine } from "./gateway-latency.ts";
import { groupOf, MODEL, requestOf } from "./gateway-load.ts";
import { cpuMs, rss } from "./kernel.ts";
import { type Program, type ProgramOptions, startProgram } from "./program.ts";

const IN_FLIGHT = 256;
const GENERATIONS_PER_CORE_SECOND_LEAST = 2_000;
/** Growth of resident memory from the second quarter of a steady run to its last one. */
const GROWTH_MB_MOST = 16;
const CANDIDATES = 16;
const SAMPLES = 8;
const CLIENTS = 4;
const SAMPLE_MS = 250;
/**
 * For memory alone: V8 lets garbage lie until it nears its limit: without one, memory would show
 * its leisure. A leak would end the process. Speed is measured as the gateway is deployed: the
 * limit shrinks the young generation to 1 MB, which by itself costs a third of the CPU and pauses
 * of 20 to 40 ms.
 */
const HEAP_LIMIT_MIB = 192;

const agent = new Agent({ keepAlive: true, maxSockets: 1_024 });

/**
 * Posts and reads the whole reply; ms to its end from `started`, when it was to be sent. Throws
 * unless it is 200.
 */
function post(url: string, body: string, read?: (text: string) => void, started = performance.now()): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sent = httpRequest(url, { method: "POST", agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      response.setEncoding("utf8");
      response.on("data", (text: string) => read?.(text));
      response.on("end", () => resolve(performance.now() - started));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

export interface GatewayLoad {
  rounds: number;
  /** Length of one measurement. */
  window_ms: number;
  /** Length of the steady load under which memory is watched. */
  memory_ms: number;
}

/** The gateway as a process, before this engine. */
const startGatewayProcess = (engineUrl: string, options: ProgramOptions): Promise<Program> =>
  startProgram(
    "gpu-backend/gateway/main.ts",
    { PORT: "0", ENGINE_URL: engineUrl, ENGINE_MODEL: MODEL, ENGINE_MAX_IN_FLIGHT: String(IN_FLIGHT) },
    options,
  );

const BATCH = requestOf(groupOf("batch", CANDIDATES, SAMPLES));
const BATCH_GENERATIONS = ((CANDIDATES * (CANDIDATES - 1)) / 2) * SAMPLES;

/** One whole batch; throws when a verdict is missing: a fast failure is not a result. */
async function batch(url: string): Promise<void> {
  let verdicts = 0;
  let tail = "";
  await post(`${url}/v1/verify`, BATCH, (text) => {
    for (const line of (tail + text).split("\n")) {
      if (line.startsWith('{"type":"verdict"')) verdicts++;
      tail = line;
    }
    if (tail !== "" && tail.startsWith('{"type":"verdict"')) verdicts--;
  });
  if (verdicts !== BATCH_GENERATIONS) throw new Error(`${verdicts} verdicts, expected ${BATCH_GENERATIONS}`);
}

/**
 * Clients that each send one batch after another until the time is over. @returns generations
 * brought
 */
async function steady(url: string, ms: number): Promise<number> {
  const end = performance.now() + ms;
  let generations = 0;
  const client = async () => {
    do {
      await batch(url);
      generations += BATCH_GENERATIONS;
    } while (performance.now() < end);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return generations;
}

async function throughput(gateway: Program, { rounds, window_ms }: GatewayLoad): Promise<Figure[]> {
  await steady(gateway.url, window_ms);
  const perCore: number[] = [];
  const perSecond: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const [cpu, started] = [cpuMs(gateway.pid), performance.now()];
    const generations = await steady(gateway.url, window_ms);
    perCore.push(generations / ((cpuMs(gateway.pid) - cpu) / 1_000));
    perSecond.push(generations / ((performance.now() - started) / 1_000));
  }
  const goal = { min: GENERATIONS_PER_CORE_SECOND_LEAST };
  return [
    figure("gateway, batches of 120 comparisons x 8", "generations/core-s", goal, perCore),
    figure("gateway, the same batches, wall clock", "generations/s", null, perSecond),
  ];
}

/**
 * Gateway and benchmark, which is the client and the engine, each on separate cores where the machine has
 * two.
 */
async function addedLatency(load: GatewayLoad): Promise<Figure[]> {
  const cores = splitCores();
  const engine = await startLatencyEngine();
  const gateway = await startGatewayProcess(engine.url, { cores: cores?.program });
  try {
    return await benchAddedLatency(gateway, engine, load);
  } finally {
    await gateway.close();
    await engine.close();
    cores?.restore();
  }
}

/** Resident memory while batches come without a pause: its most, and how it grew once warm. */
async function memory(gateway: Program, ms: number): Promise<Figure[]> {
  const samples: number[] = [];
  const timer = setInterval(() => samples.push(rss(gateway.pid).now / 1e6), SAMPLE_MS);
  await steady(gateway.url, ms);
  clearInterval(timer);
  const quarter = (n: number) => {
    const part = samples.slice(Math.floor((n * samples.length) / 4), Math.floor(((n + 1) * samples.length) / 4));
    return percentile(
      part.sort((a, b) => a - b),
      0.5,
    );
  };
  const peakMb = Math.max(...samples);
  const over = `during ${Math.round(ms / 1_000)} s of batches`;
  return [
    figure(`gateway's memory ${over}`, "MB", null, [peakMb]),
    figure(`gateway's memory ${over}, second quarter`, "MB", null, [quarter(1)]),
    figure(`gateway's memory ${over}, last quarter`, "MB", null, [quarter(3)]),
    figure("gateway's memory growth, second to last quarter", "MB", { max: GROWTH_MB_MOST }, [quarter(3) - quarter(1)]),
  ];
}

export async function benchGateway(load: GatewayLoad): Promise<Figure[]> {
  const backends = await startBackends();
  const engineUrl = backends.verifier.VERIFIER_URL as string;
  const onGateway = async (flags: readonly string[], measure: (gateway: Program) => Promise<Figure[]>) => {
    const gateway = await startGatewayProcess(engineUrl, { flags });
    try {
      return await measure(gateway);
    } finally {
      await gateway.close();
    }
  };
  try {
    return [
      ...(await onGateway([], (gateway) => throughput(gateway, load))),
      ...(await addedLatency(load)),
      ...(await onGateway([`--max-heap-size=${HEAP_LIMIT_MIB}`], (gateway) => memory(gateway, load.memory_ms))),
    ];
  } finally {
    await backends.close();
    agent.destroy();
  }
}
