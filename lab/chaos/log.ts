// Reads a job's run back from the log.
import { setTimeout as pause } from "node:timers/promises";
import { LIMITS } from "../../src/core/faults/limits.ts";
import type { GroupRow } from "../../src/ports/logged-rows.ts";
import type { Answer } from "./client.ts";

const LOG_PAUSE_MS = 500;
/**
 * A message that met a dead database several times may lie in the queue for as long as its longest
 * wait before it is tried again.
 */
const LOG_TRIES = ((LIMITS.log_retry_cap_s + 60) * 1000) / LOG_PAUSE_MS;

/**
 * The run's rows, once those of the answer are all there, which a queue brings a moment later; each job is a
 * separate run.
 */
export async function rowsOf(origin: string, { job, request_id }: Answer): Promise<GroupRow[]> {
  for (let tries = 0; ; tries++) {
    const rows = await exported(origin, job.id);
    const requestRows = rows.filter((row) => request_id === null || row.request_id === request_id);
    if (requestRows.length >= job.groups.length || tries >= LOG_TRIES) return rows;
    await pause(LOG_PAUSE_MS);
  }
}

/** A whole export; nothing when it is cut, or the run not there yet. */
async function exported(origin: string, runId: string): Promise<GroupRow[]> {
  const response = await fetch(`${origin}/v1/runs/${runId}/export?table=groups`);
  const text = await response.text();
  if (!response.ok) return [];
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
  if (lines.pop()?.type !== "end") return [];
  return lines as unknown as GroupRow[];
}
