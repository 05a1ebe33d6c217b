// Owns what a trainer's validation gets: a sample alone is answered at once and flagged, a group of
// validation's own size is judged.
import { expect, test } from "vitest";
import { PROGRAMS, setUp } from "./setup.ts";

const body = (solution_str: string, split: string) => ({ solution_str, extra_info: { question: "p", split } });
const URL = "/verl/compute_score?group_size=8&run_id=r";

test("verl's validation of one sample is answered at once, with every key of a training sample", async () => {
  const reply = await setUp().post(URL, body(PROGRAMS[0] as string, "test"));
  expect(await reply.json()).toMatchObject({ score: 0, rm_fallback: 1, rm_members: 1 });
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
