// Reads the run log's routes: the key, which is typed once and kept for this tab, and the shapes that the
// pages use.
import type { GroupResult } from "../../../../src/core/contract/group-reply.ts";
import type { AlarmSpan } from "../../../../src/core/health/alarm.ts";
import type { HealthRow } from "../../../../src/core/health/health-row.ts";
import type { Verdict } from "../../../../src/core/judges/verdicts.ts";
import type { GroupRow, RequestRow, RunDetail, RunSummary, StepRow } from "../../../../src/ports/logged-rows.ts";
import type { EndLine, GroupLine } from "../../../rescore/ask.ts";
import { linesOf } from "../../../rescore/ndjson-lines.ts";

export type { AlarmSpan, GroupResult, GroupRow, HealthRow, RequestRow, RunDetail, RunSummary, StepRow };

export interface StoredVerdict {
  comparison: number;
  sample: number;
  signal?: string;
  order: number[];
  letter: string | null;
  scores: number[] | null;
  /** A verdict that neither can say. */
  verdict?: Verdict;
  /** For each place shown the turn that it names. */
  turns?: (number | null)[];
  status: string | null;
  error: string | null;
  finish_reason: string | null;
  completion_tokens: number;
  latency_ms: number;
  model: string | null;
  text?: string;
}

export interface LoggedText {
  rollout_index: number | null;
  text: string;
}

/** The alarms' findings. */
interface Look {
  /** Number of steps that they checked. */
  steps: number;
  on: string[];
  looked_at: string[];
  alarms: AlarmSpan[];
}

export interface RunHealth extends Look {
  rows: HealthRow[];
}

const KEY = "kritai-key";

export const keepKey = (key: string): void => sessionStorage.setItem(KEY, key);

export const forgetKey = (): void => sessionStorage.removeItem(KEY);
export const hasKey = (): boolean => sessionStorage.getItem(KEY) !== null;

/** The server wants a key, or another one. */
export class KeyNeeded extends Error {}

/** What is wrong in one field of a request. */
interface FieldFault {
  path: string;
  message: string;
}

/** A refusal, in the server's own words. */
export class Refused extends Error {
  readonly status: number;
  readonly errors: readonly FieldFault[];
  constructor(status: number, detail: string, errors: readonly FieldFault[] = []) {
    super(detail);
    this.name = "Refused";
    this.status = status;
    this.errors = errors;
  }
}

/** The reply to a request with the key. @throws KeyNeeded, Refused */
async function replyTo(path: string, { headers, ...init }: RequestInit & { headers: object }): Promise<Response> {
  const key = sessionStorage.getItem(KEY);
  const authorized = key === null ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(path, { ...init, headers: { ...headers, ...authorized } });
  if (response.status === 401 || response.status === 403) {
    const { detail } = (await response.json()) as { detail: string };
    throw new KeyNeeded(key === null ? "" : detail);
  }
  if (!response.ok) {
    const problem = (await response.json().catch(() => ({}))) as { detail?: string; errors?: FieldFault[] };
    throw new Refused(response.status, problem.detail ?? `The server answered ${response.status}.`, problem.errors);
  }
  return response;
}

const read = async <T>(path: string): Promise<T> =>
  (await (await replyTo(path, { headers: { accept: "application/json" } })).json()) as T;

/** Rows of a list, and whether there are more than were read. */
export interface Listed<T> {
  rows: T[];
  more: boolean;
}

/** Everything behind a cursor, page by page, until at least `most` rows are there. */
async function pages<T>(path: string, field: string, limit: number): Promise<Listed<T>> {
  const rows: T[] = [];
  let cursor: string | null = null;
  do {
    const url: string = cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`;
    const page: Record<string, unknown> = await read(url);
    rows.push(...(page[field] as T[]));
    cursor = page.next_cursor as string | null;
  } while (cursor !== null && rows.length < limit);
  return { rows, more: cursor !== null };
}

const PAGE = 500;
const RUNS_MOST = 1000;
const GROUPS_MOST = 4096;

const runPath = (run: string) => `/v1/runs/${encodeURIComponent(run)}`;
/** For another key's run its owner is named, as in the page's own address. */
const owned = (owner: string | null) => (owner === null ? "" : `owner=${encodeURIComponent(owner)}&`);

export const runs = () => pages<RunSummary>(`/v1/runs?limit=${PAGE}`, "runs", RUNS_MOST);
export const run = (id: string, owner: string | null) => read<RunDetail>(`${runPath(id)}?${owned(owner)}`);
/** Some of it; resolves with whether that was all. */
export async function deleteRun(id: string, owner: string | null): Promise<boolean> {
  const asked = { method: "DELETE", headers: { accept: "application/json" } };
  const { complete } = (await (await replyTo(`${runPath(id)}?${owned(owner)}`, asked)).json()) as { complete: boolean };
  return complete;
}
/** Steps that alarms look back on, the fewer the more a step holds: a look is one statement. */
const LOOKED_BACK = [2000, 300, 60];

/** Over a number of the last steps: of several numbers the first that the database can look at. */
async function lookBack<L extends Look>(
  id: string,
  owner: string | null,
  query: string,
  [last, ...fewer]: readonly number[],
): Promise<L> {
  const asked = read<L>(`${runPath(id)}/health?${owned(owner)}steps=${last}${query}`);
  return fewer.length === 0 ? asked : ((await asked.catch(unlessBusy)) ?? lookBack<L>(id, owner, query, fewer));
}

export const health = (id: string, owner: string | null, lookedBack: readonly number[] = LOOKED_BACK) =>
  lookBack<RunHealth>(id, owner, "&rows=true", lookedBack);

/** The same for a run whose older rows are known: reads only the rows of the last `count` steps. */
export async function newerHealth(
  id: string,
  owner: string | null,
  known: readonly HealthRow[],
  count: number,
): Promise<RunHealth> {
  const [looked, last] = await Promise.all([
    lookBack<Look>(id, owner, "", LOOKED_BACK),
    health(id, owner, [Math.min(count, LOOKED_BACK[0] as number)]),
  ]);
  const first = last.rows[0]?.step ?? Number.POSITIVE_INFINITY;
  return { ...looked, rows: [...known.filter(({ step }) => step < first), ...last.rows].slice(-looked.steps) };
}

/** Null where the database did not answer in its time, and less may be asked of it; else throws. */
function unlessBusy(fault: unknown): null {
  if (fault instanceof Refused && fault.status === 503) return null;
  throw fault;
}

export const groups = (id: string, step: number, owner: string | null) =>
  pages<GroupRow>(`${runPath(id)}/groups?${owned(owner)}step=${step}&limit=${PAGE}`, "groups", GROUPS_MOST);
export const request = (id: string) => read<RequestRow>(`/v1/requests/${encodeURIComponent(id)}`);
/** `audit`: by the audit's judge, where there is one. */
export const verdicts = (group: string) =>
  read<{ verdicts: StoredVerdict[]; audit?: StoredVerdict[] }>(`/v1/groups/${encodeURIComponent(group)}/verdicts`);

export const texts = async (group: string) =>
  (await read<{ texts: LoggedText[] }>(`/v1/groups/${encodeURIComponent(group)}/texts`)).texts;

/** Steps asked for at first, and at most, and how long one reply should take, ms. */
const STEPS_FIRST = 100;
const STEPS_MOST = 500;
const REPLY_MS = 500;
/** A reply's size changes by this factor at most. */
const CHANGE = 4;

/**
 * Rows above a step, or all: in parts, as a step of a large run holds thousands of verdicts and
 * the database's time is bounded.
 * @param onRead told how many there are, after each part but the last
 */
export async function steps(
  id: string,
  owner: string | null,
  after: number | null,
  onRead: (count: number) => void = () => {},
): Promise<StepRow[]> {
  const rows: StepRow[] = [];
  let above = after === null ? "" : `after=${after}&`;
  for (let limit = STEPS_FIRST; ; ) {
    const began = performance.now();
    const url = `${runPath(id)}/steps?${owned(owner)}${above}limit=${limit}&signals=true`;
    const asked = read<{ steps: StepRow[]; next_from: number | null }>(url);
    const part = limit === 1 ? await asked : await asked.catch(unlessBusy);
    const fits = part === null ? 0 : REPLY_MS / (performance.now() - began);
    limit = Math.ceil(Math.min(STEPS_MOST, limit * Math.min(CHANGE, Math.max(1 / CHANGE, fits))));
    if (part === null) continue;
    rows.push(...part.steps);
    if (part.next_from === null) return rows;
    above = `from=${part.next_from}&`;
    onRead(rows.length);
  }
}

/** The request for scoring a run again. */
export interface RescoreRequest {
  spec: unknown;
  from_step: number | null;
  to_step: number | null;
}

/**
 * Scores a run again: every group as it comes, and at the end what they come to.
 * @throws KeyNeeded, Refused: also for a stream without its end
 */
export async function rescore(
  id: string,
  owner: string | null,
  asked: RescoreRequest,
  signal: AbortSignal,
  onGroup: (group: GroupLine) => void,
): Promise<EndLine> {
  const headers = { "content-type": "application/json", accept: "application/x-ndjson" };
  const init = { method: "POST", headers, body: JSON.stringify(asked), signal };
  const response = await replyTo(`${runPath(id)}/rescore?${owned(owner)}`, init);
  for await (const text of linesOf(response)) {
    const line = JSON.parse(text) as GroupLine | EndLine | { type: "error"; detail: string };
    if (line.type === "end") return line;
    if (line.type === "error") throw new Refused(response.status, `The reply ended early: ${line.detail}`);
    onGroup(line);
  }
  throw new Refused(response.status, "The reply ended early, so its groups are not the whole run.");
}
