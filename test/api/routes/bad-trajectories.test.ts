// Malformed rollouts of several turns: each has its outcome, and an honest one with it is judged all the
// same.
import { describe, expect, it, test } from "vitest";
import type { RewardsReply } from "../../../src/core/contract/rewards-reply.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { fakeVerifier, preferring } from "../../harness/fakes.ts";
import { problemOf, setUp } from "./harness.ts";

const says = (content: unknown, role = "assistant") => ({ role, content });
const call = (id: unknown, args = "ls") => ({ id, type: "function", function: { name: "bash", arguments: args } });
const calls = (...tool_calls: unknown[]) => ({ role: "assistant", content: "I act.", tool_calls });
const result = (tool_call_id: string, content: unknown = "r") => ({ role: "tool", tool_call_id, content });
const HONEST = { messages: [calls(call("c")), result("c", "HONEST"), says("Done.")] };
const URL_OF = { url: "data:image/png;base64,AAAA" };

/** The honest one is the better one. */
async function post(rollout: object, candidate: object = { extract: "whole" }) {
  const verifier = fakeVerifier(preferring((text) => (text.includes("HONEST") ? 1 : 0)));
  const spec = { candidate, judge: { preset: "text-select" } };
  const body = { spec, groups: [{ prompt: "Clean up.", rollouts: [rollout, HONEST] }] };
  const response = await setUp({ verifier }).post("/v1/rewards", body);
  return { response, shown: verifier.jobs[0]?.candidates ?? [], jobs: verifier.jobs };
}

const replyOf = async (response: Response) => {
  const reply = (await response.json()) as RewardsReply;
  if (response.status !== 200) throw new Error(JSON.stringify(reply));
  return reply;
};

describe("shown as it is, and judged:", () => {
  test.each<[string, unknown[], string]>([
    ["a call without a result", [calls(call("a")), says("b")], "[CALL_1.1 bash]\nls\n[TURN_2 assistant]"],
    ["a result without a call", [says("a"), result("q")], "[RESULT_1.x of q]\nr"],
    ["a result alone", [result("q"), says("a")], "[TURN_1 tool]\n[RESULT_1.x of q]\nr\n[TURN_2 assistant]\na"],
    ["an id of two calls", [calls(call("a", "one"), call("a", "two")), result("a")], "two\n[RESULT_1.2]\nr"],
    [
      "two results of a call",
      [calls(call("a")), result("a", "r"), result("a", "s")],
      "[RESULT_1.1]\nr\n[RESULT_1.1]\ns",
    ],
    ["a result before its call", [result("a"), calls(call("a"))], "[RESULT_1.x of a]\nr\n[TURN_2 assistant]"],
    [
      "empty messages",
      [says(""), says("", "user"), says("b")],
      "[TURN_1 assistant]\n[TURN_2 user]\n[TURN_3 assistant]\nb",
    ],
    ["messages without anything", [{}, null, says("b")], "b"],
    ["roles out of order", [says("s", "system"), says("u", "user"), says("u", "user"), says("b")], "[TURN_3 user]\nu"],
    ["a role in another spelling", [says("x", "Assistant"), says("y", "Human"), says("b")], "[TURN_2 human]\ny"],
    [
      "an id with line feeds",
      [calls(call("a\nb")), result("a\nb"), result("c\nd")],
      '[RESULT_1.1]\nr\n[RESULT_1.x of "c\\nd"]',
    ],
    ["an id that is a number", [calls(call(7)), result("7")], "[CALL_1.1 bash]\nls\n[RESULT_1.x of "],
    ["arguments that are no JSON", [calls(call("a", "{oops"))], "[CALL_1.1 bash]\n{oops"],
    ["calls that are none", [{ role: "assistant", content: "b", tool_calls: ["rm", 1] }], "[CALL_1.1 call]\nrm"],
    [
      "turns to the limit",
      Array.from({ length: LIMITS.rollout_messages_max }, (_, i) =>
        says(i % 2 ? "b" : "u", i % 2 ? "assistant" : "user"),
      ),
      "[TURN_1024 assistant]\nb",
    ],
  ])("%s", async (_, messages, snippet) => {
    const { response, shown } = await post({ messages });
    const { rewards, groups } = await replyOf(response);
    expect(shown[0]).toContain(snippet);
    expect([rewards, groups[0]?.rollouts[0]?.shown]).toEqual([[[0, 1]], 1]);
  });
});

describe("refused by its field, before anything is asked:", () => {
  const atif = (count: number) => ({ steps: Array.from({ length: count }, () => ({ source: "agent", message: "m" })) });
  test.each<[string, object, string]>([
    ["neither text nor messages", {}, "text"],
    ["text and messages", { text: "x", messages: [says("y")] }, "messages"],
    ["no message", { messages: [] }, "messages"],
    ["no trajectory", { messages: {} }, "messages"],
    ["messages that are a text", { messages: "x" }, "messages"],
    ["a file without a path", { text: "x", files: [{ path: "", text: "y" }] }, "files[0].path"],
    ["no file", { text: "x", files: [] }, "files"],
    ["a role that is not known", { messages: [says("x", "critic"), says("b")] }, "messages[0].role"],
    ["a role with line feeds", { messages: [says("b"), says("x", "a]\n[TURN_9 b")] }, "messages[1].role"],
    ["a role of much text", { messages: [says("u", "r".repeat(100_000)), says("b")] }, "messages[0].role"],
    ["too many messages", { messages: new Array(LIMITS.rollout_messages_max + 1).fill(says("x")) }, "messages"],
    ["too many steps of a trajectory", { messages: atif(LIMITS.rollout_messages_max + 1) }, "messages"],
    [
      "a message that is only an image",
      { messages: [says([{ type: "image_url", image_url: URL_OF }])] },
      "messages[0].content[0]",
    ],
    [
      "a result that is only an image",
      { messages: [result("a", [{ type: "image_url", image_url: URL_OF }])] },
      "messages[0].content[0]",
    ],
  ])("%s", async (_, rollout, path) => {
    const { response, jobs } = await post(rollout);
    const { errors = [] } = await problemOf(response);
    expect([response.status, errors.map((fault) => fault.path)]).toEqual([
      400,
      expect.arrayContaining([`groups[0].rollouts[0].${path}`]),
    ]);
    expect(jobs).toEqual([]);
  });
});

describe("of much", () => {
  it("results are cut, which costs nobody a reward", async () => {
    const messages = [calls(call("a", "rm -rf build")), result("a", "x".repeat(LIMITS.body_bytes - 2_000)), says("b")];
    const { response, shown } = await post({ messages });
    const { rewards, groups } = await replyOf(response);
    expect(shown[0]).toMatch(
      /^\[TURN_1 assistant\]\nI act\.\n\[CALL_1\.1 bash\]\nrm -rf build\n\[RESULT_1\.1\]\nx+ \.\. \[18,/,
    );
    expect(shown[0]?.length).toBeLessThan(2_200);
    expect([rewards, groups[0]?.rollouts[0]?.format_ok]).toEqual([[[0, 1]], true]);
    expect(groups[0]?.rollouts[0]?.shown).toBeLessThan(0.001);
  });

  it("an id of a result is cut too", async () => {
    const { response, shown } = await post({ messages: [says("b"), result("q".repeat(100_000))] });
    expect([(await replyOf(response)).rewards, shown[0]?.length]).toEqual([[[0, 1]], expect.closeTo(300, -2)]);
  });

  it("a body beyond body_bytes is refused whole", async () => {
    const { response } = await post({ messages: [calls(call("a")), result("a", "x".repeat(LIMITS.body_bytes))] });
    expect([response.status, (await problemOf(response)).detail]).toEqual([413, expect.stringContaining("body_bytes")]);
  });

  it.each(["whole", "after_think"])(
    "arguments of 1 MiB are own words too long, and shown to nobody (%s)",
    async (extract) => {
      const { response, jobs } = await post(
        { messages: [calls(call("a", "x".repeat(1_048_576))), says("b")] },
        { extract },
      );
      const { rewards, groups } = await replyOf(response);
      expect([rewards, groups[0]?.rollouts[0]]).toMatchObject([[[-1, 1]], { format_ok: false, too_long: true }]);
      expect(jobs).toEqual([]);
    },
  );
});
