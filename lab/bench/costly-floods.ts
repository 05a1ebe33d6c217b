// Benchmark of one key's floods of costly requests against another key's small ones, in bare
// workerd.
import { createHash } from "node:crypto";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { type Figure, figure } from "./figures.ts";
import { floodThread, judgeThread } from "./flood-threads.ts";
import { FLOODS, SMALL } from "./floods.ts";
import { type Rounds, ratios } from "./rounds.ts";
import { startWorkerd } from "./workerd.ts";

const [FLOODS_KEY, OTHER_KEY] = ["a", "b"] as const;

const digest = (key: string) => createHash("sha256").update(key).digest("hex");

/**
 * For each flood: the p99 of another key's small rewards requests, with it over without; and the same with the
 * flood sent to another edge, which is the part of the machine that both share.
 */
export async function benchCostlyFloods(script: WorkerModules, rounds: Rounds): Promise<Figure[]> {
  const judge = await judgeThread();
  const vars = {
    ...{ API_KEYS: [FLOODS_KEY, OTHER_KEY].map((key) => `${key}:${digest(key)}`).join(",") },
    ...{ VERIFIER_URL: judge.url, VERIFIER_MODEL: "bench", VERIFIER_PROTOCOL: "openai" },
  };
  const workerd = await startWorkerd({ script, vars, objects: true });
  const otherEdge = await startWorkerd({ script, vars, objects: true });
  const headers = { authorization: `Bearer ${OTHER_KEY}`, "content-type": "application/json" };
  const small = async () => {
    const reply = await fetch(`${workerd.url}/v1/rewards`, { method: "POST", headers, body: SMALL });
    const text = await reply.text();
    if (reply.status !== 200)
      throw new Error(`another key's request was answered ${reply.status}: ${text.slice(0, 300)}`);
  };
  const figures: Figure[] = [];
  try {
    for (const name of Object.keys(FLOODS)) {
      let [sent, answered] = [0, 0];
      const taken: number[] = [];
      const flood = async (over: AbortSignal) => {
        const [began, cpu] = [performance.now(), workerd.cpuMs()];
        const done = await floodThread(name, workerd.url, FLOODS_KEY, sent, over);
        sent += done.sent;
        answered += done.answered;
        taken.push((workerd.cpuMs() - cpu) / (performance.now() - began));
      };
      const elsewhere = (over: AbortSignal) => floodThread(name, otherEdge.url, FLOODS_KEY, sent, over);
      figures.push(...(await ratios(name, rounds, small, flood, elsewhere)));
      if (answered === 0) throw new Error(`${name}: no request of the flood was answered`);
      figures.push(figure(`${name}: CPU of both keys, cores`, "cores", null, taken));
    }
  } finally {
    await Promise.all([workerd.close(), otherEdge.close()]);
    await judge.close();
  }
  return figures;
}
