// The benchmark of both of the product's ways to an engine beside three floors and two other gateways: CPU of
// each process alone for the same questions to the same mock, in turns.
import { Agent, request as httpRequest } from "node:http";
import { bundleWorker } from "../../scripts/stack/bundle.ts";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { sumOf } from "../../src/core/math/stats.ts";
import { type Backends, post } from "./edge-client.ts";
import { type Figure, figure } from "./figures.ts";
import { FETCHING_ONLY, fetchingOnly } from "./floors.ts";
import { cpuMs } from "./kernel.ts";
import { type Batch, comparisonsOf, rewardsRequest } from "./loads.ts";
import { type Peer, startLiteLlm, startPortkey } from "./peer-programs.ts";
import { startProgram } from "./program.ts";
import { checkReply } from "./rewards-route.ts";
import { startWorkerd } from "./workerd.ts";

const FRANK = new URL("frank-worker.ts", import.meta.url).pathname;
const WARM_UP = 2;
const IN_FLIGHT = 64;
/** Questions a round to a gateway that takes milliseconds each: enough for the kernel's 10 ms. */
const PEER_QUESTIONS = { Portkey: 512, LiteLLM: 128 };

/** The subject of a measurement: the processes whose CPU counts, and a round of questions. */
export interface Subject {
  name: string;
  pids: number[];
  questions: number;
  ask(): Promise<void>;
  close(): Promise<void>;
}

const agent = new Agent({ keepAlive: true, maxSockets: IN_FLIGHT });

/** One question through a peer; its answer must be the mock's. */
function ask(peer: Peer, body: string): Promise<void> {
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body), ...peer.headers };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(peer.url, { method: "POST", agent, headers }, (answer) => {
      let said = "";
      answer.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
      answer.on("end", () => {
        if (answer.statusCode === 200 && said.includes("boxed")) resolve();
        else reject(new Error(`${peer.name} answered ${answer.statusCode}: ${said.slice(0, 500)}`));
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function peerSubject(peer: Peer, questions: number, body: string): Subject {
  const all = async () => {
    // A peer may have closed what was idle since the last round.
    agent.destroy();
    let left = questions;
    const lane = async () => {
      while (left-- > 0) await ask(peer, body);
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  };
  return { name: peer.name, pids: [peer.pid], questions, ask: all, close: peer.close };
}

export const closeAll = async (subjects: readonly Subject[]): Promise<void> => {
  for (const { close } of subjects) await close();
};

/** Starts the floors and the product's two ways to an engine; `subjects` has what was started. */
export async function startWays(
  subjects: Subject[],
  script: WorkerModules,
  { verifier, question: latest }: Pick<Backends, "verifier" | "question">,
  batch: Batch,
): Promise<string> {
  const questions = comparisonsOf(batch);
  const request = JSON.stringify(rewardsRequest(batch));
  const engine = verifier.VERIFIER_URL as string;
  const edge = async (name: string, vars: Record<string, string>, beside: Subject["pids"] = []) => {
    const worker = await startWorkerd({ script, vars });
    const asking = async () => checkReply(await post(`${worker.url}/v1/rewards`, request), batch, false);
    subjects.push({ name, pids: [worker.pid, ...beside], questions, ask: asking, close: worker.close });
    return asking;
  };
  // One round first, from which the others have their question.
  await (await edge("edge, openai", verifier))();
  const question = await latest();
  const requestBody = fetchingOnly(questions, question);

  const worker = await startWorkerd({ script: FETCHING_ONLY, vars: verifier });
  const fetching = async () => void (await post(worker.url, requestBody));
  subjects.push({ name: "a bare Worker", pids: [worker.pid], questions, ask: fetching, close: worker.close });

  const frank = await startWorkerd({ script: await bundleWorker({ entry: FRANK }), vars: verifier });
  const judging = async () => {
    const { wins } = JSON.parse(await post(frank.url, request)) as { wins: number[][] };
    if (sumOf(wins.flat()) !== questions) throw new Error(`the frank Worker counted ${sumOf(wins.flat())} wins`);
  };
  subjects.push({ name: "a frank Worker", pids: [frank.pid], questions, ask: judging, close: frank.close });

  const node = await startProgram("lab/bench/node-floor.ts", { ENGINE_URL: engine });
  const forwarding = async () => void (await post(node.url, requestBody));
  subjects.push({ name: "a bare Node process", pids: [node.pid], questions, ask: forwarding, close: node.close });

  const gateway = await startProgram("gpu-backend/gateway/main.ts", {
    ...{ PORT: "0", ENGINE_URL: engine, ENGINE_MODEL: "bench", ENGINE_MAX_IN_FLIGHT: "256" },
  });
  await edge("edge and gateway", { VERIFIER_URL: gateway.url, VERIFIER_PROTOCOL: "verify" }, [gateway.pid]);
  subjects.push({ name: "gateway", pids: [gateway.pid], questions, ask: async () => {}, close: gateway.close });
  return question;
}

/** By a subject's name: a value per round. */
export interface Measured {
  /** CPU a question, ms. */
  cpu: ReadonlyMap<string, readonly number[]>;
  /** A batch by the clock, ms. */
  wall: ReadonlyMap<string, readonly number[]>;
}

const spent = (pids: number[]) => pids.reduce((sum, pid) => sum + cpuMs(pid), 0);

/** Asks each in turns, after rounds that count for nothing. */
export async function measure(subjects: readonly Subject[], rounds: number): Promise<Measured> {
  const cpu = new Map(subjects.map(({ name }) => [name, [] as number[]]));
  const wall = new Map(subjects.map(({ name }) => [name, [] as number[]]));
  const gateway = subjects.find(({ name }) => name === "gateway") as Subject;
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const { name, pids, questions, ask: asking } of subjects) {
      // The gateway's own part is of the round that went through it.
      if (name === "gateway") continue;
      const [before, gatewayBefore, since] = [spent(pids), spent(gateway.pids), performance.now()];
      await asking();
      if (round < 0) continue;
      cpu.get(name)?.push((spent(pids) - before) / questions);
      wall.get(name)?.push(performance.now() - since);
      if (name === "edge and gateway") cpu.get("gateway")?.push((spent(gateway.pids) - gatewayBefore) / questions);
    }
  }
  return { cpu, wall };
}

/** The ratios of two subjects, one per round. */
export const ratiosOf = (measured: Measured["cpu"], part: string, whole: string): number[] =>
  (measured.get(part) as number[]).map((value, round) => value / ((measured.get(whole) as number[])[round] as number));

/**
 * CPU a question of each, ms, and of the product's ways over the floors' and the peers' in the same
 * round; how long a batch takes by the clock over the floor's own.
 */
export async function benchPeers(
  script: WorkerModules,
  backends: Backends,
  batch: Batch,
  rounds: number,
): Promise<Figure[]> {
  const subjects: Subject[] = [];
  const { cpu, wall } = await startWays(subjects, script, backends, batch)
    .then(async (question) => {
      for (const start of [startPortkey, startLiteLlm]) {
        const peer = await start(backends.verifier.VERIFIER_URL as string);
        subjects.push(peerSubject(peer, PEER_QUESTIONS[peer.name as keyof typeof PEER_QUESTIONS], question));
      }
      return measure(subjects, rounds);
    })
    .finally(() => closeAll(subjects));
  const ratios = (part: string, whole: string, measured = cpu) => ratiosOf(measured, part, whole);
  const size = `${batch.groups} x ${batch.rollouts}`;
  return [
    ...[...cpu].map(([name, values]) => figure(name, "CPU ms/question", null, [...values])),
    figure("edge, openai / a bare Worker", "ratio", { max: 1.5 }, ratios("edge, openai", "a bare Worker")),
    figure("edge, openai / a frank Worker", "ratio", { max: 1.6 }, ratios("edge, openai", "a frank Worker")),
    figure("gateway / a bare Node process", "ratio", { max: 1.5 }, ratios("gateway", "a bare Node process")),
    figure("edge and gateway / Portkey", "ratio", { max: 1 / 12 }, ratios("edge and gateway", "Portkey")),
    figure("edge and gateway / LiteLLM", "ratio", { max: 1 / 100 }, ratios("edge and gateway", "LiteLLM")),
    figure(
      `${size} wall clock, openai / a bare Worker`,
      "ratio",
      { max: 2 },
      ratios("edge, openai", "a bare Worker", wall),
    ),
    figure(
      `${size} wall clock, gateway / a bare Node process`,
      "ratio",
      { max: 2 },
      ratios("edge and gateway", "a bare Node process", wall),
    ),
  ];
}
