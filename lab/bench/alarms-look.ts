// The benchmark of a look at a run's alarms: a long log of wide steps, made by one statement a table, and
// what health asks of it.

import { migrate } from "../../scripts/stack/migrations.ts";
import { createPglite } from "../../scripts/stack/pglite.ts";
import { startSqlEndpoint } from "../../scripts/stack/sql-endpoint.ts";
import { lookOver } from "../../src/core/health/alarm.ts";
import { ALARMS } from "../../src/core/health/alarms/table.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createNeonRunLog } from "../../src/run-log/neon.ts";
import { type Figure, figure, repeated } from "./figures.ts";

export interface LookLoad {
  steps: number;
  groups: number;
  rollouts: number;
  /** Requests of each step; they divide its groups. */
  requests: number;
}

/** With the database's part, on a quiet machine. */
const MS_MOST = 50;
/** Steps that one statement makes. */
const A_FILL = 50;
const RUN = { run_id: "bench", owner: "" };

/** Steps `from` up to `to`, each as the load's requests. */
export function filling({ groups, rollouts, requests }: LookLoad, from: number, to: number): string[] {
  const id = "lpad((k * 1000 + q)::text, 26, '0')";
  const each = `generate_series(${from}, ${to - 1}) AS k, generate_series(0, ${requests - 1}) AS q`;
  const group = `${each}, generate_series(0, ${groups / requests - 1}) AS g`;
  return [
    `INSERT INTO requests (request_id, kind, run_id, step, spec_hash, created_at, items, groups, tau_b_undefined, total_ms, verifier_ms, overhead_ms, warnings)
     SELECT ${id}, 'rewards', 'bench', k, 's', now(), ${(groups * rollouts) / requests}, ${groups / requests}, 0, 1, 1, 1, '[]' FROM ${each}`,
    `INSERT INTO groups (request_id, group_index, run_id, step, spec_hash, created_at, group_id, prompt_hash, status, win_counts, selected_tied,
       position_flip_rate, triples, circles, comparisons, generations, parsed, unparsed, failed, saved, prompt_tokens, completion_tokens, latency_p50_ms, latency_p99_ms, latency_max_ms)
     SELECT ${id}, g, 'bench', k, 's', now(), 'g', encode(sha256(((k * ${requests} + q) * 64 + g)::text::bytea), 'hex'), 'ok', '{}', '{}',
       0.05, 10, 1, 120, 240, 236, 4, 0, 0, 1000, 100, 5, 9, 10 FROM ${group}`,
    `INSERT INTO rollouts (request_id, group_index, rollout_index, spec_hash, reward, base, format, overlong, wins, losses, ties, undecided, forfeits, unparsed, format_ok, length_tokens, finish_reason, pass_rate, text_hash)
     SELECT ${id}, g, r, 's', ((k + g + r * 7) % 16) / 15.0, 0, 0, 0, r, 15 - r, 0, 0, 0, 0, true, 400 + (r * 37 + k) % 200, 'stop', r / 15.0,
       encode(sha256((((k * ${requests} + q) * 64 + g) * 64 + r)::text::bytea), 'hex') FROM ${group}, generate_series(0, ${rollouts - 1}) AS r`,
  ];
}

/** All CPU of this process, in which the embedded database is. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** A look at a run of the load's steps: the first, later ones with nothing new, and those at a new step. */
export async function benchAlarmsLook(load: LookLoad, rounds: number): Promise<Figure[]> {
  const backend = await createPglite(null);
  await migrate(backend);
  const endpoint = await startSqlEndpoint({ host: "127.0.0.1", port: 0, backend });
  const runLog = createNeonRunLog({ databaseUrl: "", fetchEndpoint: endpoint.url, clock: systemClock });
  const fill = async (from: number, to: number) => {
    for (const query of filling(load, from, to)) await backend.query({ query, params: [] });
  };
  const look = async () => {
    const rows = await runLog.health(RUN, load.steps);
    if (rows.length !== load.steps) throw new Error(`the alarm check of ${load.steps} steps read ${rows.length} steps`);
    lookOver(ALARMS, rows);
  };
  const label = `alarm check of ${load.steps} steps of ${load.groups * load.rollouts} rollouts`;
  let next = load.steps;
  const atNewStep = async () => {
    await fill(next, next + 1);
    next++;
    return cpuOf(look);
  };
  try {
    for (let from = 0; from < load.steps; from += A_FILL) await fill(from, Math.min(load.steps, from + A_FILL));
    const first = (await cpuOf(look)) / load.steps;
    return [
      figure(`${label}, first check, per step`, "CPU ms", null, [first]),
      await repeated(`${label}, no new step`, "CPU ms", { max: MS_MOST }, rounds, () => cpuOf(look)),
      await repeated(`${label}, one new step`, "CPU ms", null, rounds, atNewStep),
    ];
  } finally {
    await endpoint.close();
    await backend.close();
  }
}
