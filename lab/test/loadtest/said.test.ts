// A run's words on the terminal: for each slice, and at its end.
import { describe, expect, it } from "vitest";
import { NOTHING_READ } from "../../loadtest/kinds/kind.ts";
import { Progress } from "../../loadtest/progress.ts";
import { SliceRecorder } from "../../loadtest/record.ts";
import { reportOf } from "../../loadtest/report.ts";
import { summariseSide } from "../../loadtest/side.ts";
import type { Point, Summary } from "../../loadtest/summary-schema.ts";
import { verdictOf } from "../../loadtest/verdict.ts";

const NOTE = { slice: 0, side: "target", repeat: 0, rate: 10, concurrency: null } as const;

/** A slice of a second, its requests ended as the errors say. */
function sliceOf(errors: (string | null)[], window = { from: 0, to: 1000 }) {
  const recorder = new SliceRecorder(0, 0, window);
  for (const [index, error] of errors.entries()) {
    const outcome = {
      error,
      status: null,
      sent_at: index,
      first_byte_at: null,
      ended_at: index + 5,
      reading: NOTHING_READ,
    };
    recorder.add(index, index, index, outcome);
  }
  return {
    recorder,
    started_at: 0,
    window_from_ms: window.from,
    measured_s: recorder.measured_s,
    cpu_share: 0,
    stopped: false,
  };
}

function pointOf(errors: (string | null)[], window?: { from: number; to: number }): Point {
  const cost = { gpu_hour_price: null, gpus: 1, tokens_per_second: null };
  const target = summariseSide([sliceOf(errors, window)], 1000, cost);
  const none = { baseline: null, overhead_ms: null, overloaded: [], baseline_degraded: [] };
  return { rate: 10, concurrency: null, repeats: 1, target, ...none };
}

const endpoint = { url: "http://127.0.0.1:9", kind: "rewards", model: null, key_env: null };
const summaryOf = (points: Point[], more: Partial<Summary> = {}): Summary => ({
  format: "kritai-loadtest/1",
  started_at: "2026-01-01T00:00:00Z",
  ended_at: "2026-01-01T00:00:01Z",
  stopped_by: null,
  command: [],
  seed: 1,
  target: endpoint,
  baseline: null,
  load: {
    loop: "open",
    arrivals: "poisson",
    warmup_s: 0,
    duration_s: 1,
    repeats: 1,
    timeout_ms: 1000,
    objective_ms: 1000,
  },
  workload: { name: "examples", of: "groups", items: 1, sha256: "0".repeat(64), marked: true },
  environment: {
    commit: "",
    kritai: "",
    node: "",
    undici: "",
    cpu: "",
    cores: 1,
    memory_bytes: 1,
    os: "",
    spec_hashes: [],
  },
  cost: { gpu_hour_price: null, gpus: 1, tokens_per_second: null },
  points,
  knee: { rate: null, overloaded_at: null, requests_few: null, rule: "" },
  frontier: [],
  ...more,
});

describe("the lines at the end", () => {
  it("name the codes of what failed, the most frequent first, of both sides", () => {
    const failing = pointOf([null, "connection_econnrefused", "http_404", "http_404"]);
    const line = verdictOf(summaryOf([failing]));
    expect(line).toContain("3 of 4 failed (2 http_404, 1 connection_econnrefused)");
    const paired = { ...pointOf([null]), baseline: pointOf(["http_401"]).target };
    expect(verdictOf(summaryOf([paired]))).toContain("baseline: 1 of 1 failed (1 http_401)");
  });

  it("have a dash for what was not measured, and say what ended the run", () => {
    const stopped = verdictOf(summaryOf([pointOf([null], { from: 500, to: 100 })], { stopped_by: "seconds_max" }));
    expect(stopped).toContain("achieved –, p50 –");
    expect(stopped).not.toContain("undefined");
    expect(stopped).toContain("the run ended early: stopped by seconds_max");
    expect(verdictOf(summaryOf([], { stopped_by: "signal" }))).toBe(
      "nothing was measured\nthe run ended early: stopped by signal",
    );
  });
});

describe("a warm-up shorter than a request takes", () => {
  const slow = (latency_ms: number, warmup_s: number): Summary => {
    const point = pointOf([null]);
    point.target.latency_ms.p50.value = latency_ms;
    const summary = summaryOf([point]);
    return { ...summary, load: { ...summary.load, warmup_s, duration_s: 30 } };
  };
  it("is reported on the terminal and in the report, unless too little is missing to matter", () => {
    const said = /warm-up of 1 s is shorter than a request takes \(p50 2.20 s at the lowest load\)/;
    expect(verdictOf(slow(2200, 1))).toMatch(said);
    expect(reportOf(slow(2200, 1)).page).toMatch(said);
    for (const fine of [slow(2200, 3), slow(2200, 2), slow(500, 0), summaryOf([])]) {
      expect(verdictOf(fine)).not.toContain("warm-up");
      expect(reportOf(fine).page).not.toContain("shorter than a request takes");
    }
  });
});

describe("the line of a slice", () => {
  it("counts answered, failed and aborted requests separately", () => {
    let said = "";
    const out = { isTTY: false, write: (text: string) => (said += text) } as unknown as NodeJS.WriteStream;
    const progress = new Progress(out);
    const { recorder } = sliceOf([null, null, "http_500", "unfinished", "unfinished", "unfinished"]);
    progress.begin(NOTE, recorder);
    progress.end(NOTE, recorder, 3600);
    expect(said).toContain("2 answered, 1 failed, 3 aborted by the stop  ");
    // Not the hour it was to last.
    expect(said).toMatch(/repeat 1 {4}\d s /);
  });
});

it("a window achieves no more than it was offered, whatever ends in it from the warm-up", () => {
  const { target } = pointOf([null, null, null], { from: 2, to: 1002 });
  expect([target.offered_per_s.value, target.achieved_per_s.value]).toEqual([1, 1]);
});

describe("the report", () => {
  it("begins with one table and one chart, and ends with the facts and hashes", () => {
    const { page } = reportOf(summaryOf([pointOf([null])]));
    const order = ["<table>", "<figure", "Load generator", "<dl>", "sha256"].map((text) => page.indexOf(text));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
    expect(page.slice(0, order[0])).not.toContain("Open loop");
  });

  it("names the environment variable of each side's key", () => {
    const sides = { target: { ...endpoint, key_env: "TARGET_KEY" }, baseline: { ...endpoint, kind: "engine" } };
    expect(reportOf(summaryOf([pointOf([null])], sides)).page).toContain("target TARGET_KEY, baseline none");
  });
});
