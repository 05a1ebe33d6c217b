// The two groups every fault is tried on, the ways of asking for their rewards, and reading the log back.
import { setTimeout as pause } from "node:timers/promises";
import type { GroupResult } from "../../src/core/contract/group-reply.ts";
import type { RewardsEvent, RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import type { GroupRow, StoredVerdict } from "../../src/ports/logged-rows.ts";

export const DELIVERIES = ["sync", "stream", "async"] as const;
export type Delivery = (typeof DELIVERIES)[number];

/** The reply, in one shape whichever way it came. */
export type Told = Pick<RewardsReply, "request_id" | "rewards" | "groups" | "logged" | "warnings">;

const program = (name: string, passRate: number, label = "") => ({
  text: `\`\`\`python\n# pass_rate=${passRate}${label}\nprint("${name}")\n\`\`\``,
});

/** A group whose first rollout's two comparisons are struck, and a neighbour that is left alone. */
export function bodyWith(fault: string, deadline_ms: number): object {
  const label = `\n# simulator_fault=${fault}`;
  return {
    run_id: "faults",
    deadline_ms,
    groups: [
      {
        group_id: "struck",
        prompt: "Print the struck word.",
        rollouts: [program("first", 1, label), program("second", 0.5), program("third", 0)],
      },
      {
        group_id: "neighbour",
        prompt: "Print the neighbour's word.",
        rollouts: [program("one", 0), program("two", 0.5), program("three", 1)],
      },
    ],
  };
}

const post = (url: string, body: object, headers: Record<string, string>) =>
  fetch(`${url}/v1/rewards`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

/** Asks and waits for the end. @throws Error when the reply is not a 2xx */
export async function ask(url: string, delivery: Delivery, body: object): Promise<Told> {
  const accept = delivery === "stream" ? "application/x-ndjson" : "application/json";
  const response = await post(url, body, { accept, ...(delivery === "async" && { prefer: "respond-async" }) });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  if (delivery === "stream") return fromEvents(await response.text());
  return delivery === "sync" ? ((await response.json()) as Told) : finishedBatch(url, response);
}

function fromEvents(text: string): Told {
  const events = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as RewardsEvent);
  const last = events.at(-1);
  if (last?.type !== "done") throw new Error(`the stream's last line is ${JSON.stringify(last)}`);
  const groups: GroupResult[] = [];
  for (const event of events) {
    if (event.type !== "group") continue;
    const { type: _type, index, ...group } = event;
    groups[index] = group;
  }
  const rewards = groups.map(({ rollouts }) => rollouts.map(({ reward }) => reward));
  return { ...last, groups, rewards };
}

/** Long-polls a batch until it is done. */
async function finishedBatch(url: string, accepted: Response): Promise<Told> {
  if (accepted.status !== 202) throw new Error(`${accepted.status} is not 202`);
  const location = new URL(accepted.headers.get("location") ?? "", url);
  for (;;) {
    const batch = (await (await fetch(`${location}?wait=60`)).json()) as { state: string; reply?: Told };
    if (batch.state === "queued" || batch.state === "running") continue;
    if (batch.reply === undefined) throw new Error(`the batch ended as ${JSON.stringify(batch)}`);
    return batch.reply;
  }
}

const LOG_PAUSE_MS = 50;

/**
 * The request's groups with every verdict, once the log has them: a queued entry is stored a moment
 * after the reply. Waits as long as the test may.
 */
export async function logged(url: string, requestId: string): Promise<{ row: GroupRow; verdicts: StoredVerdict[] }[]> {
  for (;;) {
    const response = await fetch(`${url}/v1/requests/${requestId}`);
    if (response.ok) {
      const { groups } = (await response.json()) as { groups: GroupRow[] };
      return Promise.all(groups.map(async (row) => ({ row, verdicts: await verdictsOf(url, row.id) })));
    }
    await response.text();
    await pause(LOG_PAUSE_MS);
  }
}

async function verdictsOf(url: string, groupId: string): Promise<StoredVerdict[]> {
  const response = await fetch(`${url}/v1/groups/${groupId}/verdicts`);
  const body = (await response.json()) as { verdicts: StoredVerdict[] };
  return body.verdicts;
}
