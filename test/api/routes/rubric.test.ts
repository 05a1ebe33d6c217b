// The kind rubric over HTTP: values by hand, details and log, failures, refusals by field.
import { expect, test } from "vitest";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import type { Script } from "../../harness/fakes.ts";
import { problemOf, setUp } from "./harness.ts";

const ITEMS = [
  { id: "city", text: "Names Paris.", points: 5 },
  { id: "polite", text: "Is polite.", points: 3, kind: "principle" },
  { id: "guess", text: "Says that it guesses.", points: -4 },
];

/** A judge's decision on each item, by the response's text; `?` is undecided. */
const HOLDS: Record<string, (text: string) => boolean | null> = {
  "Names Paris.": (text) => text.includes("Paris"),
  "Is polite.": (text) => (text.includes("?") ? null : text.includes("please")),
  "Says that it guesses.": (text) => text.includes("guess"),
};

/** Reads the numbered items out of the slot and answers in the preset's form. */
const judge: Script = ([text = ""], { job }) => {
  const lines = (job.slots?.rubric ?? "").split("\n");
  const told = lines.map((line, i) => {
    const holds = Object.entries(HOLDS).find(([item]) => line.includes(item))?.[1] ?? (() => null);
    return [
      [`criterion_${i + 1}`, holds(text)],
      [`evidence_${i + 1}`, text.slice(0, 5)],
    ] as const;
  });
  return JSON.stringify(Object.fromEntries(told.flat()));
};

const texts = ["It is Paris, please.", "I guess Paris.", "Paris?", "Rome."];
const specOf = (settings: object = {}) => ({
  candidate: { extract: "whole" },
  signals: { style: { kind: "rubric", ...settings } },
});
const request = (settings: object = {}, group: object = { rubric: ITEMS }) => ({
  run_id: "graded",
  spec: specOf(settings),
  groups: [{ prompt: "Capital of France?", ...group, rollouts: texts.map((text) => ({ text })) }],
});

async function scored(settings: object = {}, group?: object, script: Script = judge) {
  const parts = setUp({ script });
  const response = await parts.post("/v1/rewards", request(settings, group));
  const reply = (await response.json()) as RewardsReply;
  if (response.status !== 200) throw new Error(JSON.stringify(reply));
  const rollouts = reply.groups[0]?.rollouts ?? [];
  return { reply, rollouts, told: rollouts.map(({ reward, error }) => reward ?? error), ...parts };
}

test("points met over positive points, with what is met, where it is quoted, and what nobody could tell", async () => {
  const { told, rollouts, runLog, reply, verifier } = await scored();
  // 8/8; (5 - 4)/8; 5 of the 5 decided; 0.
  expect(told).toEqual([1, 1 / 8, 1, 0]);
  expect(reply.reward_range).toEqual([0, 1]);
  expect(rollouts[1]?.details).toEqual({
    style: {
      coverage: 1,
      raw: 1 / 8,
      met: ["city", "guess"],
      unmet: ["polite"],
      undecided: [],
      evidence: { city: [0, 5], polite: [0, 5], guess: [0, 5] },
    },
  });
  expect(rollouts[2]?.details?.style).toMatchObject({ coverage: 9 / 12, undecided: ["polite"] });
  expect(runLog.entries[0]?.groups[0]?.signals?.[1]?.detail).toMatchObject({ met: ["city", "guess"] });
  // One question a candidate about all three items; no quote is logged.
  expect(verifier.jobs.map(({ questions }) => questions.length)).toEqual([4]);
  expect(JSON.stringify(runLog.entries)).not.toContain("I gue");
});

test("items are cut at max_criteria and scored as if asked together", async () => {
  const whole = await scored();
  const { told, verifier, rollouts } = await scored({ max_criteria: 2 });
  expect(told).toEqual(whole.told);
  expect(rollouts.map(({ details }) => details)).toEqual(whole.rollouts.map(({ details }) => details));
  expect(verifier.jobs.map(({ slots }) => slots?.rubric?.split("\n").length)).toEqual([2, 1]);
});

test("a critical item that is not met leaves nothing, and one that nobody could tell leaves no value", async () => {
  const critical = (id: string) => ({ rubric: ITEMS.map((one) => (one.id === id ? { ...one, critical: true } : one)) });
  expect((await scored({}, critical("city"))).told).toEqual([1, 1 / 8, 1, 0]);
  expect((await scored({}, critical("polite"))).told).toEqual([1, 0, "partial", 0]);
  // For a mistake: making it.
  expect((await scored({}, critical("guess"))).told).toEqual([1, 0, 1, 0]);
});

test("less than min_coverage decided is no value", async () => {
  expect((await scored({ min_coverage: 0.8 })).told).toEqual([1, 1 / 8, "partial", 0]);
});

test("a part that failed leaves no value, for a mistake may stand there; one that its text keeps from being read is lost", async () => {
  const silent: Script = (shown, about) =>
    about.job.slots?.rubric?.includes("guesses") && shown[0]?.includes("Rome") ? "All fine." : judge(shown, about);
  expect((await scored({ max_criteria: 2 }, undefined, silent)).told).toEqual([1, 1 / 8, 1, 0]);
  const kept = { max_criteria: 2, unreadable: "null" };
  expect((await scored(kept, undefined, silent)).told).toEqual([1, 1 / 8, 1, "unparsed"]);
  const down: Script = (shown, about) =>
    shown[0]?.includes("Rome") ? { error: "verifier_unavailable" } : judge(shown, about);
  expect((await scored({}, undefined, down)).told).toEqual([1, 1 / 8, 1, "verifier_unavailable"]);
  expect((await scored({}, undefined, () => '{"criterion_1": null}')).told).toEqual(
    texts.map(() => "rubric_undecided"),
  );
});

test("the majority of samples decides each item", async () => {
  const one: Script = (shown, about) =>
    about.sample === 2 ? '{"criterion_1": false, "criterion_2": false, "criterion_3": true}' : judge(shown, about);
  // About the third, one of three says that it is not polite, and the others cannot decide.
  expect((await scored({ judge: { samples: 3, reask: 0 } }, undefined, one)).told).toEqual([1, 1 / 8, 5 / 8, 0]);
});

test("a rubric of the spec needs none of the group, and its forms in other projects' words are one spec", async () => {
  const theirs = [
    { id: "city", criterion: "Names Paris.", points: 5, tags: ["axis:accuracy"] },
    { name: "polite", text: "Is polite.", weight: 3, kind: "principle", choices: ["no", "yes"] },
    { title: "guess", description: "Says that it guesses.", weight: -4 },
  ];
  const ours = await scored({ items: ITEMS }, {});
  const other = await scored({ items: theirs }, {});
  expect(ours.told).toEqual([1, 1 / 8, 1, 0]);
  expect(other.told).toEqual(ours.told);
  expect(other.reply.spec_hash).toBe(ours.reply.spec_hash);
});

test("choices count by their place, worst first", async () => {
  const rubric = [{ name: "style", text: "How is its style?", weight: 2, choices: ["poor", "fair", "good"] }];
  const say: Script = ([text = ""]) => `{"criterion_1": ${text.includes("Rome") ? 1 : text.includes("?") ? 4 : 2}}`;
  const { told, rollouts } = await scored({ score: "weighted_mean" }, { rubric }, say);
  expect(told).toEqual([0.5, 0.5, "rubric_undecided", 0]);
  expect(rollouts[0]?.details?.style).toMatchObject({ graded: { style: 0.5 } });
});

test("implicit_1_10 is one rating of the whole rubric", async () => {
  const rate: Script = ([text = ""]) => `{"rating": ${["10", "6", "2", "11"][texts.indexOf(text)]}}`;
  const { told, verifier } = await scored({ score: "implicit_1_10" }, undefined, rate);
  expect(told).toEqual([1, 5 / 9, 1 / 9, 0]);
  expect(verifier.jobs[0]?.slots?.rubric).toContain("3. Says that it guesses.");
});

test("the preset for one criterion is asked item by item", async () => {
  const alone: Script = ([text = ""], { job }) =>
    `{"criteria_met": ${HOLDS[job.slots?.rubric ?? ""]?.(text) ?? false}}`;
  const { told, verifier } = await scored({ judge: { preset: "rubric" } }, undefined, alone);
  expect(told).toEqual([1, 1 / 8, 5 / 8, 0]);
  expect(verifier.jobs).toHaveLength(3);
});

test("what does not go together is refused by field before anything is asked", async () => {
  const refused = async (settings: object, group?: object) => {
    const { post, verifier } = setUp({ script: judge });
    const { errors, code } = await problemOf(await post("/v1/rewards", request(settings, group)));
    expect(verifier.jobs).toEqual([]);
    return `${code} ${errors?.[0]?.path}`;
  };
  expect(await refused({}, {})).toBe("facts_required groups[0].rubric");
  expect(await refused({ judge: { preset: "yes-no" } })).toBe("invalid_request spec.signals.style.judge.preset");
  expect(await refused({ judge: { rubric: "x" } })).toBe("invalid_request spec.signals.style.judge.rubric");
  expect(await refused({ score: "weighted_mean" })).toBe("invalid_request groups[0].rubric[2]");
  expect(await refused({ score: "weighted_mean", items: ITEMS }, {})).toBe(
    "invalid_request spec.signals.style.items[2]",
  );
  expect(await refused({}, { rubric: [{ text: "x", points: -1 }] })).toBe("invalid_request groups[0].rubric");
  expect(await refused({ score: "implicit_1_10", max_criteria: 2 })).toBe(
    "invalid_request spec.signals.style.max_criteria",
  );
  expect(await refused({}, { rubric: [{ text: "x" }, { text: "y", id: "1" }] })).toBe(
    "invalid_request groups[0].rubric[1]",
  );
  expect(await refused({}, { rubric: new Array(65).fill({ text: "x" }) })).toBe("invalid_request groups[0].rubric");
});

test("choices that the preset cannot tell of are refused by field, saying which preset can, before anything is asked", async () => {
  const choosing = [ITEMS[0], { text: "How is its style?", choices: ["poor", "good"] }];
  const refused = async (settings: object, groups: object[]) => {
    const { post, verifier } = setUp({ script: judge });
    const { groups: [group] = [], spec, ...rest } = request(settings, {});
    const signals = { ...spec.signals, other: { kind: "format", rules: ["has_candidate"], penalty: 1 } };
    const body = { ...rest, spec: { ...spec, signals }, groups: groups.map((one) => ({ ...group, ...one })) };
    const problem = await problemOf(await post("/v1/rewards", body));
    expect(verifier.jobs).toEqual([]);
    return [problem.code, problem.errors];
  };
  const message = "rubric does not support choices: use rubric-items";
  const alone = { judge: { preset: "rubric" } };
  const second = [{ rubric: ITEMS }, { rubric: choosing }];
  expect(await refused(alone, second)).toEqual(["invalid_request", [{ path: "groups[1].rubric[1].choices", message }]]);
  // Also where the signal may have no rollout to ask about.
  const late = { ...alone, when: "other == 0" };
  expect(await refused(late, [{ rubric: choosing }])).toEqual([
    "invalid_request",
    [{ path: "groups[0].rubric[1].choices", message }],
  ]);
  expect(await refused({ ...alone, items: choosing }, [{}])).toEqual([
    "invalid_request",
    [{ path: "spec.signals.style.judge.preset", message }],
  ]);
});

test("its cost is told where the spec has the items, and not guessed where groups bring their own", async () => {
  const { post } = setUp();
  const check = async (settings: object) => await (await post("/v1/specs/check?n=4", specOf(settings))).json();
  expect(await check({ items: ITEMS, max_criteria: 2 })).toMatchObject({ cost: { generations: 8 } });
  expect(await check({})).toMatchObject({ cost: { generations: null }, facts: ["group.rubric"] });
});
