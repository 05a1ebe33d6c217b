// The watch over runs' alarms, over states in memory and an address that may fail: which changes are
// reported, and how often.

import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/faults/limits.ts";
import type { AlarmSpan } from "../../src/core/health/alarm.ts";
import type { AlarmState } from "../../src/core/health/alarm-state.ts";
import { eventOf, nextStates } from "../../src/core/health/alarm-state.ts";
import type { HealthRow } from "../../src/core/health/health-row.ts";
import { readEnv } from "../../src/env.ts";
import { announcer } from "../../src/objects/alarm-webhook.ts";
import { Metrics } from "../../src/platform/counters.ts";
import { signature } from "../../src/platform/signature.ts";
import type { AlarmNews, AlarmStates } from "../../src/ports/alarms.ts";
import { createAlarmWatch } from "../../src/scoring/alarm-watch.ts";
import { setUp } from "../api/routes/harness.ts";
import { healthRows } from "../browser/run-rows.ts";
import { fixedClock } from "../harness/fakes.ts";

const RUN = { owner: "trainer", run_id: "r1" };
const span = (from_step: number, to_step: number | null, level: AlarmSpan["level"] = "alarm"): AlarmSpan => ({
  alarm: "at_cap",
  level,
  from_step,
  to_step,
  says: "half of the rollouts are cut",
  evidence: { step: from_step, value: 0.5, threshold: 0.8 },
});

/** States of one run in memory; a look is always granted. */
function memoryStates(): AlarmStates & { kept: Map<string, AlarmState>; granted: boolean } {
  const kept = new Map<string, AlarmState>();
  return {
    kept,
    granted: true,
    async claim() {
      return this.granted;
    },
    load: async () => [...kept.values()],
    save: async (_, states) => states.forEach((state) => void kept.set(state.alarm, state)),
    on: async () => [],
  };
}

function rig(taken: (news: AlarmNews) => boolean = () => true) {
  const states = memoryStates();
  const told: string[] = [];
  const said: (string | null)[] = [];
  const metrics = new Metrics();
  const lines: Record<string, unknown>[] = [];
  const state = { rows: [] as HealthRow[], fault: null as Error | null };
  const watch = createAlarmWatch({
    runLog: {
      async health() {
        if (state.fault !== null) throw state.fault;
        return state.rows;
      },
    },
    states,
    async announce(news) {
      told.push(`${news.state.alarm} ${news.event} ${news.state.from_step} ${news.state.to_step}`);
      said.push(news.says);
      return taken(news);
    },
    metrics,
    report: (line) => void lines.push(line),
  });
  /** A run of `steps` steps, ill between two of them. */
  const look = async (steps: number, ill: readonly [number, number] | null = null) => {
    state.rows = healthRows({ id: "r1", steps, ill_from: null }).map((row) =>
      ill !== null && row.step >= ill[0] && row.step < ill[1] ? { ...row, at_cap_share: 0.9 } : row,
    );
    await watch.look([RUN]);
  };
  return { watch, look, states, told, said, metrics, lines, state };
}

describe("the watch over a run's alarms", () => {
  it("tells a beginning and an end once each, however often it looks", async () => {
    const { look, told, said } = rig();
    for (let steps = 1; steps <= 30; steps++) await look(steps, [10, 15]);
    expect(said).toEqual(["90 % of the rollouts are cut off at the length limit", null]);
    expect(told).toEqual(["at_cap began 10 null", "at_cap ended 10 14"]);
  });

  it("does not begin anew where it no longer reaches back to the first step", () => {
    const before = nextStates([], [span(10, null)]).map((state) => ({ ...state, reported: state.level }));
    const [later] = nextStates(before, [span(300, null)]);
    expect(later).toMatchObject({ from_step: 10, reported: "alarm", to_step: null });
    expect(eventOf(later as AlarmState)).toBeNull();
  });

  it("tells a watch that rises to an alarm, and not one that sinks", () => {
    const [watched] = nextStates([], [span(3, null, "watch")]) as [AlarmState];
    expect(eventOf(watched)).toBe("began");
    const [risen] = nextStates([{ ...watched, reported: "watch" }], [span(3, null, "alarm")]) as [AlarmState];
    expect(eventOf(risen)).toBe("rose");
    const [sunk] = nextStates([{ ...risen, reported: "alarm" }], [span(3, null, "watch")]) as [AlarmState];
    expect(eventOf(sunk)).toBeNull();
  });

  it("tries again at the next look what was not taken, and gives up after webhook_attempts_max", async () => {
    const { look, told, states } = rig(() => false);
    for (let i = 0; i < 3 * LIMITS.webhook_attempts_max; i++) await look(20, [10, 20]);
    expect(told).toEqual(new Array(LIMITS.webhook_attempts_max).fill("at_cap began 10 null"));
    expect(states.kept.get("at_cap")).toMatchObject({ reported: "alarm", tries: 0 });
  });

  it("looks at no run that somebody looked at a moment ago, and at each run once a call", async () => {
    const { watch, look, states, told, metrics } = rig();
    states.granted = false;
    await look(20, [10, 20]);
    expect(told).toEqual([]);
    const before = metrics.render();
    await watch.look([RUN, { ...RUN }, { ...RUN, owner: "other" }]);
    expect(before).toContain('kritai_alarm_looks_total{end="looked"} 1');
    expect(metrics.render()).toContain('kritai_alarm_looks_total{end="looked"} 3');
  });

  it("never rejects: a database that is away is counted and reported", async () => {
    const { look, state, metrics, lines } = rig();
    state.fault = new Error("away");
    await look(20);
    expect(metrics.render()).toContain('kritai_alarm_looks_total{end="failed"} 1');
    expect(lines).toEqual([{ level: "warn", event: "alarm_look_failed", name: "Error" }]);
  });
});

describe("the webhook of alarms", () => {
  it("is signed, says which run, alarm and step, and takes only a success for taken", async () => {
    const secret = new TextEncoder().encode("0123456789abcdef0123456789abcdef");
    const calls: { headers: Record<string, unknown>; body: string }[] = [];
    const statuses = [500, 204];
    const server = createServer(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      calls.push({ headers: request.headers, body: Buffer.concat(pieces).toString() });
      response.writeHead(statuses.shift() ?? 204).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const announce = announcer({ url, secret }, fixedClock());
    const [state] = nextStates([], [span(3, null)]) as [AlarmState];
    const news: AlarmNews = { run: RUN, event: "began", says: "half of the rollouts are cut", state };
    expect([await announce(news), await announce(news)]).toEqual([false, true]);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const [first, second] = calls as [(typeof calls)[number], (typeof calls)[number]];
    expect(first.headers["webhook-id"]).toBe("alarm_trainer_r1_at_cap_began_alarm_3");
    expect(second.headers["webhook-id"]).toBe(first.headers["webhook-id"]);
    const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signed } = second.headers;
    expect(signed).toBe(`v1,${createHmac("sha256", secret).update(`${id}.${at}.${second.body}`).digest("base64")}`);
    expect(JSON.parse(second.body)).toEqual({
      type: "alarm.began",
      timestamp: "2026-11-21T00:00:00.000Z",
      data: {
        ...{ run_id: "r1", owner: "trainer", alarm: "at_cap", level: "alarm", from_step: 3, to_step: null },
        evidence: { step: 3, value: 0.5, threshold: 0.8 },
        says: "half of the rollouts are cut",
        location: "/runs/r1",
      },
    });
  });

  it("the signature is that of the Standard Webhooks reference example", async () => {
    const known = Uint8Array.from(atob("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), (c) => c.charCodeAt(0));
    const body = '{"test": 2432232314}';
    const signed = await signature(known, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body);
    expect(signed).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  it("goes to an https address without a password, and only with a secret to sign by", () => {
    const WEBHOOK_SECRET = `whsec_${"A".repeat(43)}=`;
    const faultsOf = (env: Record<string, string>) => readEnv(env).faults.map(({ path }) => path);
    expect(faultsOf({ WEBHOOK: "https://hooks.example.org/a", WEBHOOK_SECRET })).toEqual([]);
    expect(faultsOf({ WEBHOOK: "http://127.0.0.1:9000/", WEBHOOK_SECRET })).toEqual([]);
    expect(faultsOf({ WEBHOOK: "https://hooks.example.org/a" })).toEqual(["WEBHOOK_SECRET"]);
    for (const WEBHOOK of ["http://hooks.example.org", "https://a:b@hooks.example.org", "ftp://a", "hooks"]) {
      expect(faultsOf({ WEBHOOK, WEBHOOK_SECRET }), WEBHOOK).toEqual(["WEBHOOK"]);
    }
    const { faults } = readEnv({ WEBHOOK_SECRET: "hunter2" });
    expect(faults.map(({ path }) => path)).toEqual(["WEBHOOK_SECRET"]);
    expect(JSON.stringify(faults)).not.toContain("hunter2");
  });
});

describe("/metrics", () => {
  const metricsOf = async (on: AlarmStates["on"]) => {
    const { app } = setUp({ alarms: { on, look: async () => {} } });
    return (await app.request("http://localhost/metrics")).text();
  };

  it("tells which alarms of which runs are on, so many series at most", async () => {
    const limits: number[] = [];
    const text = await metricsOf(async (limit) => {
      limits.push(limit);
      return [{ ...RUN, alarm: "nulls", level: "alarm" }];
    });
    expect(text).toContain('kritai_run_alarm{run_id="r1",owner="trainer",alarm="nulls",level="alarm"} 1');
    expect(text).toContain("kritai_run_alarms_known 1");
    expect(limits).toEqual([LIMITS.alarm_series_max]);
  });

  it("tells all else where the database is away", async () => {
    const text = await metricsOf(async () => Promise.reject(new Error("away")));
    expect(text).toContain("kritai_run_alarms_known 0");
    expect(text).toContain("kritai_requests_total");
  });
});
