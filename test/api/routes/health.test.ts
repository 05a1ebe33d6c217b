// GET /v1/runs/:run_id/health over HTTP: an alarm with its evidence, a calm run, whose run it is.
import { expect, test } from "vitest";
import { preferring } from "../../harness/fakes.ts";
import { longest, problemOf, setUp } from "./harness.ts";

const rollouts = ["a", "bb", "ccc"].map((text) => ({ text: `\`\`\`python\n${text}\n\`\`\`` }));

test("a run whose rollouts get no reward raises nulls, with codes and steps; its last steps alone may be calm", async () => {
  const { post, call } = setUp();
  for (let step = 0; step < 6; step++) {
    // A group of one has nothing to be compared with.
    const alone = Array.from({ length: 8 }, () => ({ prompt: "p", rollouts: rollouts.slice(0, 1) }));
    await post("/v1/rewards", { run_id: "ill", step, groups: step < 4 ? [{ prompt: "p", rollouts }] : alone });
  }
  const health = async (query = "") => (await call(`/v1/runs/ill/health${query}`)).json();
  expect(await health()).toEqual({
    run_id: "ill",
    owner: null,
    first_step: 0,
    last_step: 5,
    steps: 6,
    on: ["nulls"],
    looked_at: ["nulls", "group_incomplete", "near_duplicates"],
    alarms: [
      {
        alarm: "nulls",
        level: "alarm",
        from_step: 4,
        to_step: null,
        says: "57.1 % of the rollouts have no reward (group_too_small 8)",
        evidence: {
          step: 5,
          value: 16 / (4 * rollouts.length + 16),
          threshold: 0.02,
          detail: { by_code: { group_too_small: 8 }, rollouts: 8 },
        },
      },
    ],
  });
  expect(await health("?steps=2")).toMatchObject({ first_step: 4, steps: 2, on: ["nulls"] });
});

test("a healthy run raises nothing, an unknown one is 404, and a wrong number of steps names its limit", async () => {
  const { post, call } = setUp();
  await post("/v1/rewards", { run_id: "well", step: 1, groups: [{ prompt: "p", rollouts }] });
  expect(await (await call("/v1/runs/well/health")).json()).toMatchObject({ steps: 1, on: [], alarms: [] });
  expect((await problemOf(await call("/v1/runs/none/health"))).status).toBe(404);
  const problem = await problemOf(await call("/v1/runs/well/health?steps=5000"));
  expect(problem.errors?.[0]).toMatchObject({ path: "steps", message: expect.stringContaining("health_steps_max") });
});

test("a run that is stored between two reads is looked at whole", async () => {
  const { post, call, runLog } = setUp();
  await post("/v1/rewards", { run_id: "begun", step: 1, groups: [{ prompt: "p", rollouts }] });
  const { health } = runLog;
  let reads = 0;
  // The first read comes before the run is stored.
  runLog.health = async (...of) => (++reads <= 1 ? [] : health(...of));
  expect(await (await call("/v1/runs/begun/health")).json()).toMatchObject({ steps: 1, last_step: 1 });
});

test("requests without a step are one row of steps and none of health", async () => {
  const { post, call } = setUp();
  const get = async (path: string) => (await call(`/v1/runs/stepless/${path}`)).json();
  const groups = [{ prompt: "p", rollouts }];
  for (let request = 0; request < 2; request++) await post("/v1/rewards", { run_id: "stepless", groups });
  expect((await get("steps")).steps).toMatchObject([{ step: null, groups: 2 }]);
  expect(await get("health")).toMatchObject({ steps: 0, first_step: null, looked_at: [] });
  await post("/v1/rewards", { run_id: "stepless", step: 3, groups });
  expect(await get("health")).toMatchObject({ steps: 1, first_step: 3 });
});

test("groups sent again word for word, which another verifier now orders the other way, raise drift_probe", async () => {
  const shortest = preferring((candidate) => -candidate.length);
  let judge = longest;
  const { post, call } = setUp({ script: (...asked) => judge(...asked) });
  const groups = Array.from({ length: 6 }, (_, g) => ({ prompt: `p${g}`, rollouts }));
  const probe = (step: number) => post("/v1/rewards", { run_id: "drifts", step, groups });
  const health = async () => (await call("/v1/runs/drifts/health")).json();
  for (const step of [0, 20, 40, 60]) await probe(step);
  expect(await health()).toMatchObject({ on: [] });
  judge = shortest;
  await probe(80);
  // Among three sendings, which hold 54 rollouts, two agree with the first and one is its reverse.
  expect(await health()).toMatchObject({
    on: ["drift_probe"],
    alarms: [{ alarm: "drift_probe", from_step: 80, evidence: { value: expect.closeTo(1 / 3, 9), threshold: 0.35 } }],
  });
});
