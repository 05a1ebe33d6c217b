// The TypeScript client inside a Worker: its requests, streams and time-outs by what workerd has.
import { exports } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createClient, KritaiError } from "../../clients/typescript/src/index.ts";

const fenced = (code: string) => `\`\`\`python\n${code}\n\`\`\``;
const groups = ["a", "b"].map((prompt) => ({
  prompt,
  rollouts: [{ text: fenced(`x = "${prompt}"`) }, { text: fenced(`BETTER = "${prompt}"`) }],
}));
const client = (binding: typeof fetch) => createClient({ url: "http://localhost", fetch: binding });
const bound: typeof fetch = (input, init) => exports.default.fetch(new Request(input, init));

test("a Worker has groups rewarded, whole and as they are scored", async () => {
  const kritai = client(bound);
  expect((await kritai.rewards({ groups, spec: { judge: { model: "client" } } })).rewards).toEqual([
    [0, 1],
    [0, 1],
  ]);
  const selected: unknown[] = [];
  for await (const event of kritai.streamRewards({ groups, spec: { judge: { model: "client-stream" } } }))
    selected.push(event.type === "group" ? event.selected : event.type);
  expect(selected).toEqual([1, 1, "done"]);
});

test("a Worker's call ends at its time, and asks again until then", async () => {
  let asked = 0;
  const away: typeof fetch = async () => {
    asked += 1;
    throw new TypeError("Network connection lost.");
  };
  const call = createClient({ url: "http://localhost", fetch: away, retries: 1 }).call("get", "/healthz");
  await expect(call).rejects.toThrow(KritaiError);
  expect(asked).toBe(2);
  const silent: typeof fetch = (_, init) =>
    new Promise((_resolve, reject) => init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)));
  await expect(client(silent).call("get", "/healthz", { timeoutMs: 10 })).rejects.toMatchObject({
    code: "client_deadline",
  });
});
