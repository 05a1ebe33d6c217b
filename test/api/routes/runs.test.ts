// The guarantees of the run-log routes over the in-memory log.
import { beforeEach, describe, expect, test } from "vitest";
import { ApiError } from "../../../src/core/faults/errors.ts";
import { unconfiguredRunLog } from "../../../src/run-log/unconfigured.ts";
import { problemOf, setUp, twoRollouts } from "./harness.ts";

let world: ReturnType<typeof setUp>;
const ids: string[] = [];

beforeEach(async () => {
  world = setUp();
  ids.length = 0;
  for (let step = 0; step < 3; step++) {
    const reply = await (await world.post("/v1/rewards", { run_id: "r", step, ...twoRollouts() })).json();
    ids.push((reply as { request_id: string }).request_id);
  }
});

const get = async (path: string) => (await world.call(path)).json() as Promise<Record<string, unknown>>;

test("request ids sort in the order of the requests", () => {
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(3);
});

test("a logged request is found by its id, and its groups' verdicts by theirs", async () => {
  const found = (await get(`/v1/requests/${ids[1]}`)) as { groups: { id: string; step: number; rewards: number[] }[] };
  expect(found.groups).toMatchObject([{ id: `${ids[1]}.0`, step: 1, rewards: [1, 0] }]);
  expect(await get(`/v1/groups/${ids[1]}.0/verdicts`)).toMatchObject({
    verdicts: [{ comparison: 0, sample: 0, status: "ok" }],
  });
});

test("a verifier-training request is found by its id too, with its metrics", async () => {
  const items = [{ text: "<think>\na\n</think>\n\\boxed{A}", candidates: 2, correct: 0 }];
  const reply = await world.post("/v1/verdicts", { run_id: "v", step: 4, formulation: "pair_em", items });
  const { request_id } = (await reply.json()) as { request_id: string };
  expect(await get(`/v1/requests/${request_id}`)).toMatchObject({
    kind: "verdicts",
    run_id: "v",
    step: 4,
    items: 1,
    metrics: { parse_rate: 1, list_acc: 1, reward_mean: 1 },
    groups: [],
  });
});

test("a run has a summary, steps, and groups that can be narrowed and paged", async () => {
  expect(await get("/v1/runs")).toMatchObject({ runs: [{ run_id: "r", groups: 3 }], next_cursor: null });
  expect(await get("/v1/runs/r")).toMatchObject({ first_step: 0, last_step: 2, specs: [{ requests: 3 }] });
  expect(await get("/v1/runs/r/steps")).toMatchObject({ steps: [{ step: 0 }, { step: 1 }, { step: 2 }] });
  expect(await get("/v1/runs/r/groups?step=2")).toMatchObject({ groups: [{ step: 2 }], next_cursor: null });
  const first = (await get("/v1/runs/r/groups?limit=2")) as { groups: object[]; next_cursor: string };
  expect(first.groups).toHaveLength(2);
  expect(await get(`/v1/runs/r/groups?limit=2&cursor=${first.next_cursor}`)).toMatchObject({
    groups: [{ step: 2 }],
    next_cursor: null,
  });
});

test("an export ends with a line that counts its rows", async () => {
  const response = await world.call("/v1/runs/r/export?table=verdicts");
  expect(response.headers.get("content-type")).toContain("application/x-ndjson");
  const lines = (await response.text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.map((l) => l.type)).toEqual(["row", "row", "row", "end"]);
  expect(lines[3]).toEqual({ type: "end", rows: 3 });
});

test("texts that a spec had logged come back by an export of their own, the prompt first", async () => {
  const { groups } = twoRollouts();
  const body = { run_id: "texts", spec: { log_texts: true }, groups: [...groups, ...groups] };
  expect((await world.post("/v1/rewards", body)).status).toBe(200);
  const rows = async (run: string) => {
    const text = await (await world.call(`/v1/runs/${run}/export?table=texts`)).text();
    const lines = text.trimEnd().split("\n");
    return lines.map((line) => JSON.parse(line) as { type: string; rollout_index?: number; text?: string });
  };
  const logged = await rows("texts");
  const of = ({ prompt, rollouts }: (typeof groups)[number]) => [
    [null, prompt],
    ...rollouts.map(({ text }, index) => [index, text]),
  ];
  expect(logged.slice(0, -1).map(({ rollout_index, text }) => [rollout_index, text])).toEqual(body.groups.flatMap(of));
  expect(logged.at(-1)).toEqual({ type: "end", rows: 6 });
  expect(await rows("r")).toEqual([{ type: "end", rows: 0 }]);
});

test("query parameters are refused where none are taken: they would be ignored unnoticed", async () => {
  for (const path of ["/v1/rewards", "/v1/verdicts"]) {
    const problem = await problemOf(await world.post(`${path}?run_id=q`, twoRollouts()));
    expect(problem).toMatchObject({ status: 400, code: "invalid_request", errors: [{ path: "run_id" }] });
  }
});

test("an export that fails midway ends with an error line, never as if it were whole", async () => {
  const failing = {
    ...world.runLog,
    async *exportRows() {
      yield* [] as never[];
      yield { group_id: "x" } as never;
      throw new ApiError("store_unavailable", "gone");
    },
  };
  const response = await setUp({ runLog: failing }).call("/v1/runs/r/export?table=groups");
  const lines = (await response.text())
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([{ type: "row" }, { type: "error", code: "store_unavailable", rows: 1 }]);
});

describe("refusals", () => {
  test.each([
    ["an unknown run", "/v1/runs/nobody", 404, "not_found"],
    ["an unknown run's steps", "/v1/runs/nobody/steps", 404, "not_found"],
    ["an unknown run's groups", "/v1/runs/nobody/groups", 404, "not_found"],
    ["an unknown run's export", "/v1/runs/nobody/export?table=groups", 404, "not_found"],
    ["an unknown request", "/v1/requests/01KAJ2V6S3T4R5Q6P7N8M9K0H1", 404, "not_found"],
    ["a request id of another shape", "/v1/requests/1%27--", 404, "not_found"],
    ["an unknown group", "/v1/groups/01KAJ2V6S3T4R5Q6P7N8M9K0H1.0/verdicts", 404, "not_found"],
    ["a limit of 0", "/v1/runs/r/groups?limit=0", 400, "invalid_request"],
    ["a limit over page_rows_max", "/v1/runs/r/groups?limit=501", 400, "invalid_request"],
    ["a step that is no number", "/v1/runs/r/groups?step=x", 400, "invalid_request"],
    ["an unknown parameter", "/v1/runs?page=2", 400, "invalid_request"],
    ["a repeated parameter", "/v1/runs?limit=1&limit=2", 400, "invalid_request"],
    ["an unknown table", "/v1/runs/r/export?table=rollouts", 400, "invalid_request"],
    ["no table", "/v1/runs/r/export", 400, "invalid_request"],
  ])("%s", async (_name, path, status, code) => {
    const problem = await problemOf(await world.call(path));
    expect(problem).toMatchObject({ status, code });
    if (status === 400) expect(problem.errors?.[0]?.path).toBeTruthy();
  });

  test("a database that is down is store_unavailable with Retry-After; none at all is not_configured", async () => {
    world.runLog.fault = new ApiError("store_unavailable", "The database is not reachable.");
    const response = await world.call("/v1/runs");
    expect(response.headers.get("retry-after")).toBe("5");
    expect((await problemOf(response)).code).toBe("store_unavailable");
    const none = setUp({ runLog: unconfiguredRunLog("DATABASE_URL") });
    expect(await problemOf(await none.call("/v1/runs/r/export?table=groups"))).toMatchObject({
      code: "not_configured",
    });
    expect(await (await none.post("/v1/rewards", twoRollouts())).json()).toMatchObject({
      logged: false,
      warnings: ["log_not_configured"],
    });
  });

  test("an unexpected fault is 500 without its message, and its log line has no message either", async () => {
    world.runLog.fault = new Error("row text: model wrote this");
    const problem = await problemOf(await world.call("/v1/runs"));
    expect(problem.code).toBe("internal");
    expect(JSON.stringify([problem, world.lines])).not.toContain("model wrote this");
    expect(world.lines).toMatchObject([{ event: "unexpected_error", request_id: problem.request_id }]);
  });
});
