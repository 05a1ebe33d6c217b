// Measures what a request and a generation take of the Worker's processor and of the database, on a separate
// stack.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSimulator } from "../../gpu-backend/engines/simulator/server.ts";
import { commit } from "../../scripts/stack/commit.ts";
import { startLocalGateway } from "../../scripts/stack/gateway.ts";
import { type Stack, startStack } from "../../scripts/stack/stack.ts";
import { cpuMs } from "../bench/kernel.ts";
import type { Figures } from "./sheet.ts";

/** The children of this process that run the Worker. */
function workerds(): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const [, command, parent] = /\((.*)\) \S (\d+)/.exec(stat) ?? [];
      return command === "workerd" && Number(parent) === process.pid ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

const SIZE =
  "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::text AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relkind = 'r'";

/** The one number that a query asks for. */
async function queried(stack: Stack, query: string): Promise<number> {
  const { DATABASE_FETCH_ENDPOINT: url = "", DATABASE_URL = "" } = stack.database;
  const headers = { "content-type": "application/json", "neon-connection-string": DATABASE_URL };
  const reply = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query, params: [] }) });
  if (!reply.ok) throw new Error(`the database answered ${reply.status}: ${await reply.text()}`);
  const [row = {}] = ((await reply.json()) as { rows: object[] }).rows;
  const number = Number(Object.values(row)[0]);
  if (!Number.isFinite(number)) throw new Error(`the database did not answer with a number: ${query}`);
  return number;
}

async function send(stack: Stack, rollouts: number, name: string): Promise<number> {
  const texts = Array.from({ length: rollouts }, (_, i) => ({
    text: `# pass_rate=${(i / rollouts).toFixed(3)}\n# ${name} ${i}\n${"total += value * 31 % 7\n".repeat(100)}`,
  }));
  const groups = [
    { prompt: `Problem ${name}. `.padEnd(1_600, "Given n numbers, print their total. "), rollouts: texts },
  ];
  const reply = await fetch(`${stack.url}/v1/rewards`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ run_id: "cost", groups, spec: { candidate: { extract: "whole" } } }),
  });
  const said = (await reply.json()) as { groups?: { verifier: { generations: number } }[] };
  if (!reply.ok) throw new Error(`the stack answered ${reply.status}: ${JSON.stringify(said).slice(0, 300)}`);
  return said.groups?.[0]?.verifier.generations ?? 0;
}

interface Taken {
  requests: number;
  generations: number;
  cpu_ms: number;
  bytes: number;
}

/** Sends requests one after another, until the log has them all. */
async function taken(stack: Stack, rollouts: number, requests: number): Promise<Taken> {
  const name = `${rollouts} rollouts`;
  const logged = () => queried(stack, "SELECT count(*)::text AS n FROM requests");
  const size = () => queried(stack, SIZE);
  const cpu = () => workerds().reduce((sum, pid) => sum + cpuMs(pid), 0);
  const [rows, bytes, ms] = [await logged(), await size(), cpu()];
  let generations = 0;
  for (let r = 0; r < requests; r++) generations += await send(stack, rollouts, `${name}, ${r}`);
  while ((await logged()) < rows + requests) await new Promise((resolve) => setTimeout(resolve, 200));
  return { requests, generations, cpu_ms: cpu() - ms, bytes: (await size()) - bytes };
}

/** The cost of a request besides its generations, and of a generation, from two sizes. */
function parted(small: Taken, large: Taken, field: "cpu_ms" | "bytes"): readonly [request: number, generation: number] {
  const [a, b] = [small[field] / small.requests, large[field] / large.requests];
  const [x, y] = [small.generations / small.requests, large.generations / large.requests];
  const generation = Math.max(0, (b - a) / (y - x));
  return [Math.max(0, a - generation * x), generation];
}

/** Groups of 2 and of 16 through the gateway before a simulator that answers at once. */
export async function measuredFigures(requests: number): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "kritai-cost-"));
  const closers: (() => Promise<unknown>)[] = [async () => rmSync(folder, { recursive: true, force: true })];
  try {
    const engine = await startSimulator({ model: "sim-14b", scale: "instant", stream_tokens: 4_096 });
    closers.push(() => engine.close());
    const gateway = await startLocalGateway(engine.url, "sim-14b");
    closers.push(() => gateway.close());
    const env = { VERIFIER_URL: gateway.url, VERIFIER_PROTOCOL: "verify" };
    const stack = await startStack({ host: "127.0.0.1", port: 0, dataDir: folder, env, logged: () => {} });
    closers.push(() => stack.close());
    await taken(stack, 16, 20);
    const small = await taken(stack, 2, 4 * requests);
    const large = await taken(stack, 16, requests);
    const [cpu, bytes] = [parted(small, large, "cpu_ms"), parted(small, large, "bytes")];
    return {
      ...{ command: `npm run lab -- cost --measure --requests ${requests}`, commit: commit() },
      ...{ cpu_ms_request: cpu[0], cpu_ms_generation: cpu[1] },
      ...{ row_bytes_request: bytes[0], row_bytes_generation: bytes[1] },
    };
  } finally {
    for (const close of closers.reverse()) await close();
  }
}
