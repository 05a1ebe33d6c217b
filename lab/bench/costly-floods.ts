// Owns the benchmark of one key's floods of costly requests against another key's small ones, in bare
// workerd: rehearsals of specs/check, and the dearest bodies that the cost fuzzer knows.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { LIMITS } from "../../src/core/faults/limits.ts";
import { type Figure, figure } from "./figures.ts";
import { type Rounds, ratios } from "./rounds.ts";
import { startWorkerd } from "./workerd.ts";

const KEYS = ["a", "b"] as const;
type Key = (typeof KEYS)[number];
const AT_ONCE = 8;
const ANSWER_MS = 15;

const digest = (key: string) => createHash("sha256").update(key).digest("hex");

/** A judge that answers after so long. */
async function startJudge() {
  const reply = JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: "\\boxed{A}" }, finish_reason: "stop" }],
  });
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      setTimeout(() => response.writeHead(200, { "content-type": "application/json" }).end(reply), ANSWER_MS);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close: () => server.close() };
}

const SMALL = JSON.stringify({
  groups: [{ prompt: "p", rollouts: [{ text: "```\na\n```" }, { text: "```\nb\n```" }] }],
});

interface Flood {
  path: string;
  bodies: readonly string[];
}

const compared = (signal: object, item: string, rollouts: number): string =>
  JSON.stringify({
    spec: { signals: { s: signal }, reward: "s" },
    groups: [
      {
        prompt: "p",
        item: { a: item },
        rollouts: Array.from({ length: rollouts }, (_, r) => ({ text: `a b c ${r}` })),
      },
    ],
  });

const words = (chars: number) =>
  Array.from({ length: chars }, (_, i) => `${((i * 7919) % 10_007).toString(36)} `)
    .join("")
    .slice(0, chars);
const similarity = (metric: string, times: number) => ({
  ...{ kind: "text_similarity", evaluation_metric: metric },
  ...{ input: `${"{{item.a}}".repeat(times)}{{sample.output_text}}`, reference: "{{item.a}}".repeat(times) },
});
const ITEM = words(100);
const { rollouts_per_group_max: MANY } = LIMITS;

/** What costs most CPU a KiB of body, of each kind that asks nobody. */
const DEAREST = [
  compared(similarity("fuzzy_match", 20), ITEM, 21),
  compared(similarity("bleu", 20), ITEM, 26),
  compared(similarity("rouge_5", 80), ITEM, 10),
  compared(
    {
      ...{ kind: "string_check", operation: "like" },
      ...{ input: "{{item.a}}".repeat(32), reference: "{{sample.output_text}}" },
    },
    "a".repeat(1024),
    MANY,
  ),
  JSON.stringify({
    spec: { signals: { s: { kind: "reference", tiers: ["rules"] } }, reward: "s" },
    groups: [
      {
        ...{ prompt: "p", reference: Array.from({ length: 400 }, (_, i) => `${i}e400`).join(",") },
        rollouts: Array.from({ length: 16 }, (_, r) => ({ text: `\\boxed{${"1e-400,".repeat(400)}${r}}` })),
      },
    ],
  }),
];

const FLOODS: Readonly<Record<string, Flood>> = {
  "rehearsals of n = 64": {
    path: `/v1/specs/check?n=${MANY}`,
    bodies: [JSON.stringify({ judge: { schedule: { name: "auto" } } })],
  },
  "the dearest comparisons": { path: "/v1/rewards", bodies: DEAREST },
};

/** Of each flood: the p99 of another key's small rewards requests, with it over without. */
export async function benchCostlyFloods(script: WorkerModules, rounds: Rounds): Promise<Figure[]> {
  const judge = await startJudge();
  const vars = {
    ...{ API_KEYS: KEYS.map((key) => `${key}:${digest(key)}`).join(",") },
    ...{ VERIFIER_URL: judge.url, VERIFIER_MODEL: "bench", VERIFIER_PROTOCOL: "openai" },
  };
  const workerd = await startWorkerd({ script, vars });
  const post = async (key: Key, path: string, body: string) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const reply = await fetch(`${workerd.url}${path}`, { method: "POST", headers, body });
    return { status: reply.status, text: await reply.text() };
  };
  const small = async () => {
    const { status, text } = await post("b", "/v1/rewards", SMALL);
    if (status !== 200) throw new Error(`another key's request was answered ${status}: ${text.slice(0, 300)}`);
  };
  const figures: Figure[] = [];
  try {
    for (const [name, { path, bodies }] of Object.entries(FLOODS)) {
      let sent = 0;
      const taken: number[] = [];
      const flood = (over: AbortSignal) => {
        const again = async (): Promise<void> => {
          while (!over.aborted) {
            const { status, text } = await post("a", path, bodies[sent++ % bodies.length] as string);
            if (status !== 200 && status !== 429) throw new Error(`${name}: ${status}: ${text.slice(0, 300)}`);
          }
        };
        const [began, cpu, before] = [performance.now(), workerd.cpuMs(), sent];
        return Promise.all(Array.from({ length: AT_ONCE }, again)).then(() => {
          if (sent > before) taken.push((workerd.cpuMs() - cpu) / (performance.now() - began));
        });
      };
      figures.push(...(await ratios(name, rounds, small, flood)));
      figures.push(figure(`${name}: of a core, of both keys`, "cores", null, taken));
    }
  } finally {
    await workerd.close();
    judge.close();
  }
  return figures;
}
