// Published results of queueing theory that the model must reproduce, and the model as the queue that each is
// of.
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { mean } from "../../src/core/math/stats.ts";
import { Model } from "./model.ts";
import { type Setting, STANDARD } from "./setting.ts";

/**
 * Mean wait in an M/M/c queue, in mean service times: Erlang's C formula (Erlang 1917), by the
 * recursion of his B formula. @param load arrivals x service / c, below 1
 */
export function erlangWait(servers: number, load: number): number {
  const offered = servers * load;
  let blocked = 1;
  for (let n = 1; n <= servers; n++) blocked = (offered * blocked) / (n + offered * blocked);
  const waits = blocked / (1 - load * (1 - blocked));
  return waits / (servers * (1 - load));
}

/**
 * Mean wait in an M/G/1 queue, in mean service times (Pollaczek 1930, Khinchine 1932).
 * @param variation the service time's variance over its mean squared: 1 exponential, 0 fixed
 */
export const pollaczekWait = (load: number, variation: number): number => (load * (1 + variation)) / (2 * (1 - load));

/** Steps of the engine in one service, so that a step is negligible. */
const SERVICE_STEPS = 2_000;

export interface Queue {
  servers: number;
  load: number;
  service: "exponential" | "fixed";
  /** Where the servers are: the batch slots of one engine, or engines of one slot each. */
  kind: "slots" | "engines";
}

export interface QueueRun {
  /** Mean time from arrival to the end, less the services' own mean, in mean service times. */
  wait: number;
  /** Mean number in the system, looked at at a fixed interval. */
  present: number;
  /** Arrivals a service time. */
  arrivals: number;
  /** Mean time in the system, in service times. */
  sojourn: number;
}

/** The model's parts as that queue: a step takes the same whatever runs, and each request asks once. */
function settingOf({ servers, service, kind }: Queue, seed: number): Setting {
  const slots = kind === "slots" ? servers : 1;
  const { engine, judge, tokens } = STANDARD;
  return {
    ...STANDARD,
    ...{ rollouts: 2, groups_per_request: 1, judge: { ...judge, samples: 1 }, seed },
    tokens: { ...tokens, template: 1, question: 1, candidate: 1, law: service, mean: SERVICE_STEPS, max: 1e6 },
    noise: { ...STANDARD.noise, parse_rate: 1 },
    engine: {
      ...engine,
      ...{ step_overhead_s: 1 / SERVICE_STEPS, weights_read_s: 0, token_compute_s: 0, kv_read_s: 0 },
      ...{ sequences_max: slots, context_tokens_max: 2e6, kv_tokens_max: 1e9, prefix_cache: false },
    },
    gpus: kind === "engines" ? servers : 1,
    in_flight: slots,
    ...{ client_rtt_s: 0, backend_rtt_s: 0, edge_before_s: 0, edge_after_s: 0, gateway_cpu_s: 0 },
  };
}

/**
 * Requests by a Poisson process; the first tenth is not counted. The number present is looked at by a
 * separate clock while they come, not by the arrivals.
 */
export async function queueRun(queue: Queue, requests: number, seed: number): Promise<QueueRun> {
  const model = new Model(settingOf(queue, seed));
  const { timeline } = model;
  const random = createRandom(hashText("arrivals", seed));
  const rate = queue.servers * queue.load;
  const warm = Math.floor(requests / 10);
  const sojourns: number[] = [];
  const present: number[] = [];
  let open = 0;
  let counting = false;
  const arrive = async (counted: boolean) => {
    const at = timeline.now;
    open++;
    await model.request(1);
    open--;
    if (counted) sojourns.push(timeline.now - at);
  };
  const look = () => {
    if (counting) present.push(open);
    timeline.after(1, look);
  };
  let [from, to] = [0, 0];
  const come = async () => {
    const all: Promise<void>[] = [];
    for (let n = 0; n < requests; n++) {
      await timeline.wait(-Math.log(1 - random()) / rate);
      if (n === warm) [counting, from] = [true, timeline.now];
      all.push(arrive(counting));
    }
    [counting, to] = [false, timeline.now];
    await Promise.all(all);
  };
  timeline.after(1, look);
  await timeline.until(come());
  const sojourn = mean(sojourns);
  return {
    wait: sojourn - model.tokens_mean / SERVICE_STEPS,
    present: mean(present),
    arrivals: (requests - warm) / (to - from),
    sojourn,
  };
}
