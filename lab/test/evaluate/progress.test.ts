// A run's progress display, on a terminal and into a pipe.
import { expect, it } from "vitest";
import { progressLine } from "../../../lab/evaluate/progress.ts";

function sinkOf(isTTY: boolean) {
  const said: string[] = [];
  return { said, sink: { isTTY, write: (text: string) => said.push(text) } };
}

it("shows the share done and the remaining time at the pace of this run, without earlier answers", () => {
  let now = 0;
  const { said, sink } = sinkOf(false);
  const line = progressLine(sink, () => now);
  line.report({ done: 100, total: 200, stored: 0, failed: 0, cell: "list_em@1" });
  now = 20_000;
  line.report({ done: 140, total: 200, stored: 0, failed: 1, cell: "list_em@1" });
  now = 50_000;
  line.report({ done: 200, total: 200, stored: 0, failed: 1, cell: "pair_em@1" });
  // The last requests end after their lists are counted.
  line.report({ done: 200, total: 200, stored: 100, failed: 1, cell: "pair_em@1" });
  expect(said).toEqual([
    "100 of 200 lists evaluated (50 %; list_em@1), 0 failed, 0 s\n",
    "140 of 200 lists evaluated (70 %; list_em@1), 1 failed, 20 s, about 30 s left\n",
    "200 of 200 lists evaluated (100 %; pair_em@1), 1 failed, 50 s\n",
  ]);
});

it("writes a line each ten seconds into a pipe while no reply comes, and none when it has ended", () => {
  let now = 0;
  const { said, sink } = sinkOf(false);
  const line = progressLine(sink, () => now);
  line.report({ done: 0, total: 8, stored: 0, failed: 0, cell: "list_em@1" });
  for (now = 1_000; now <= 30_000; now += 1_000) line.tick();
  expect(said.length).toBe(4);
  line.end();
  now += 60_000;
  line.tick();
  expect(said.length).toBe(4);
});
