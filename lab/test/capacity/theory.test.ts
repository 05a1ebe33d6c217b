// Compares the capacity model with published results of queueing theory: its components, set up as a
// textbook queue, have the textbook's waiting times.
import { expect, it } from "vitest";
import { erlangWait, pollaczekWait, type Queue, type QueueRun, queueRun } from "../../capacity/theory.ts";
import { tInterval } from "../../loadtest/intervals.ts";

const SEEDS = [1, 2, 3, 4, 5, 6];
const REQUESTS = 3_000;

const runs = async (queue: Queue): Promise<QueueRun[]> => {
  const all: QueueRun[] = [];
  for (const seed of SEEDS) all.push(await queueRun(queue, REQUESTS, seed));
  return all;
};

it("gives Erlang's and Pollaczek's textbook values", () => {
  // M/M/1: the wait is load / (1 - load). M/M/2: load^2 / (1 - load^2). M/D/1 waits half of M/M/1.
  expect(erlangWait(1, 0.7)).toBeCloseTo(0.7 / 0.3, 12);
  expect(erlangWait(2, 0.5)).toBeCloseTo(1 / 3, 12);
  // Erlang's own table: 5 servers offered 4 erlangs, of whom 55.41 % wait.
  expect(erlangWait(5, 0.8)).toBeCloseTo(0.5541, 4);
  expect(pollaczekWait(0.7, 1)).toBeCloseTo(0.7 / 0.3, 12);
  expect(pollaczekWait(0.8, 0)).toBeCloseTo(2, 12);
});

it.each<[string, Queue, number]>([
  ["M/M/1", { servers: 1, load: 0.6, service: "exponential", kind: "slots" }, erlangWait(1, 0.6)],
  ["M/M/4, slots of one engine", { servers: 4, load: 0.8, service: "exponential", kind: "slots" }, erlangWait(4, 0.8)],
  ["M/M/4, four engines", { servers: 4, load: 0.8, service: "exponential", kind: "engines" }, erlangWait(4, 0.8)],
  ["M/D/1", { servers: 1, load: 0.7, service: "fixed", kind: "slots" }, pollaczekWait(0.7, 0)],
])("%s has the waiting time of the formula, and Little's law holds", async (_, queue, wanted) => {
  const all = await runs(queue);
  const [low, high] = tInterval(all.map(({ wait }) => wait)) as [number, number];
  console.log(`seeds ${SEEDS}: wait ${low.toFixed(3)} to ${high.toFixed(3)}, the formula ${wanted.toFixed(3)}`);
  expect(low).toBeLessThan(wanted);
  expect(high).toBeGreaterThan(wanted);
  // Narrow enough to tell a queue with a server or a tenth of load more or less.
  expect((high - low) / 2 / wanted).toBeLessThan(0.3);
  // L = lambda W, run by run: what a clock saw present against arrivals and times.
  for (const { present, arrivals, sojourn } of all) expect(present / (arrivals * sojourn)).toBeCloseTo(1, 1);
});
