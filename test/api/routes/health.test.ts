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
    by: "step",
    window_groups: null,
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

test("a run that is stored between two reads is looked at whole, and not told as one without steps", async () => {
  const { post, call, runLog } = setUp();
  await post("/v1/rewards", { run_id: "begun", step: 1, groups: [{ prompt: "p", rollouts }] });
  const { health } = runLog;
  let reads = 0;
  // By step and by window it is not there yet; then it is.
  runLog.health = async (...of) => (++reads <= 2 ? [] : health(...of));
  expect(await (await call("/v1/runs/begun/health")).json()).toMatchObject({ steps: 1, last_step: 1 });
});

test("a run whose tool tells no step is looked at by windows of its groups, in order of logging", async () => {
  const { post, call } = setUp();
  const alone = { prompt: "p", rollouts: rollouts.slice(0, 1) };
  for (let request = 0; request < 20; request++)
    await post("/v1/rewards", { run_id: "gathered", groups: [request < 12 ? { prompt: "p", rollouts } : alone] });
  const get = async (path: string) => (await call(`/v1/runs/gathered/${path}`)).json();
  expect(await get("health?window_groups=4")).toMatchObject({
    ...{ by: "window", window_groups: 4, first_step: 0, last_step: 4, steps: 5, on: ["nulls"] },
    alarms: [{ alarm: "nulls", from_step: 4, evidence: { step: 4, detail: { by_code: { group_too_small: 4 } } } }],
  });
  expect(await get("health")).toMatchObject({ by: "window", window_groups: 16, steps: 2 });
  expect(await get("histogram?window_groups=4")).toMatchObject({
    by: "window",
    specs: [{ first_step: 0, last_step: 4 }],
  });
  const { steps } = await get("steps?by=window&window_groups=4&from=1&limit=1");
  expect(steps).toMatchObject([{ step: 1, groups: 4, requests: 4 }]);
  const { groups } = await get("groups?by=window&window_groups=4&step=3");
  expect(groups.map(({ result }: { result: { rollouts: unknown[] } }) => result.rollouts.length)).toEqual([1, 1, 1, 1]);
  // Steps stay the default of a list: what has none is one row.
  expect((await get("steps")).steps).toMatchObject([{ step: null, groups: 20 }]);
  expect(await get("health?by=step")).toMatchObject({ by: "step", window_groups: null, steps: 0, looked_at: [] });
  const refused = await problemOf(await call("/v1/runs/gathered/health?by=step&window_groups=4"));
  expect(refused.errors?.[0]).toMatchObject({ path: "window_groups" });
});

test("once a request has a step the run is looked at by steps", async () => {
  const { post, call } = setUp();
  const groups = [{ prompt: "p", rollouts }];
  await post("/v1/rewards", { run_id: "both", groups });
  await post("/v1/rewards", { run_id: "both", step: 3, groups });
  expect(await (await call("/v1/runs/both/health")).json()).toMatchObject({ by: "step", steps: 1, first_step: 3 });
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
  // Of three sendings, which hold 54 rollouts, two agree with the first and one is its reverse.
  expect(await health()).toMatchObject({
    on: ["drift_probe"],
    alarms: [{ alarm: "drift_probe", from_step: 80, evidence: { value: expect.closeTo(1 / 3, 9), threshold: 0.35 } }],
  });
});
