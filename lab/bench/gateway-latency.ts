// The benchmark of what the gateway adds to a generation's time: at 60 % of its knee, against the engine
// asked directly at the same rate.
import { createRenderer } from "../../src/core/judges/render.ts";
import { createRandom } from "../../src/core/math/random.ts";
import { percentile } from "../../src/core/math/stats.ts";
import { type Figure, figure } from "./figures.ts";
import { groupOf, MODEL, requestOf, SAMPLING } from "./gateway-load.ts";
import { coreWaitMs } from "./kernel.ts";
import type { Program } from "./program.ts";
import { postBytes, startWireEngine, WireClient, type WireEngine } from "./wire.ts";

const ADDED_P50_MS_MOST = 1;
const ADDED_P99_MS_MOST = 5;
const LOAD_SHARE = 0.6;
const KNEE_CLIENTS = 32;
/**
 * Direct and through the gateway take turns this often in a round, so that a busy moment meets
 * both.
 */
const TURNS = 4;

export interface LatencyLoad {
  rounds: number;
  /** Length of one measurement of either. */
  window_ms: number;
}

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", model: MODEL, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const USAGE = { id: "c1", choices: [], usage: { prompt_tokens: 900, completion_tokens: 8 } };
const ANSWER = `${chunk({ role: "assistant", content: "" })}${chunk({ content: "\\boxed{A}" })}${chunk({}, "stop")}data: ${JSON.stringify(USAGE)}\n\ndata: [DONE]\n\n`;

/**
 * Starts the engine that the gateway under test is to ask. It lives in this process: it costs less
 * than a third one would.
 */
export const startLatencyEngine = (): Promise<WireEngine> => startWireEngine(ANSWER);

type Send = () => Promise<void>;

/** Requests a second when 32 clients never wait. */
async function kneeOf(send: Send, ms: number): Promise<number> {
  const started = performance.now();
  let count = 0;
  const client = async () => {
    for (; performance.now() - started < ms; count++) await send();
  };
  await Promise.all(Array.from({ length: KNEE_CLIENTS }, client));
  return count / ((performance.now() - started) / 1_000);
}

/**
 * Requests meant for random moments (Poisson); each one's ms from its moment to the reply's end, so
 * that lateness here counts too.
 */
async function openLoop(send: Send, rate: number, count: number, seed: number): Promise<number[]> {
  const random = createRandom(seed);
  const times: Promise<number>[] = [];
  for (let at = performance.now(); times.length < count; at -= (Math.log(1 - random()) * 1_000) / rate) {
    // Turns of the loop instead of a timer, whose millisecond would drown the measurement; the gateway has a
    // separate core.
    while (performance.now() < at) await new Promise((resolve) => setImmediate(resolve));
    const scheduledAt = at;
    times.push(send().then(() => performance.now() - scheduledAt));
  }
  return Promise.all(times);
}

const sorted = (values: number[]) => values.sort((a, b) => a - b);

/**
 * The gateway's time less the engine's own for the same question at the same rate, by percentile.
 */
export async function benchAddedLatency(
  gateway: Program,
  engine: WireEngine,
  { rounds, window_ms }: LatencyLoad,
): Promise<Figure[]> {
  const group = groupOf("one", 2, 1);
  const messages = createRenderer("code-select", "exact_match", group)([0, 1]);
  const question = JSON.stringify({ model: MODEL, ...SAMPLING, stream: true, messages });
  const [through, direct] = [new WireClient(gateway.url, '"type":"verdict"'), new WireClient(engine.url, "[DONE]")];
  const [verify, chat] = [postBytes("/v1/verify", requestOf(group)), postBytes("/v1/chat/completions", question)];
  const sendThrough = () => through.send(verify);
  const sendDirect = () => direct.send(chat);
  await kneeOf(sendThrough, window_ms);
  const figures = {
    knee: [] as number[],
    direct50: [] as number[],
    direct99: [] as number[],
    p50: [] as number[],
    p99: [] as number[],
    waits: [] as number[],
  };
  for (let round = 0; round < rounds; round++) {
    // Anew in each round: neighbours that came since have lowered it.
    const knee = await kneeOf(sendThrough, window_ms);
    const rate = LOAD_SHARE * knee;
    const count = Math.ceil((rate * window_ms) / 1_000 / TURNS);
    const [without, within]: [number[], number[]] = [[], []];
    let [waited, running] = [0, 0];
    for (let turn = 0; turn < TURNS; turn++) {
      const seed = round * TURNS + turn;
      without.push(...(await openLoop(sendDirect, rate, count, seed)));
      const [wait, started] = [coreWaitMs(gateway.pid), performance.now()];
      within.push(...(await openLoop(sendThrough, rate, count, seed)));
      waited += coreWaitMs(gateway.pid) - wait;
      running += performance.now() - started;
    }
    const [base, total] = [sorted(without), sorted(within)];
    figures.knee.push(knee);
    figures.waits.push(waited / running);
    figures.direct50.push(percentile(base, 0.5));
    figures.direct99.push(percentile(base, 0.99));
    figures.p50.push(percentile(total, 0.5) - percentile(base, 0.5));
    figures.p99.push(percentile(total, 0.99) - percentile(base, 0.99));
  }
  through.close();
  direct.close();
  return [
    figure("gateway: knee, one-generation requests", "generations/s", null, figures.knee),
    figure("engine without gateway at 60 % of the knee, p50", "ms", null, figures.direct50),
    figure("engine without gateway at 60 % of the knee, p99", "ms", null, figures.direct99),
    figure("latency added by the gateway at 60 % of the knee, p50", "ms", { max: ADDED_P50_MS_MOST }, figures.p50),
    figure("latency added by the gateway at 60 % of the knee, p99", "ms", { max: ADDED_P99_MS_MOST }, figures.p99),
    figure("gateway waiting for a core (CPU steal by other processes)", "share of time", null, figures.waits),
  ];
}
