// The benchmark of group rooms in bare workerd: what gathering adds after the last member's arrival, and a
// thousand groups in flight at once.
import { Agent, request } from "node:http";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { answer } from "../../test/harness/mock-behaviours.ts";
import { type MockVerifier, startMockVerifier } from "../../test/harness/mock-verifier.ts";
import { type Backends, post } from "./edge-client.ts";
import { type Figure, figure } from "./figures.ts";
import { type Batch, rewardsRequest } from "./loads.ts";
import { type BareWorkerd, startWorkerd, TRIVIAL_WORKER } from "./workerd.ts";

const ADDED_MS_MOST = 10;

export interface GroupRoomLoad {
  /** Members of each group. */
  members: number;
  /** Groups that gather at the same time. */
  groups: number;
}

interface Sent {
  /** The request's last byte has left this process. */
  sent: Promise<void>;
  /** Resolves with the size of the group that was judged. */
  judged: Promise<number>;
}

/** One sample as verl posts it; of the clients that send single samples it waits longest. */
function send(url: string, query: string, body: object, agent: Agent): Sent {
  const headers = { "content-type": "application/json" };
  const out = request(`${url}/verl/compute_score?${query}`, { method: "POST", headers, agent });
  const sent = new Promise<void>((resolve, reject) => {
    out.once("finish", resolve);
    out.once("error", reject);
  });
  const judged = new Promise<number>((resolve, reject) => {
    out.once("error", reject);
    out.once("response", (response) => {
      const taken = response.toArray().then((parts) => {
        const text = parts.join("");
        const reply = response.statusCode === 200 ? JSON.parse(text) : {};
        if (typeof reply.score === "number") return reply.rm_members as number;
        throw new Error(`answered ${response.statusCode}: ${text.slice(0, 300)}`);
      });
      taken.then(resolve, reject);
    });
  });
  out.end(JSON.stringify(body));
  return { sent, judged };
}

/** The bodies of one group, as verl's samples. */
function samplesOf(batch: Batch, step: number): object[] {
  const [{ prompt, rollouts }] = rewardsRequest(batch).groups as [ReturnType<typeof rewardsRequest>["groups"][0]];
  const extra_info = { prompt: `${step} ${prompt}` };
  return rollouts.map(({ text }) => ({ data_source: "bench", solution_str: text, ground_truth: "", extra_info }));
}

interface Round {
  /**
   * From the last request's sending to the first question, and to the last answer; the same work as
   * one native request.
   */
  to_verifier: number;
  to_answers: number;
  native: number;
}

async function round(
  workerd: BareWorkerd,
  mock: MockVerifier,
  members: number,
  step: number,
  agent: Agent,
): Promise<Round> {
  const batch = { groups: 1, rollouts: members, thoughts: 1000 };
  const bodies = samplesOf(batch, step);
  const early = bodies.slice(1).map((body) => send(workerd.url, `group_size=${members}&step=${step}`, body, agent));
  await Promise.all(early.map(({ sent }) => sent));
  // The others' last bytes have left, not arrived, and rooms store what came a little later.
  await new Promise((resolve) => setTimeout(resolve, 4 * LIMITS.room_flush_ms));
  let asked = 0;
  mock.script = () => {
    asked ||= performance.now();
    return answer("\\boxed{A}");
  };
  const started = performance.now();
  const last = send(workerd.url, `group_size=${members}&step=${step}`, bodies[0] as object, agent);
  await Promise.all([...early, last].map(({ judged }) => judged));
  const answered = performance.now();
  const native = JSON.stringify({ ...rewardsRequest(batch), step });
  const nativeStarted = performance.now();
  await post(`${workerd.url}/v1/rewards`, native);
  return {
    to_verifier: asked - started,
    to_answers: answered - started,
    native: performance.now() - nativeStarted,
  };
}

/**
 * A verifier that answers at once, and groups one after the other. What gathering adds is the
 * difference between the last sample's wait and a native request of the same group right after it,
 * which is scored, asked and logged alike.
 */
async function benchAdded(
  script: WorkerModules,
  backends: Backends,
  members: number,
  rounds: number,
): Promise<Figure[]> {
  const mock = await startMockVerifier(() => answer("\\boxed{A}"), { keep_bodies: false });
  const vars = { ...backends.database, VERIFIER_URL: mock.url, VERIFIER_MODEL: "bench" };
  const workerd = await startWorkerd({ script, vars, objects: true });
  const agent = new Agent({ keepAlive: true });
  try {
    const taken: Round[] = [];
    for (let step = 0; step < rounds + 2; step++) {
      const result = await round(workerd, mock, members, step, agent);
      if (step >= 2) taken.push(result);
    }
    const group = `group of ${members}`;
    const added = taken.map(({ to_answers, native }) => to_answers - native);
    return [
      figure(
        `last member's arrival to first comparison, ${group}`,
        "ms",
        null,
        taken.map((each) => each.to_verifier),
      ),
      figure(
        `last member's arrival to last answer, ${group}`,
        "ms",
        null,
        taken.map((each) => each.to_answers),
      ),
      figure(
        `one whole-group request, ${group}`,
        "ms",
        null,
        taken.map((each) => each.native),
      ),
      figure(`latency added by gathering, ${group}`, "ms", { max: ADDED_MS_MOST }, added),
    ];
  } finally {
    agent.destroy();
    await workerd.close();
    await mock.close();
  }
}

/**
 * All members but one of every group first, so that all groups are in flight together; then the
 * last ones. The groups are spread over two processes, as Cloudflare spreads objects over machines:
 * workerd takes two file handles a request, and one process may have 20,000 here.
 */
async function benchMany(
  script: WorkerModules,
  backends: Backends,
  { members, groups }: GroupRoomLoad,
): Promise<Figure[]> {
  const idle = await startWorkerd({ script: TRIVIAL_WORKER });
  const idleBytes = idle.rss().now;
  await idle.close();
  const vars = { ...backends.gateway, ...backends.database };
  const workerds = await Promise.all([1, 2].map(() => startWorkerd({ script, vars, objects: true })));
  const agent = new Agent({ keepAlive: false });
  const batch = { groups: 1, rollouts: members, thoughts: 1000 };
  const open = (step: number, from: number, to: number) => {
    const { url } = workerds[step % workerds.length] as BareWorkerd;
    const bodies = samplesOf(batch, step).slice(from, to);
    return bodies.map((body) => send(url, `group_size=${members}&step=${step}`, body, agent));
  };
  try {
    const waiting: Sent[] = [];
    const started = performance.now();
    for (let step = 0; step < groups; step++) {
      const some = open(step, 1, members);
      waiting.push(...some);
      await Promise.all(some.map(({ sent }) => sent));
    }
    const gathered = performance.now();
    for (let step = 0; step < groups; step++) waiting.push(...open(step, 0, 1));
    const sizes = await Promise.all(waiting.map(({ judged }) => judged));
    const torn = sizes.filter((size) => size !== members).length;
    if (torn > 0) throw new Error(`${torn} samples were judged without their whole group`);
    const ended = performance.now();
    const sum = (metric: (workerd: BareWorkerd) => number) =>
      workerds.reduce((total, workerd) => total + metric(workerd), 0);
    const load = `${groups} groups of ${members} at once`;
    return [
      figure(`time to send all but the last members, ${load}`, "s", null, [(gathered - started) / 1000]),
      figure(`time to judge and answer all, ${load}`, "s", null, [(ended - gathered) / 1000]),
      figure(`workerd CPU per sample, ${load}`, "ms", null, [sum((each) => each.cpuMs()) / sizes.length]),
      figure(`peak memory above idle per sample, ${load}`, "KB", null, [
        sum((each) => each.rss().peak - idleBytes) / 1e3 / sizes.length,
      ]),
    ];
  } finally {
    agent.destroy();
    await Promise.all(workerds.map((each) => each.close()));
  }
}

/** See docs/decisions.md for what the figures are for. */
export async function benchGroupRoom(
  script: WorkerModules,
  backends: Backends,
  load: GroupRoomLoad,
  rounds: number,
): Promise<Figure[]> {
  return [...(await benchAdded(script, backends, load.members, rounds)), ...(await benchMany(script, backends, load))];
}
