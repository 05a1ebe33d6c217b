// The benchmark of a decision model against a chat judge: the edge's CPU for a group in both orders, of which
// the one is two calls and the other a call for each pair and order. In a bare workerd.

import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";
import { type Backends, post } from "./edge-client.ts";
import { type Figure, figure } from "./figures.ts";
import { rewardsRequest } from "./loads.ts";
import { startWorkerd } from "./workerd.ts";

const SHARE_MOST = 0.1;
const WARM_UP = 2;

export interface DecisionsLoad {
  groups: number;
  rollouts: number;
}

/** The same groups for both judges. */
function bodyOf({ groups, rollouts }: DecisionsLoad, preset: string): string {
  const judge = { preset, both_orders: true, schedule: "round_robin" };
  const { spec: _, ...request } = rewardsRequest({ groups, rollouts, thoughts: 1000 });
  return JSON.stringify({ ...request, spec: { candidate: { extract: "last_code_block" }, judge } });
}

/** User and system time of workerd a group, ms; both judges take turns, and the goal is their ratio. */
export async function benchDecisions(
  script: WorkerModules,
  { verifier }: Backends,
  load: DecisionsLoad,
  rounds: number,
): Promise<Figure[]> {
  const comparisons = load.rollouts * (load.rollouts - 1) * load.groups;
  const decision = { ...verifier, VERIFIER_PROTOCOL: "decision", VERIFIER_API: "systemone" };
  const [chat, decide] = [
    await startWorkerd({ script, vars: verifier }),
    await startWorkerd({ script, vars: decision }),
  ];
  const measured = async (workerd: typeof chat, body: string) => {
    const before = workerd.cpuMs();
    const { groups } = JSON.parse(await post(`${workerd.url}/v1/rewards`, body)) as {
      groups: { verifier: { parsed: number } }[];
    };
    const parsed = groups.reduce((sum, { verifier: { parsed: count } }) => sum + count, 0);
    if (parsed !== comparisons) throw new Error(`${parsed} verdicts, expected ${comparisons}`);
    return (workerd.cpuMs() - before) / load.groups;
  };
  const [asked, decided]: [number[], number[]] = [[], []];
  try {
    for (let round = -WARM_UP; round < rounds; round++) {
      const [chatMs, other] = [
        await measured(chat, bodyOf(load, "code-select")),
        await measured(decide, bodyOf(load, "decide-pair")),
      ];
      if (round < 0) continue;
      asked.push(chatMs);
      decided.push(other);
    }
  } finally {
    await Promise.all([chat.close(), decide.close()]);
  }
  const name = `a group of ${load.rollouts} in both orders`;
  return [
    figure(`${name} by a chat judge, ${comparisons / load.groups} calls`, "CPU ms/group", null, asked),
    figure(`${name} by a decision model, 2 calls`, "CPU ms/group", null, decided),
    figure(
      `${name}, decision model relative to chat judge`,
      "x",
      { max: SHARE_MOST },
      decided.map((ms, at) => ms / (asked[at] as number)),
    ),
  ];
}
