// Owns reading the run log's routes: the key, which is typed once and kept for this tab, and the
// shapes that the pages use.
import type { GroupResult } from "../../../../src/core/contract/replies.ts";
import type { AlarmSpan } from "../../../../src/core/health/alarm.ts";
import type { HealthRow } from "../../../../src/core/health/health-row.ts";
import type { GroupRow, RequestRow, RunDetail, RunSummary, StepRow } from "../../../../src/scoring/run-log-port.ts";

export type { AlarmSpan, GroupResult, GroupRow, HealthRow, RequestRow, RunDetail, RunSummary, StepRow };

export interface StoredVerdict {
  comparison: number;
  sample: number;
  signal?: string;
  order: number[];
  letter: string | null;
  scores: number[] | null;
  status: string | null;
  error: string | null;
  finish_reason: string | null;
  completion_tokens: number;
  latency_ms: number;
  model: string | null;
}

export interface RunHealth {
  on: string[];
  alarms: AlarmSpan[];
  rows: HealthRow[];
}

const KEY = "kritai-key";

export const keepKey = (key: string): void => sessionStorage.setItem(KEY, key);

/** The server wants a key, or another one. */
export class KeyNeeded extends Error {}

/** A refusal, in the server's own words. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, detail: string) {
    super(detail);
    this.name = "Refused";
    this.status = status;
  }
}

async function read<T>(path: string): Promise<T> {
  const key = sessionStorage.getItem(KEY);
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(path, { headers: { accept: "application/json", ...headers } });
  if (response.status === 401 || response.status === 403) {
    const { detail } = (await response.json()) as { detail: string };
    throw new KeyNeeded(key === null ? "" : detail);
  }
  if (!response.ok) {
    const problem = (await response.json().catch(() => ({}))) as { detail?: string };
    throw new Refused(response.status, problem.detail ?? `The server answered ${response.status}.`);
  }
  return (await response.json()) as T;
}

/** Everything behind a cursor, page by page, at most `most` rows. */
async function pages<T>(path: string, field: string, most: number): Promise<T[]> {
  const rows: T[] = [];
  let cursor: string | null = null;
  do {
    const url: string = cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`;
    const page: Record<string, unknown> = await read(url);
    rows.push(...(page[field] as T[]));
    cursor = page.next_cursor as string | null;
  } while (cursor !== null && rows.length < most);
  return rows;
}

const PAGE = 500;
const RUNS_MOST = 1000;
const GROUPS_MOST = 4096;

const of = (run: string) => `/v1/runs/${encodeURIComponent(run)}`;
/** Of another key's run its owner is named, as in the page's own address. */
const owned = (owner: string | null) => (owner === null ? "" : `owner=${encodeURIComponent(owner)}&`);

export const runs = () => pages<RunSummary>(`/v1/runs?limit=${PAGE}`, "runs", RUNS_MOST);
export const run = (id: string, owner: string | null) => read<RunDetail>(`${of(id)}?${owned(owner)}`);
export const health = (id: string, owner: string | null) =>
  read<RunHealth>(`${of(id)}/health?${owned(owner)}steps=2000&rows=true`);
export const groups = (id: string, step: number, owner: string | null) =>
  pages<GroupRow>(`${of(id)}/groups?${owned(owner)}step=${step}&limit=${PAGE}`, "groups", GROUPS_MOST);
export const request = (id: string) => read<RequestRow>(`/v1/requests/${encodeURIComponent(id)}`);
export const verdicts = async (group: string) =>
  (await read<{ verdicts: StoredVerdict[] }>(`/v1/groups/${encodeURIComponent(group)}/verdicts`)).verdicts;

/** Rows above a step, or all. */
export async function steps(id: string, owner: string | null, after: number | null): Promise<StepRow[]> {
  const above = after === null ? "" : `after=${after}`;
  return (await read<{ steps: StepRow[] }>(`${of(id)}/steps?${owned(owner)}${above}`)).steps;
}
