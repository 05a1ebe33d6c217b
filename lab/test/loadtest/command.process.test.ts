// The command as a user has it: flags refused by name, hosts refused, a run's files, Ctrl-C.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HistogramLogReader } from "hdr-histogram-js";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { FlagFault } from "../../../gpu-backend/flags.ts";
import { readFlags } from "../../loadtest/flags.ts";
import { type KnownServer, startKnownServer } from "../../loadtest/known-server.ts";
import type { RequestRow } from "../../loadtest/record.ts";
import type { SliceNote } from "../../loadtest/run.ts";
import { setUp } from "../../loadtest/setup.ts";
import { type Point, SummarySchema } from "../../loadtest/summary-schema.ts";
import { readTraceFile, readWorkloadFile } from "../../loadtest/workload/file.ts";

const MAIN = new URL("../../loadtest/main.ts", import.meta.url).pathname;
const URL_FLAG = ["--target", "http://127.0.0.1:9"];

let server: KnownServer;
let dir: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  server = await startKnownServer({ latency_ms: 1 });
  dir = mkdtempSync(join(tmpdir(), "loadtest-"));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});
afterAll(async () => {
  await server?.close();
  rmSync(dir, { recursive: true, force: true });
});

function start(args: string[]): { child: ChildProcess; said: () => string; ended: Promise<number | null> } {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (bytes) => (text += bytes));
  return { child, said: () => text, ended: once(child, "close").then(([code]) => code as number | null) };
}

const summaryIn = (out: string) => SummarySchema.parse(JSON.parse(readFileSync(join(out, "summary.json"), "utf8")));

describe("flags", () => {
  it.each([
    [["--rate", "0"], "--rate must be a number above 0, at most 50000, not '0'"],
    [["--rate", "1e3"], "--rate must be a number above 0, at most 50000, not '1e3'"],
    [["--arrivals", "uniform"], "--arrivals must be one of constant, poisson, gamma, ramp, trace, not 'uniform'"],
    [["--sweep", "200"], "--sweep must be two rates, FROM:TO, not '200'"],
    [["--sweep", "200:5"], "--sweep FROM:TO: FROM must be below TO"],
    [["--sweep", "5:50", "--rate", "3"], "--sweep and --rate exclude each other: give one of them"],
    [
      ["--concurrency", "4", "--rate", "3"],
      "--concurrency (closed loop) cannot be combined with --rate, --arrivals or --sweep",
    ],
    [["--arrivals", "trace"], "--arrivals trace and --trace FILE must be given together"],
    [["--repeats", "31"], "--repeats must be an integer from 1 to 30, not '31'"],
    [["--rate", "50000"], "exceeds the limit of 500000 requests per slice"],
    // 499,975 are expected, and a Poisson process may well come to more.
    [["--rate", "14285"], "exceeds the limit of 500000 requests per slice"],
    [["--rate", "13000", "--arrivals", "gamma", "--shape", "0.001"], "exceeds the limit of 500000 requests per slice"],
    [["--mode", "listwise", "--group-size", "6"], "--group-size must be at most 5 with --mode listwise"],
    [["--baseline-key-env", "KEY"], "--baseline-key-env requires --baseline URL"],
    [["--out", ""], "--out must name a folder, not ''"],
    [["--colour"], "there is no flag --colour"],
  ])("%j is refused by name and limit", (args, message) => {
    expect(() => readFlags([...URL_FLAG, ...args])).toThrow(FlagFault);
    expect(() => readFlags([...URL_FLAG, ...args])).toThrow(message);
  });

  it("need a target, or a verifier with its model", () => {
    const verifier = ["--verifier", "http://127.0.0.1:8000/v1"];
    expect(() => readFlags([])).toThrow("give either --target or --verifier");
    expect(() => readFlags([...URL_FLAG, ...verifier, "--model", "m"])).toThrow("give either --target or --verifier");
    expect(() => readFlags(verifier)).toThrow("--verifier needs --model");
    expect(() => readFlags([...verifier, "--model", "m", "--kind", "engine"])).toThrow("--kind engine");
    expect(() => readFlags(["--verifier", "http://example.com/v1", "--model", "m"])).toThrow("--allow-host");
  });

  it.each(["http://example.com", "http://127.0.0.1.example.com", "http://10.0.0.1:8000", "http://[2001:db8::1]"])(
    "%s is refused unless it is named",
    (target) => {
      expect(() => readFlags(["--target", target])).toThrow("is not a loopback address; allow it with --allow-host");
      const { hostname } = new URL(target);
      expect(readFlags(["--target", target, "--allow-host", hostname]).target).toBe(target);
    },
  );

  it("refuse a foreign baseline and a key in a URL as well", () => {
    expect(() => readFlags([...URL_FLAG, "--baseline", "http://example.com"])).toThrow("--baseline: example.com");
    for (const url of ["http://u:secret@127.0.0.1", "http://127.0.0.1/k/secret", "http://127.0.0.1/k/secret/v1"]) {
      expect(() => readFlags(["--target", url])).toThrow("--target must not carry a key");
    }
    for (const url of ["http://127.0.0.1/?key=secret", "http://127.0.0.1/#part"]) {
      expect(() => readFlags(["--target", url])).toThrow(
        "--target must not have a query or fragment: they are not sent",
      );
    }
    expect(readFlags(["--target", "http://127.0.0.1/kritai"]).target).toBe("http://127.0.0.1/kritai");
  });

  it("that name a file say so when it cannot be read", async () => {
    const trace = readFlags([...URL_FLAG, "--kind", "verdicts", "--arrivals", "trace", "--trace", "/no/trace"]);
    await expect(setUp(trace)).rejects.toThrow("--trace /no/trace cannot be read (ENOENT)");
    const workload = readFlags([...URL_FLAG, "--workload", "/no/workload"]);
    await expect(setUp(workload)).rejects.toThrow("--workload /no/workload cannot be read (ENOENT)");
  });
});

describe("a workload file", () => {
  const file = (text: string) => {
    const path = join(dir, "workload.jsonl");
    writeFileSync(path, text);
    return path;
  };
  it("names the line or the item that cannot be used", () => {
    expect(() => readWorkloadFile(file('{"prompt": "a", '))).toThrow("workload.jsonl:1 is not JSON");
    expect(() => readWorkloadFile(file("{}"))).toThrow("the first has none of them");
    expect(() => readWorkloadFile(file('{"prompt": "a", "rollouts": [{"text": 1}]}'))).toThrow(
      "item 1: rollouts.0.text",
    );
  });

  it("may hold groups or whole bodies, and a trace seconds or objects", () => {
    const group = { prompt: "a", rollouts: [{ text: "x" }] };
    expect(readWorkloadFile(file(JSON.stringify(group)))).toEqual({ groups: [group] });
    const body = { groups: [group] };
    expect(readWorkloadFile(file(JSON.stringify(body)))).toMatchObject({
      workload: { bodyType: "groups", items: [body] },
    });
    expect(readTraceFile(file('7.5\n{"at_s": 5}\n6\n'))).toEqual([0, 1, 2.5]);
  });
});

describe("npm run loadtest", () => {
  it("explains every flag with --help, and ends with 2 at a bad one without sending anything", async () => {
    const help = start(["--help"]);
    expect(await help.ended).toBe(0);
    expect(help.said()).toContain("e.g. --arrivals gamma --shape 0.25");
    const bad = start(["--target", "http://example.com"]);
    expect(await bad.ended).toBe(2);
    expect(bad.said()).toContain("--allow-host");
  });

  it("refuses an --out that cannot take its files at once, by flag and reason, before anything is sent", async () => {
    const before = server.answered();
    const file = join(dir, "a-file");
    writeFileSync(file, "");
    mkdirSync(join(dir, "taken", "report.html"), { recursive: true });
    const places = [file, join(file, "below"), join(dir, "taken")];
    // There Node's own recursive mkdir does not return.
    if (process.platform === "linux") places.push("/proc/results");
    for (const out of places) {
      const run = start(["--target", server.url, "--kind", "verdicts", "--out", out]);
      expect(await run.ended, run.said()).toBe(2);
      expect(run.said()).toContain(`--out ${out} cannot be written to: `);
    }
    expect(server.answered()).toBe(before);
  });

  it("ends with 1 and leaves an earlier report as it is where the target does not answer", async () => {
    const out = join(dir, "earlier");
    mkdirSync(out);
    writeFileSync(join(out, "report.html"), "of before");
    writeFileSync(join(out, "summary.json"), "{}");
    // A port without a listener, on which browsers and tests agree.
    const run = start(["--target", "http://127.0.0.1:9", "--kind", "verdicts", "--out", out]);
    expect(await run.ended, run.said()).toBe(1);
    expect(run.said()).toContain("--target http://127.0.0.1:9 is unreachable (");
    expect(readFileSync(join(out, "report.html"), "utf8")).toBe("of before");
    expect(readFileSync(join(out, "summary.json"), "utf8")).toBe("{}");
  });

  it("writes a summary of its schema, a row a request, histograms, a table and a report", async () => {
    const out = join(dir, "whole");
    const load = [
      "--sweep",
      "20:40",
      "--sweep-steps",
      "2",
      "--refine",
      "0",
      "--arrivals",
      "constant",
      "--repeats",
      "2",
    ];
    const times = ["--duration", "1", "--warmup", "0.5", "--gpu-hour-price", "2"];
    const both = ["--baseline", server.url, "--kind", "verdicts", "--baseline-kind", "verdicts"];
    const run = start(["--target", server.url, ...both, ...load, ...times, "--out", out]);
    expect(await run.ended, run.said()).toBe(0);
    expect(readdirSync(out).sort()).toEqual([
      "export",
      "latency.hlog",
      "points.csv",
      "report.html",
      "requests.jsonl",
      "summary.json",
    ]);
    const exported = readdirSync(join(out, "export"));
    expect(exported.filter((name) => name.endsWith(".tex")).length).toBeGreaterThan(2);
    expect(exported.filter((name) => name.endsWith(".svg")).length).toBeGreaterThan(4);
    const { points, stopped_by, workload } = summaryIn(out);
    expect(stopped_by).toBeNull();
    expect(workload).toMatchObject({ name: "examples", of: "verdicts", items: 14 });
    expect(points.map(({ rate, target, baseline }) => [rate, target.requests, baseline?.requests])).toEqual([
      [20, 40, 40],
      [40, 80, 80],
    ]);
    expect(points[0]?.target).toMatchObject({ ok: 40, rewards: 40, errors: {} });
    const { rewards_per_s, achieved_per_s, dollars_per_1000_rewards } = (points as [Point, Point])[0].target;
    expect(rewards_per_s.value).toBe(achieved_per_s.value);
    expect(dollars_per_1000_rewards.measured).toBeCloseTo((1000 * 2) / 3600 / (rewards_per_s.value as number), 6);
    expect(points[0]?.overhead_ms?.p50.repeats.length).toBe(2);
    const rows = readFileSync(join(out, "requests.jsonl"), "utf8").trim().split("\n");
    expect(rows.length).toBe(2 * 2 * (30 + 60));
    // Requests answered in the measured second, of each repeat: a busy machine answers late.
    const answered = rows
      .map((row): RequestRow & SliceNote => JSON.parse(row))
      .filter(({ side, rate, error }) => side === "target" && rate === 20 && error === null)
      .filter(({ due_at, latency_ms }) => due_at + latency_ms >= 500 && due_at + latency_ms < 1500);
    expect(rewards_per_s.repeats).toEqual([0, 1].map((nth) => answered.filter(({ repeat }) => repeat === nth).length));
    const log = readFileSync(join(out, "latency.hlog"), "utf8");
    const reader = new HistogramLogReader(log);
    const counts: number[] = [];
    for (let next = reader.nextIntervalHistogram(); next !== null; next = reader.nextIntervalHistogram())
      counts.push(next.totalCount);
    expect(counts).toEqual([20, 20, 20, 20, 40, 40, 40, 40]);
    expect(readFileSync(join(out, "points.csv"), "utf8").trim().split("\n").length).toBe(5);
    expect(readFileSync(join(out, "report.html"), "utf8")).not.toMatch(/<script|https?:\/\/(?!127\.0\.0\.1)[^"]*"/);
  });

  it("ends at Ctrl-C with a valid summary and report of what was measured", async () => {
    const out = join(dir, "stopped");
    const before = server.answered();
    const args = ["--kind", "verdicts", "--rate", "50", "--warmup", "0", "--duration", "600", "--max-seconds", "900"];
    const run = start(["--target", server.url, ...args, "--out", out]);
    const watch = setInterval(() => {
      if (server.answered() - before < 60) return;
      clearInterval(watch);
      run.child.kill("SIGINT");
    }, 20);
    expect(await run.ended, run.said()).toBe(0);
    const { stopped_by, points } = summaryIn(out);
    expect(stopped_by).toBe("signal");
    expect(run.said()).toContain("the run ended early: stopped by signal");
    expect(points[0]?.repeats).toBe(1);
    expect(points[0]?.target.ok).toBeGreaterThanOrEqual(50);
    expect(points[0]?.target.failed).toBe(0);
    expect(readFileSync(join(out, "report.html"), "utf8")).toContain("stopped by signal");
  });

  it("says when a key is kept from the baseline, and never prints the key", async () => {
    const other = await startKnownServer();
    vi.stubEnv("LOADTEST_KEY", "sesame-open");
    const sides = [
      "--target",
      server.url,
      "--baseline",
      other.url,
      "--kind",
      "verdicts",
      "--baseline-kind",
      "verdicts",
    ];
    const args = [...sides, "--key-env", "LOADTEST_KEY", "--warmup", "0", "--duration", "0.5", "--repeats", "1"];
    const out = join(dir, "keys");
    try {
      const run = start([...args, "--out", out]);
      expect(await run.ended, run.said()).toBe(0);
      expect(run.said()).toContain("the baseline is called without a key");
      const files = readdirSync(out, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
      expect([run.said(), ...files].join("")).not.toContain("sesame-open");
    } finally {
      vi.unstubAllEnvs();
      await other.close();
    }
  });

  it("that is stopped in a warm-up has no point and no knee of that rate", async () => {
    const out = join(dir, "warming");
    const args = ["--kind", "verdicts", "--sweep", "20:40", "--warmup", "60", "--max-seconds", "0.3"];
    const run = start(["--target", server.url, ...args, "--out", out]);
    expect(await run.ended, run.said()).toBe(0);
    const { stopped_by, points, knee } = summaryIn(out);
    expect([stopped_by, points, knee.rate]).toEqual(["seconds_max", [], null]);
    expect(run.said()).toContain("nothing was measured");
    expect(readFileSync(join(out, "report.html"), "utf8")).toContain("Nothing was measured before the run was stopped");
  });

  it("ends at its bound on requests, and says so", async () => {
    const out = join(dir, "bounded");
    mkdirSync(out);
    for (const name of ["report.html", "summary.json"]) writeFileSync(join(out, name), "of an earlier run");
    const args = ["--kind", "verdicts", "--rate", "100", "--warmup", "0", "--duration", "5", "--max-requests", "40"];
    const run = start(["--target", server.url, ...args, "--out", out]);
    expect(await run.ended, run.said()).toBe(0);
    const { stopped_by, points } = summaryIn(out);
    expect([stopped_by, points[0]?.target.requests]).toEqual(["requests_max", 40]);
  });
});
