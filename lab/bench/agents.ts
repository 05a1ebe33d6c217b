// The benchmark of rollouts of several turns: CPU and memory beside texts of the same length, and what a
// beginning that all share saves in a pair's prompt.
import { promptOf } from "../../gpu-backend/engines/simulator/shapes.ts";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { createPreparer, type PreparedGroup } from "../../src/core/candidate/prepare.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { createRenderer } from "../../src/core/judges/render.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { type Backends, post } from "./edge-client.ts";
import { type Figure, figure, repeated } from "./figures.ts";
import { peaksOf } from "./memory.ts";
import { checkReply } from "./rewards-route.ts";
import { startWorkerd } from "./workerd.ts";

export interface AgentsBatch {
  groups: number;
  rollouts: number;
  /** Half of them calls, half of them results. */
  messages: number;
  /** Characters of each result. */
  chars: number;
}

/** 12.6 MB: with results of 4 KiB to twelve calls it would be beyond body_bytes. */
export const AGENTS: AgentsBatch = { groups: 64, rollouts: 8, messages: 12, chars: 4_096 };
const LONG: AgentsBatch = { groups: 64, rollouts: 8, messages: 40, chars: 20_480 };

const CPU_RATIO_MOST = 2;
/** The kernel counts a process's CPU in these: for a small batch it may be none. */
const TICK_MS = 10;
const SHARED = [0, 10, 30];
/** Turns of each rollout's own behind a shared beginning. */
const OWN_TURNS = 10;

const line = (seed: number, i: number) =>
  `${seed}.${i}: src/module_${(seed * 31 + i) % 97}.py: value = ${i * 7} # kept\n`;

/** Lines of a tool, the same on every run. */
function heard(seed: number, chars: number): string {
  const lines = Array.from({ length: Math.ceil(chars / line(seed, 0).length) + 1 }, (_, i) => line(seed, i));
  return lines.join("").slice(0, chars);
}

/** One turn: a thought aloud, a call, its result. */
function turn(seed: number, chars: number): object[] {
  const cmd = JSON.stringify({ cmd: `sed -n ${seed % 400},+40p src/module_${seed % 97}.py` });
  return [
    {
      role: "assistant",
      content: `I read module ${seed % 97} next.`,
      tool_calls: [{ id: `c${seed}`, type: "function", function: { name: "bash", arguments: cmd } }],
    },
    { role: "tool", tool_call_id: `c${seed}`, content: heard(seed, chars) },
  ];
}

const turns = (from: number, count: number, chars: number): object[] =>
  Array.from({ length: count }, (_, i) => turn(from + i, chars)).flat();

/** A rollout as messages, or as a text with the same words. */
function rolloutOf(seed: number, { messages, chars }: AgentsBatch, asText: boolean): object {
  const all = turns(seed * 1_000, messages / 2, chars);
  if (!asText) return { messages: all };
  const words = all.map((message) => {
    const { content, tool_calls = [] } = message as {
      content: string;
      tool_calls?: { function: { arguments: string } }[];
    };
    return [content, ...tool_calls.map((call) => call.function.arguments)].join("\n");
  });
  return { text: words.join("\n") };
}

function agentsRequest(batch: AgentsBatch, asText: boolean) {
  return {
    spec: { candidate: { extract: "whole" }, judge: { preset: "text-select" } },
    deadline_ms: 120_000,
    groups: Array.from({ length: batch.groups }, (_, g) => ({
      prompt: `Task ${g}. Find the module that keeps the value, and mend it.`,
      rollouts: Array.from({ length: batch.rollouts }, (_, r) => rolloutOf(g * batch.rollouts + r, batch, asText)),
    })),
  };
}

const sizeOf = ({ groups, rollouts, messages, chars }: AgentsBatch) =>
  `${groups} x ${rollouts} x ${messages} messages, results of ${chars / 1024} KiB`;

async function cpuFigures(
  script: WorkerModules,
  backends: Backends,
  batch: AgentsBatch,
  rounds: number,
): Promise<Figure[]> {
  const workerd = await startWorkerd({ script, vars: backends.verifier });
  try {
    const bodies = [true, false].map((asText) => JSON.stringify(agentsRequest(batch, asText)));
    const spent: number[][] = [[], []];
    const measure = async () => {
      for (const [i, body] of bodies.entries()) {
        const before = workerd.cpuMs();
        checkReply(await post(`${workerd.url}/v1/rewards`, body), { ...batch, thoughts: 0 }, false);
        spent[i]?.push(workerd.cpuMs() - before);
      }
      const [text = 1, run = 0] = spent.map((values) => values.at(-1) as number);
      return run / Math.max(text, TICK_MS);
    };
    const name = `CPU of ${sizeOf(batch)}`;
    const ratio = await repeated(`${name}, relative to plain texts`, "ratio", { max: CPU_RATIO_MOST }, rounds, measure);
    const [texts = [], runs = []] = spent.map((values) => values.slice(-rounds));
    return [ratio, figure(`${name}, as plain texts`, "ms CPU", null, texts), figure(name, "ms CPU", null, runs)];
  } finally {
    await workerd.close();
  }
}

/** Tokens of a pair's prompt, by the simulator's count. */
function tokensOf(question: string, candidates: readonly (string | null)[]): number {
  const shown = candidates.map((text) => text ?? "");
  const job = { question, language: null, candidates: shown };
  const messages = createRenderer("trajectory-pair", "exact_match", job)([0, 1]).map((message) => ({ ...message }));
  return promptOf({ messages }).tokens;
}

function sharedFigures(chars: number): Figure[] {
  const prepare = createPreparer({ candidate: { extract: "whole" }, formats: {} });
  const prepared = (runs: readonly object[]): PreparedGroup => {
    const rollouts = runs.map((messages) => ({ messages }));
    const { groups } = RewardsRequestSchema.parse({ groups: [{ prompt: "Mend it.", rollouts }] });
    return prepare(groups[0] as PreparedGroup["group"], 0);
  };
  return SHARED.flatMap((count) => {
    // Only turns of others are shown once: a policy's own turn is part of its response.
    const beginning = Array.from({ length: count }, (_, i) => ({
      role: "user",
      content: JSON.stringify(turns(i + 1, 1, chars)),
    }));
    const runs = [1_000, 2_000].map((from) => [...beginning, ...turns(from, OWN_TURNS, chars)]);
    const both = prepared(runs);
    if (both.evidence?.shared !== count) throw new Error(`${both.evidence?.shared} shared turns, expected ${count}`);
    // Alone, each has its beginning as its own.
    const alone = runs.map((run) => prepared([run]).candidates[0] as string);
    const once = tokensOf(both.question, both.candidates);
    const twice = tokensOf("Mend it.", alone);
    const name = `prompt of a pair, ${count} shared turns and ${OWN_TURNS} of each run`;
    return [
      figure(`${name}, shared turns in each candidate`, "tokens", null, [twice]),
      figure(`${name}, shared turns once`, "tokens", null, [once]),
      figure(`${name}, once relative to twice`, "ratio", null, [once / twice]),
    ];
  });
}

/** How a batch beyond body_bytes goes, group by group as the clients cut it. */
function partsFigures(batch: AgentsBatch): Figure[] {
  const bytes = JSON.stringify(agentsRequest({ ...batch, groups: 1 }, false)).length;
  const groupsMax = Math.floor(LIMITS.body_bytes / bytes);
  const name = sizeOf(batch);
  return [
    figure(`bytes of a group, ${name}`, "bytes", { max: LIMITS.body_bytes }, [bytes]),
    figure(`requests of a client, ${name}`, "requests", null, [Math.ceil(batch.groups / groupsMax)]),
  ];
}

/** @param batch of CPU and memory */
export async function benchAgents(
  script: WorkerModules,
  backends: Backends,
  batch: AgentsBatch,
  rounds: number,
): Promise<Figure[]> {
  const body = JSON.stringify(agentsRequest(batch, false));
  const request = {
    name: sizeOf(batch),
    path: "/v1/rewards",
    body,
    check: (reply: string) => checkReply(reply, { ...batch, thoughts: 0 }, true),
  };
  return [
    ...sharedFigures(batch.chars),
    ...partsFigures(LONG),
    ...(await cpuFigures(script, backends, batch, rounds)),
    ...(await peaksOf(script, { ...backends.verifier, ...backends.database }, [request], rounds)),
  ];
}
