// Lists inside contracts' bodies that are longer than any client needs: refused by the list and its limit,
// whatever the elements are, so that a million wrong ones are not a million faults.
import { expect, test } from "vitest";
import type { LimitName } from "../../../src/core/faults/limit-advice.ts";
import { LIMITS } from "../../../src/core/faults/limits.ts";
import { setUp } from "./setup.ts";

/** More faults than a call takes arguments: spread anywhere on their way, they end in a 500. */
const MANY = new Array(200_000).fill(0);
const user = (content: unknown) => [{ role: "user", content }];
const trajectory = user(`<trajectory id="1">\n${JSON.stringify(MANY)}\n</trajectory>\n`);

test.each<[string, LimitName, string, object]>([
  [
    "/nemo-gym/compare",
    "response_items_max",
    "response_objs[0].output",
    { conversation_history: user("q"), response_objs: [{ output: MANY }] },
  ],
  [
    "/nemo-gym/verify",
    "response_items_max",
    "response.output",
    { responses_create_params: { input: "q" }, response: { output: MANY } },
  ],
  ["/ruler/v1/chat/completions", "response_items_max", "messages", { messages: trajectory }],
  ["/ruler/v1/chat/completions", "content_parts_max", "messages[0].content", { messages: user(MANY) }],
])("%s names %s at %s", async (path, limit, field, body) => {
  const { post } = setUp();
  const response = await post(path, body);
  const text = await response.text();
  expect(response.status).toBe(400);
  expect(text).toContain(`${LIMITS[limit]}`);
  expect(text).toContain(limit);
  const { detail, error } = JSON.parse(text);
  expect(error?.message ?? detail).toMatch(new RegExp(`^${field.replaceAll(/[[\]]/g, "\\$&")}: `));
  expect(error?.message ?? detail).not.toContain("more)");
});

test("of a gym's rows the first that is none is named, and no other", async () => {
  const response = await setUp().post("/nemo-gym/aggregate_metrics", { verify_responses: [{ reward: 1 }, ...MANY] });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ errors: [{ path: "verify_responses[1]" }] });
});
