// The judge's tier of the kind reference over HTTP: who decides what, what the judge sees, what
// appeals measure, and refusals by field.
import { expect, test } from "vitest";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import type { Script } from "../../harness/fakes.ts";
import { problemOf, setUp } from "./harness.ts";

/** With the reference 1/2: equal by the rules, different by them, open, without an answer, open. */
const TEXTS = [
  "It is \\boxed{0.5}.",
  "\\boxed{3}",
  "So \\boxed{x/2}!",
  "I do not know.",
  "\\boxed{half}",
  "Yes: \\boxed{3}",
];
const OPEN = ["x/2", "half"];

/** Finds right what says half in words, and 3. */
const judge: Script = ([answer]) => `Final Judgment: \\boxed{${answer === "half" || answer === "3" ? "A" : "B"}}`;

const specOf = (settings: object) => ({ signals: { right: { kind: "reference", ...settings } } });
const request = (settings: object) => ({
  spec: specOf(settings),
  groups: [{ prompt: "Half of one?", reference: "1/2", rollouts: TEXTS.map((text) => ({ text })) }],
});

async function scored(settings: object, script: Script = judge) {
  const parts = setUp({ script });
  const response = await parts.post("/v1/rewards", request(settings));
  const reply = (await response.json()) as RewardsReply;
  if (response.status !== 200) throw new Error(JSON.stringify(reply));
  const rollouts = reply.groups[0]?.rollouts ?? [];
  const shown = parts.verifier.jobs.flatMap(({ questions, candidates }) =>
    questions.map(({ shown: [at = -1] }) => candidates[at]),
  );
  return { reply, rollouts, shown, told: rollouts.map(({ reward, error }) => reward ?? error), ...parts };
}

const BOTH = { tiers: ["rules", "judge"] };

test("the judge is asked what the rules leave open, and sees the answer alone", async () => {
  const { told, shown, rollouts, reply, verifier } = await scored(BOTH);
  expect(told).toEqual([1, 0, 0, 0, 1, 0]);
  expect([...shown].sort()).toEqual([...OPEN].sort());
  expect(verifier.jobs[0]).toMatchObject({ preset: "compassverifier", slots: { reference: "1/2" } });
  expect(rollouts.map(({ details }) => details?.right)).toEqual([
    { tier: "rules", place: "boxed" },
    { tier: "rules", place: "boxed" },
    { tier: "judge", rules: "unknown", place: "boxed" },
    { tier: "rules", label: "invalid" },
    { tier: "judge", rules: "unknown", place: "boxed" },
    { tier: "rules", place: "boxed" },
  ]);
  expect(reply.signals).toBeUndefined();
  expect(reply.warnings).toEqual([]);
});

test("on appeal it looks at what the rules find different, each answer once, and the rules' misses are measured", async () => {
  const { told, shown, rollouts, reply, runLog } = await scored({ ...BOTH, appeal: true });
  expect(told).toEqual([1, 1, 0, 0, 1, 1]);
  expect([...shown].sort()).toEqual(["3", ...OPEN].sort());
  expect(rollouts[1]?.details?.right).toEqual({ tier: "judge", rules: "different", overturned: true, place: "boxed" });
  expect(reply.signals?.right).toEqual({
    rules_equal: 1,
    appealed: 2,
    overturned: 2,
    rules_false_negative_rate: 2 / 3,
  });
  // The log tells whose answer each question showed, and every row who decided.
  const [entry] = runLog.entries[0]?.groups ?? [];
  expect(entry?.verdicts.map(({ order }) => order)).toEqual([[1], [2], [4]]);
  expect(entry?.signals?.[5]?.detail).toEqual({
    ...{ tier: "judge", rules: "different", overturned: true, place: "boxed" },
  });
});

test("an answer that could not be judged has no value, and the rules' say stands elsewhere", async () => {
  const down: Script = ([answer]) => (answer === "half" ? { error: "verifier_unavailable" } : "I cannot say.");
  expect((await scored({ ...BOTH, appeal: true }, down)).told).toEqual([
    1,
    "unparsed",
    "unparsed",
    0,
    "verifier_unavailable",
    "unparsed",
  ]);
});

test("the judge alone decides everything but a missing answer, by more than half of its samples", async () => {
  const split: Script = ([answer], { sample }) =>
    `Final Judgment: \\boxed{${answer === "0.5" || (answer === "3" && sample === 0) ? "A" : "B"}}`;
  const { told, shown } = await scored({ tiers: ["judge"], judge: { samples: 2 } }, split);
  expect(told).toEqual([1, 0, 0, 0, 0, 0]);
  expect([...shown].sort()).toEqual(["0.5", "3", ...OPEN].sort());
});

test.each(["xverify", "general-verifier"])("%s decides in its own words", async (preset) => {
  const says = preset === "xverify" ? ["Correct", "Incorrect"] : ["Final Decision: Yes", "Final Decision: No"];
  const own: Script = ([answer]) => says[answer === "half" ? 0 : 1] as string;
  expect((await scored({ ...BOTH, judge: { preset } }, own)).told).toEqual([1, 0, 0, 0, 1, 0]);
});

test("an answer that is longer than a reference may be is not shown, and has lost unless the spec says null", async () => {
  const { post, verifier } = setUp({ script: judge });
  const last = async (settings: object) => {
    const body = request({ ...BOTH, ...settings });
    body.groups[0]?.rollouts.push({ text: `\\boxed{x^${"9".repeat(4096)}}` });
    const reply = (await (await post("/v1/rewards", body)).json()) as RewardsReply;
    const { reward, error } = reply.groups[0]?.rollouts.at(-1) ?? {};
    return [reward, error];
  };
  expect(await last({})).toEqual([0, null]);
  expect(verifier.jobs.flatMap(({ candidates }) => candidates)).toEqual(OPEN);
  expect(await last({ unreadable: "null" })).toEqual([null, "rules_undecided"]);
});

test("a spec of rules alone keeps its canonical form, and what does not go together is refused by field", async () => {
  const { post } = setUp();
  const check = async (settings: object) => (await post("/v1/specs/check", specOf(settings))).json();
  const plain = { kind: "reference", answer: "boxed", answer_type: "auto", tolerance: 0 };
  expect(await check({})).toMatchObject({ spec: { signals: { right: plain } } });
  expect((await check({ tiers: ["rules"], appeal: false })).spec_hash).toBe((await check({})).spec_hash);
  expect((await check({ undecided: "lose" })).spec_hash).toBe((await check({})).spec_hash);
  expect(await check({ undecided: "null" })).toMatchObject({ spec: { signals: { right: { undecided: "null" } } } });
  // Answers that rules leave open are not known beforehand.
  expect(await check(BOTH)).toMatchObject({ cost: { generations: null } });
  const refused = async (settings: object) =>
    (await problemOf(await post("/v1/rewards", request(settings)))).errors?.[0]?.path;
  expect(await refused({ tiers: ["judge", "rules"] })).toBe("spec.signals.right.tiers");
  expect(await refused({ appeal: true })).toBe("spec.signals.right.appeal");
  expect(await refused({ judge: { preset: "xverify" } })).toBe("spec.signals.right.judge");
  expect(await refused({ ...BOTH, undecided: "null" })).toBe("spec.signals.right.undecided");
  expect(await refused({ ...BOTH, judge: { preset: "yes-no" } })).toBe("spec.signals.right.judge.preset");
});

test("where nobody answers in the places that it looks into, the reply says so; four rollouts at least", async () => {
  const warned = async (settings: object, ...texts: string[]) => {
    const { post } = setUp();
    const groups = texts.map((text) => ({
      prompt: "Half of one?",
      reference: "1/2",
      rollouts: [{ text }, { text: "" }],
    }));
    const reply = (await (await post("/v1/rewards", { spec: specOf(settings), groups })).json()) as RewardsReply;
    return reply.warnings.filter((text) => text.startsWith("no_answers"));
  };
  const said = (places: string) =>
    `no_answers: the last 4 rollouts have no answer in any of the places ${places}, so all of them count as wrong`;
  expect(await warned({}, "It is 1/2.", "I do not know.")).toEqual([said("boxed, fbox, hash, tag, marked, last_line")]);
  expect(await warned({ answer: ["boxed"] }, "It is 1/2.", "1/2")).toEqual([said("boxed")]);
  expect(await warned({}, "It is 1/2.", "\\boxed{3}")).toEqual([]);
  expect(await warned({}, "It is 1/2.", "#### 3")).toEqual([]);
  expect(await warned({}, "It is 1/2.", "Answer: 3")).toEqual([]);
  expect(await warned({ answer: "last_line" }, "It is 1/2.", "1/2")).toEqual([]);
  expect(await warned({}, "It is 1/2.")).toEqual([]);
});

test("requests of one sample warn over their run, each run by itself, until one has an answer", async () => {
  const { post, call } = setUp();
  const put = { method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify(specOf({})) };
  expect((await call("/v1/specs/maths", put)).status).toBe(200);
  const warned = async (run: string, solution_str: string) => {
    const body = { data_source: "x", solution_str, ground_truth: "42", extra_info: { question: "Six by seven?" } };
    const response = await post(`/verl/compute_score?spec=maths&group_size=1&run_id=${run}`, body);
    expect(response.status).toBe(200);
    return response.headers.get("x-kritai-warnings")?.includes("no_answers: the last") ?? false;
  };
  const said: boolean[] = [];
  const none = "It is forty-two, I would say.";
  for (const text of [none, none, none, none, none, "Answer: 41", none, none, none, none])
    said.push(await warned("a", text));
  expect(said).toEqual([false, false, false, true, true, false, false, false, false, true]);
  expect(await warned("b", none)).toBe(false);
});

test("an answer's places are a list, and specs from before lists keep their canonical form", async () => {
  const { post } = setUp();
  const check = async (answer?: unknown) =>
    (await (await post("/v1/specs/check", specOf(answer === undefined ? {} : { answer }))).json()) as {
      spec_hash: string;
      spec: { signals: { right: { answer: unknown } } };
      errors?: unknown;
    };
  const plain = await check();
  expect(plain.spec.signals.right.answer).toBe("boxed");
  for (const same of ["boxed", ["boxed", "fbox", "hash", "tag", "marked", "last_line"]])
    expect((await check(same)).spec_hash).toBe(plain.spec_hash);
  expect((await check(["boxed"])).spec.signals.right.answer).toEqual(["boxed"]);
  expect((await check(["last_line"])).spec_hash).toBe((await check("last_line")).spec_hash);
  expect((await check(["tag", "boxed"])).spec_hash).not.toBe((await check(["boxed", "tag"])).spec_hash);
  const refused = async (answer: unknown) =>
    (await problemOf(await post("/v1/rewards", request({ answer })))).errors?.[0]?.path;
  expect(await refused([])).toBe("spec.signals.right.answer");
  expect(await refused(["box"])).toBe("spec.signals.right.answer[0]");
});
