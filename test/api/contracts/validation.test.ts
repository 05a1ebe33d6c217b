// A trainer's validation: a sample alone is scored at once where its spec compares nothing, and refused where it
// compares; a group of validation's size is judged.
import { describe, expect, test } from "vitest";
import { CONTRACTS } from "./sample-setup.ts";
import { faultOf, PROGRAMS, setUp } from "./setup.ts";

type Fields = Record<string, unknown>;

const body = (solution_str: string, split: string) => ({ solution_str, extra_info: { question: "p", split } });
const URL = "/verl/compute_score?group_size=8&run_id=r";

test("verl's validation of one sample is refused at once where the spec compares", async () => {
  const fault = await faultOf(await setUp().post(URL, body(PROGRAMS[0] as string, "test")), 400);
  expect(fault).toMatchObject({ code: "group_too_small", retryable: false });
  expect(fault.detail).toContain("val_group_size");
});

test.each([
  ["-1", 0],
  ["0.25", 0.25],
  ["7", 1],
])("with on_failure=%s that number is its score, with every key of a training sample", async (declared, acc) => {
  const reply = await setUp().post(`${URL}&on_failure=${declared}`, body(PROGRAMS[0] as string, "test"));
  expect(await reply.json()).toMatchObject({ score: Number(declared), acc, rm_fallback: 1, rm_members: 1 });
});

test("verl's validation of one sample is scored where the spec compares nothing", async () => {
  const { post, call } = setUp();
  await call("/v1/specs/maths", {
    ...{ method: "PUT", headers: { "content-type": "application/json" } },
    body: JSON.stringify({ signals: { right: { kind: "reference" } } }),
  });
  const row = { ...body("#### 8", "test"), ground_truth: "8" };
  expect(await (await post(`${URL}&spec=maths`, row)).json()).toMatchObject({ score: 1, acc: 1, rm_fallback: 0 });
});

test("verl's validation of several samples is judged as groups of val_group_size, apart from training's", async () => {
  const { post } = setUp();
  const replies = await Promise.all(PROGRAMS.map((text) => post(`${URL}&val_group_size=3`, body(text, "validation"))));
  const told = (await Promise.all(replies.map((reply) => reply.json()))) as { score: number; rm_members: number }[];
  expect(told.map(({ score, rm_members }) => [score, rm_members])).toEqual([
    [0, 3],
    [1, 3],
    [0.5, 3],
  ]);
});

/** Where each contract's body holds its dataset's row. */
const ROWS: Readonly<Record<string, (body: Fields, row: Fields) => Fields>> = {
  "/openrlhf/get_reward": (sent, row) => ({ ...sent, labels: [JSON.stringify({ answer: "l", ...row })] }),
  "/slime/reward": (sent, row) => ({ ...sent, label: { answer: "l", ...row } }),
  "/verl/compute_score": (sent, row) => ({ ...sent, extra_info: { ...(sent.extra_info as Fields), ...row } }),
  "/nemo-gym/verify": (sent, row) => ({ ...sent, verifier_metadata: row }),
  "/evaluate": (sent, row) => ({ ...sent, kwargs: row }),
};

describe.each(CONTRACTS)("$path", ({ path, body: sample }) => {
  const sent = (row: Fields) => ROWS[path]?.(sample("p", PROGRAMS[0] as string) as Fields, row) as Fields;
  // A training URL: without what is said of validation a sample alone waits for seven more.
  const training = `${path}?group_size=8&tries=1&deadline_ms=24000`;

  test.each([
    ["the row's kritai_group_size", `${training}&on_failure=error`, { kritai_group_size: 1 }, {}],
    ["the same as a text", `${training}&on_failure=error`, { kritai_group_size: "1" }, {}],
    ["its split and val_group_size", `${training}&on_failure=error&val_group_size=1`, { split: "test" }, {}],
    ["a header", `${path}?on_failure=error&deadline_ms=24000`, {}, { "kritai-group-size": "1" }],
  ])("a sample that is alone by %s is told so without waiting", async (_, url, row, headers) => {
    const { post, verifier } = setUp();
    const fault = await faultOf(await post(url, sent(row), headers), 400);
    expect([fault.code, fault.detail]).toEqual([
      "group_too_small",
      expect.stringContaining("sets the group size to 1"),
    ]);
    expect(verifier.jobs).toHaveLength(0);
  });

  test("the row's size gathers as many, whatever the URL says of training", async () => {
    const { post } = setUp();
    const bodies = PROGRAMS.map((text) => ROWS[path]?.(sample("p", text) as Fields, { kritai_group_size: 3 }));
    const replies = await Promise.all(bodies.map((one) => post(training, one as Fields)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test("a size that is none is refused", async () => {
    expect((await setUp().post(training, sent({ kritai_group_size: 0 }))).status).toBe(400);
  });
});
