// Holds that the work of an isolate's rooms and batches is counted where its requests are: objects made
// of separate parts would count nowhere.
import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { BatchReply } from "../../src/api/routes/batches.ts";

const call = (path: string, init?: RequestInit) => exports.default.fetch(`http://localhost${path}`, init);
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  call(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

async function verdictsCounted(): Promise<number> {
  const text = await (await call("/metrics")).text();
  return Number(/^kritai_generations_total\{outcome="parsed"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

const programs = ["x = 1", "BETTER = 3"].map((code) => ({ text: `\`\`\`python\n${code}\n\`\`\`` }));

test("a batch's generations are counted", async () => {
  const before = await verdictsCounted();
  const groups = [{ prompt: "p", rollouts: programs }];
  const body = { spec: { judge: { model: "counted-batch" } }, groups };
  const { location } = (await (await post("/v1/rewards", body, { prefer: "respond-async" })).json()) as BatchReply;
  expect(await (await call(`${location}?wait=20`)).json()).toMatchObject({ state: "done" });
  expect(await verdictsCounted()).toBe(before + 1);
});

test("a gathered group's generations are counted", async () => {
  const before = await verdictsCounted();
  const rewards = await Promise.all(
    programs.map(({ text }) =>
      post("/openrlhf/get_reward?group_size=2&group_window_ms=60000", {
        query: [`p${text}`],
        prompts: ["p"],
        labels: ["l"],
      }),
    ),
  );
  const replies = await Promise.all(rewards.map((reply) => reply.json()));
  expect(replies).toEqual([0, 1].map((i) => expect.objectContaining({ rewards: [i] })));
  expect(await verdictsCounted()).toBe(before + 1);
});
