// Guarantees that `npm run lab -- rescore` accepts only complete streams, names any fault, and shows the
// changes step by step.
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type EndLine, type GroupLine, RescoreFault, rescoreRun } from "../../scripts/rescore/ask.ts";
import { ByStep } from "../../scripts/rescore/by-step.ts";
import { rescoredPage, rescoredTable } from "../rescore/report.ts";

const side = { mean: 0.5, std: 0.5, zero_variance_share: 0, nulls: 1 };
const END: EndLine = {
  ...{ type: "end", spec_hash: "sha256:0", groups: 2, rollouts: 4, complete: 2, old: side },
  new: { ...side, mean: 0.25 },
  rank_correlation: { kind: "kendall_tau_b", mean: 0.5, groups: 2, undefined: 0 },
  best_changed_share: 0.5,
};
const group = (step: number | null, old: number[], rewards: number[]): GroupLine => ({
  type: "group",
  step,
  old,
  rewards,
});
const GROUPS = [group(2, [1, 0], [0, 1]), group(1, [0, 1], [0, 1]), group(null, [1, 1], [0, 1])];

async function serving(status: number, body: string): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const ndjson = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");
const about = { api_key: null, run_id: "r", spec: {}, from_step: null, to_step: null };

test("a whole stream gives every group and its end", async () => {
  const seen: GroupLine[] = [];
  const target = await serving(200, ndjson([...GROUPS, END]));
  expect(await rescoreRun({ ...about, target }, (one) => seen.push(one))).toEqual(END);
  expect(seen).toEqual(GROUPS);
});

test.each([
  ["a stream without its end", 200, ndjson(GROUPS), /not the whole run/],
  [
    "a stream that was cut off",
    200,
    ndjson([{ type: "error", code: "store_unavailable", detail: "x" }]),
    /store_unavailable/,
  ],
  [
    "a refusal",
    422,
    JSON.stringify({ code: "needs_judging", detail: "d", errors: [{ path: "spec.judge", message: "another seed" }] }),
    /needs_judging:\n {2}spec.judge: another seed/,
  ],
  ["something else", 404, "<html>", /answered 404.*--target/],
  ["a page in place of the stream", 200, "<html>\n", /not one of Kritai's: <html>.*--target/],
])("%s is a fault that says so", async (_, status, body, words) => {
  const target = await serving(status as number, body as string);
  const fault = await rescoreRun({ ...about, target }, () => undefined).catch((error) => error);
  expect(fault).toBeInstanceOf(RescoreFault);
  expect(fault.message).toMatch(words as RegExp);
});

test("a connection that breaks within the stream is a fault that says so", async () => {
  const server = createServer((_, response) => {
    response.writeHead(200).write(ndjson(GROUPS), () => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fault = await rescoreRun({ ...about, target }, () => undefined).catch((error) => error);
  expect(fault).toBeInstanceOf(RescoreFault);
  expect(fault.message).toMatch(/broke off .*not the whole run/);
});

test("steps are reported in order, rows without a step first", () => {
  const steps = new ByStep();
  for (const one of GROUPS) steps.add(one);
  expect(steps.summaries().map(({ step, best_changed_share }) => [step, best_changed_share])).toEqual([
    [null, 0],
    [1, 0],
    [2, 1],
  ]);
});

test("table and page report the changes, and the page escapes the spec's markup", () => {
  const steps = new ByStep();
  for (const one of GROUPS) steps.add(one);
  const rescored = {
    run_id: "<b>r",
    command: "c",
    at: "now",
    spec: { reward: "a < b" },
    end: END,
    steps: steps.summaries(),
  };
  expect(rescoredTable(rescored)).toMatch(
    /^In 50 % of 2 groups the best rollout changes; tau-b within groups 0\.500\.\n/,
  );
  expect(rescoredTable(rescored)).toMatch(/mean reward +0\.5 +0\.25\n/);
  const page = rescoredPage(rescored);
  expect(page).toContain("Mean reward by step");
  expect(page).toContain("&lt;b&gt;r");
  expect(page).toContain("a &lt; b");
  expect(page).not.toContain("<b>");
});

test.each(["http://me:hunter2@127.0.0.1:9", "http://127.0.0.1:9/k/hunter2"])(
  "a target that carries a key is refused without it: %s",
  (target) => {
    const flags = ["--run", "r", "--spec", "package.json", "--target", target];
    const { status, stderr } = spawnSync(process.execPath, ["lab/rescore/main.ts", ...flags], {
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([2, expect.stringContaining("--target must not carry a key")]);
    expect(stderr).not.toContain("hunter2");
  },
);
