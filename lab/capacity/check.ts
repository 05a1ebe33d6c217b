// Holds the model against the real stack: the Worker in workerd, the gateway's process and simulated engines
// with stated latencies, at three small sizes.
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { startSimulator } from "../../gpu-backend/engines/simulator/server.ts";
import { createEnginePool } from "../../gpu-backend/gateway/engines/create.ts";
import { startGateway } from "../../gpu-backend/gateway/http/server.ts";
import { startStack } from "../../scripts/stack/stack.ts";
import { mean } from "../../src/core/math/stats.ts";
import { tInterval } from "../loadtest/intervals.ts";
import { measured } from "./needed.ts";
import { type Setting, STANDARD } from "./setting.ts";

export interface Checked {
  name: string;
  /** Seconds of each step of the stack, and of the model over its seeds. */
  stack: number[];
  model: number[];
  stack_ci95: readonly [number, number] | null;
  model_ci95: readonly [number, number];
  /** The model's mean over the stack's, less 1. */
  error: number;
  /** Generations a step whose answers were read whole, of both. */
  generations: readonly [stack: number, model: number];
  /** The machine's load average over a minute, at the end. */
  load: number;
}

interface Size {
  name: string;
  setting: Setting;
}

/** Engines slow enough that their stated times, and not this machine's cores, decide. */
const ENGINE = {
  ...STANDARD.engine,
  ...{ step_overhead_s: 0.002, weights_read_s: 0.018, token_compute_s: 1e-4, kv_read_s: 1e-7 },
  ...{ sequences_max: 32, block_tokens: 16 },
};
const NOISE = { ...STANDARD.noise, parse_rate: 1, thinking_median_tokens: 150, thinking_sigma: 0.3 };

/** Everything on one machine: no way is long. */
const HERE: Setting = {
  ...STANDARD,
  ...{ engine: ENGINE, noise: NOISE, client_rtt_s: 0.001, backend_rtt_s: 0.002 },
  ...{ edge_before_s: 0.005, edge_after_s: 0.005, gateway_cpu_s: 0.0005 },
  tokens: { ...STANDARD.tokens, template: 147, question: 50, candidate: 120, max: 4_096 },
};

export const SIZES: readonly Size[] = [
  {
    name: "4 x 6, all pairs, verify, 1 engine of 32 slots",
    setting: { ...HERE, groups: 4, rollouts: 6, gpus: 1, noise: { ...NOISE, thinking_median_tokens: 400 } },
  },
  {
    name: "6 x 8, swiss, 3 samples stopped early, verify, 2 engines of 16 slots",
    setting: {
      ...{ ...HERE, groups: 6, rollouts: 8, gpus: 2, in_flight: 16 },
      engine: { ...ENGINE, sequences_max: 16 },
      judge: { ...HERE.judge, schedule: "swiss", samples: 3 },
    },
  },
  {
    name: "4 x 6, all pairs, openai, 1 engine of 16 slots",
    setting: { ...HERE, groups: 4, rollouts: 6, gpus: 1, engine: { ...ENGINE, sequences_max: 16 }, protocol: "openai" },
  },
];

const STEPS = 3;
const MODEL_SEEDS = 20;
const CHARS_PER_TOKEN = 4;

/** A program as long as its tokens, with a pass rate in the label that the simulator reads. */
function program({ tokens }: Setting, name: string, share: number): string {
  const head = `# pass_rate=${share.toFixed(4)}\n# ${name}\n`;
  return head + "x = 1\n".repeat(Math.max(1, Math.round((tokens.candidate * CHARS_PER_TOKEN - head.length) / 6)));
}

async function stepOf(url: string, setting: Setting, step: number): Promise<{ seconds: number; generations: number }> {
  const { groups, rollouts, judge, tokens } = setting;
  const { schedule, samples } = judge;
  const from = performance.now();
  const replies = await Promise.all(
    Array.from({ length: groups }, async (_, g) => {
      const name = `step ${step}, group ${g}`;
      const texts = Array.from({ length: rollouts }, (_, i) => ({
        text: program(setting, `${name}, rollout ${i}`, ((i * 7 + g + step * 3) % rollouts) / rollouts),
      }));
      const prompt = `${name}: `.padEnd(tokens.question * CHARS_PER_TOKEN, "what is asked ");
      const body = {
        groups: [{ prompt, rollouts: texts }],
        spec: { judge: { schedule, samples, max_tokens: tokens.max }, candidate: { extract: "whole" } },
      };
      const reply = await fetch(`${url}/v1/rewards`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      const said = (await reply.json()) as { groups?: { verifier: { generations: number }; error?: unknown }[] };
      if (!reply.ok) throw new Error(`the stack answered ${reply.status}: ${JSON.stringify(said).slice(0, 500)}`);
      return said.groups?.[0]?.verifier.generations ?? 0;
    }),
  );
  return { seconds: (performance.now() - from) / 1_000, generations: mean(replies) * groups };
}

async function stackSteps({ setting }: Size): Promise<{ seconds: number[]; generations: number[] }> {
  const { engine, noise, gpus, in_flight, protocol } = setting;
  const folder = mkdtempSync(join(tmpdir(), "kritai-capacity-"));
  const closers: (() => Promise<unknown>)[] = [() => Promise.resolve(rmSync(folder, { recursive: true, force: true }))];
  try {
    const simulators = await Promise.all(
      Array.from({ length: gpus }, (_, seed) =>
        startSimulator({ model: "sim-14b", scale: 1, seed, engine, noise, stream_tokens: 64 }),
      ),
    );
    closers.push(() => Promise.all(simulators.map((simulator) => simulator.close())));
    const urls = simulators.map(({ url }) => url);
    let url = urls[0] as string;
    if (protocol === "verify") {
      const pool = createEnginePool({ urls, model: "sim-14b", apiKey: null, maxInFlight: in_flight });
      const gateway = await startGateway({ host: "127.0.0.1", port: 0, pool });
      closers.push(() => gateway.close(1_000));
      url = gateway.url;
    }
    const env = { VERIFIER_URL: url, VERIFIER_MODEL: "sim-14b", VERIFIER_PROTOCOL: protocol };
    const stack = await startStack({ host: "127.0.0.1", port: 0, dataDir: folder, env, logged: () => {} });
    closers.push(() => stack.close());
    // The first one finds everything cold: modules, connections, the database.
    await stepOf(stack.url, { ...setting, groups: 1 }, -1);
    const steps = [];
    for (let step = 0; step < STEPS; step++) steps.push(await stepOf(stack.url, setting, step));
    return { seconds: steps.map(({ seconds }) => seconds), generations: steps.map(({ generations }) => generations) };
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** All sizes, one after another. @throws Error where the stack refuses */
export async function checked(say: (line: string) => void): Promise<Checked[]> {
  const results: Checked[] = [];
  for (const size of SIZES) {
    say(`${size.name}: ${STEPS} steps of the stack`);
    const { seconds: stack, generations } = await stackSteps(size);
    const { seconds: model, mean_s, ci95, step } = await measured(size.setting, MODEL_SEEDS);
    const result: Checked = {
      ...{ name: size.name, stack, model, stack_ci95: tInterval(stack), model_ci95: ci95 },
      error: mean_s / mean(stack) - 1,
      generations: [mean(generations), step.generations - step.saved],
      load: loadavg()[0] as number,
    };
    say(`stack ${mean(stack).toFixed(2)} s, model ${mean_s.toFixed(2)} s, ${(100 * result.error).toFixed(1)} % error`);
    results.push(result);
  }
  return results;
}

/** As Markdown. */
export function checkTable(results: readonly Checked[]): string {
  const range = (ci: readonly [number, number] | null) =>
    ci === null ? "" : ` (${ci.map((s) => s.toFixed(2)).join(" to ")})`;
  const rows = results.map(({ name, stack, stack_ci95, model, model_ci95, error, generations, load }) =>
    [
      name,
      `${mean(stack).toFixed(2)}${range(stack_ci95)}`,
      `${mean(model).toFixed(2)}${range(model_ci95)}`,
      `${(100 * error).toFixed(1)} %`,
      generations.map((count) => count.toFixed(0)).join(" / "),
      load.toFixed(1),
    ].join(" | "),
  );
  return [
    "| size | stack, s | model, s | error | generations, stack / model | load |",
    "|---|---|---|---|---|---|",
    ...rows.map((row) => `| ${row} |`),
  ].join("\n");
}
