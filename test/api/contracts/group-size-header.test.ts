// Holds that a tool whose URL takes no query can name its group's size in a header, or has its
// key's stored default.
import { describe, expect, it } from "vitest";
import { groupSizeOf } from "../../../src/core/contract/group-sizes.ts";
import { readEnv } from "../../../src/env.ts";
import { fenced, setUp } from "../routes/harness.ts";

const body = (code: string) => ({ prompt: "p", response: fenced(code), label: null });

it("gathers a group of the header's size; a size in the URL wins; one that is none is refused by the header's name", async () => {
  const { post, verifier } = setUp();
  const headers = { "kritai-group-size": "2" };
  const path = "/slime/reward?format=object&deadline_ms=60000";
  const both = await Promise.all(["a", "aaa"].map(async (code) => (await post(path, body(code), headers)).json()));
  expect(both).toMatchObject([
    { score: 0, rm_members: 2, rm_cut_short: 0 },
    { score: 1, rm_members: 2, rm_cut_short: 0 },
  ]);
  expect(verifier.jobs).toHaveLength(1);
  const three = ["b", "bb", "bbb"].map((code) => post(`${path}&group_size=3`, body(code), headers));
  for (const reply of await Promise.all(three)) expect(await reply.json()).toMatchObject({ rm_members: 3 });
  for (const size of ["0", "65", "x"]) {
    const reply = await post("/slime/reward", body("a"), { "kritai-group-size": size });
    expect(reply.status).toBe(400);
    expect(await reply.text()).toContain("Kritai-Group-Size");
  }
});

describe("a stored default", () => {
  const group_sizes = new Map([["*", 2]]);

  it("holds where neither URL nor header tells a size, which both win over it", async () => {
    const { post } = setUp({ group_sizes });
    const path = "/slime/reward?format=object&deadline_ms=60000";
    const sizes = async (codes: string[], url: string, headers = {}) => {
      const replies = await Promise.all(codes.map((code) => post(url, body(code), headers)));
      return Promise.all(replies.map(async (reply) => ((await reply.json()) as { rm_members: number }).rm_members));
    };
    expect(await sizes(["a", "aa"], path)).toEqual([2, 2]);
    expect(await sizes(["b", "bb", "bbb"], path, { "kritai-group-size": "3" })).toEqual([3, 3, 3]);
    expect(await sizes(["c", "cc", "ccc"], `${path}&group_size=3`)).toEqual([3, 3, 3]);
  });

  it("is the key's own, else everybody's", () => {
    const { config } = readEnv({ GROUP_SIZES: "trainer=8; *=16" });
    expect(["trainer", "other", null].map((key) => groupSizeOf(config.GROUP_SIZES, key))).toEqual([8, 16, 16]);
    expect(groupSizeOf(readEnv({ GROUP_SIZES: "trainer=8" }).config.GROUP_SIZES, "other")).toBeUndefined();
    expect(groupSizeOf(undefined, "trainer")).toBeUndefined();
  });

  it.each(["trainer", "trainer=0", "trainer=65", "trainer=8;trainer=9", "trainer=8.5", "a b=8", "=8"])(
    "is refused by the variable's name: %s",
    (text) => {
      expect(readEnv({ GROUP_SIZES: text }).faults).toMatchObject([{ path: "GROUP_SIZES" }]);
    },
  );
});
