// Helpers shared by the engine side's tests: a pool on mocks, timers that run when told, an engine with
// gauges. Must not hold any test.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createEnginePool } from "../../gpu-backend/gateway/engines/create.ts";
import type { EngineAnswer, EngineCall, EnginePool, EnginePoolConfig } from "../../gpu-backend/gateway/engines/port.ts";
import { gatewayTimers } from "../../gpu-backend/gateway/timers/gateway-timers.ts";
import type { Timers } from "../../src/ports/ports.ts";
import {
  type Behaviour,
  type MockOptions,
  type MockVerifier,
  type Script,
  startMockVerifier,
} from "../harness/mock-verifier.ts";

/** The waits of a pool whose `random` is always 0.5, ms. */
export const HEALTH_MS = 2_000;
export const GAUGES_MS = 1_000;
export const GAUGES_RARELY_MS = 30_000;
export const TOKENS_MS = 60_000;
const POLLS = [HEALTH_MS, GAUGES_MS, GAUGES_RARELY_MS, TOKENS_MS];

export const callWith = (more: Partial<EngineCall> = {}): EngineCall => ({
  question: [Buffer.from('"messages":[{"role":"user","content":"which?"}]')],
  model: null,
  temperature: 0.6,
  top_p: 0.95,
  max_tokens: 1_000,
  seed: 1,
  affinity: "group",
  completion: false,
  anchor: null,
  priority: 0,
  patient: false,
  signal: new AbortController().signal,
  ...more,
});

/** Timers that run only when told. */
export class ManualTimers {
  readonly pending: { run: () => void; ms: number }[] = [];
  #watchers: (() => void)[] = [];

  readonly port: Timers = {
    ...gatewayTimers,
    after: (ms, run) => {
      const entry = { run, ms };
      this.pending.push(entry);
      for (const look of this.#watchers.splice(0)) look();
      return () => {
        if (this.pending.includes(entry)) this.pending.splice(this.pending.indexOf(entry), 1);
      };
    },
  };

  /** Runs the timers of that length which are pending now. @returns how many */
  fire(ms: number): number {
    const due = this.pending.filter((entry) => entry.ms === ms);
    for (const entry of due) {
      this.pending.splice(this.pending.indexOf(entry), 1);
      entry.run();
    }
    return due.length;
  }

  /** Resolves once `count` timers of that length are pending. */
  async armed(ms: number, count = 1): Promise<void> {
    while (this.pending.filter((entry) => entry.ms === ms).length < count) {
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }

  /** Runs all timers of a poll, and waits until each has done its work and is armed again. */
  async turn(ms: number, count = 1): Promise<void> {
    await this.armed(ms, count);
    this.fire(ms);
    await this.armed(ms, count);
  }
}

/**
 * Runs a test against a pool on fresh mocks, its first poll done; everything is closed afterwards.
 */
export async function withPool(
  scripts: Script | Script[],
  test: (pool: EnginePool, mocks: MockVerifier[], timers: ManualTimers) => Promise<void>,
  more: Partial<EnginePoolConfig> & { mock?: MockOptions | MockOptions[] } = {},
): Promise<void> {
  const { mock: options = {}, ...config } = more;
  const list = Array.isArray(scripts) ? scripts : [scripts];
  const optionsOf = (at: number) => (Array.isArray(options) ? options[at] : options);
  const mocks = await Promise.all(list.map((script, at) => startMockVerifier(script, optionsOf(at))));
  const timers = new ManualTimers();
  const urls = mocks.map(({ url }) => url);
  const given = { urls, model: "mock-model", apiKey: null, random: () => 0.5, timers: timers.port };
  const pool = createEnginePool({ ...given, ...config });
  try {
    if (config.timers === undefined) await timers.armed(GAUGES_RARELY_MS, mocks.length);
    await test(pool, mocks, timers);
  } finally {
    await pool.close();
    await Promise.all(mocks.map((mock) => mock.close()));
  }
}

/** Waits that end in the next turn, and polls that never come. */
export const waitsAtOnce: Timers = {
  ...gatewayTimers,
  after(ms, run) {
    if (POLLS.includes(ms)) return () => {};
    const timer = setImmediate(run);
    return () => clearImmediate(timer);
  },
};

/** An engine whose gauges the test sets; `held` completions wait for `release`. */
export interface GaugedEngine {
  url: string;
  page: string;
  bodies: Record<string, unknown>[];
  aborted: string[];
  /** Resolves once `count` abort requests came. */
  abortsSeen(count: number): Promise<void>;
  /** Resolves once `count` completions are open. */
  opened(count: number): Promise<void>;
  release(): void;
  close(): Promise<void>;
}

const ANSWER = [
  { choices: [{ index: 0, delta: { content: "\\boxed{A}" }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
]
  .map((value) => `data: ${JSON.stringify(value)}\n\n`)
  .join("");

export async function startGaugedEngine(page: string): Promise<GaugedEngine> {
  const open = new Set<() => void>();
  let watchers: (() => void)[] = [];
  const changed = () => {
    for (const look of watchers.splice(0)) look();
  };
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise<void>((resolve) => watchers.push(resolve));
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (request.url === "/metrics") return void response.end(engine.page);
      if (request.method === "GET") return void response.end("{}");
      const body = JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>;
      if (request.url === "/abort_request") {
        engine.aborted.push(String(body.rid));
        response.end();
        return changed();
      }
      engine.bodies.push(body);
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      open.add(() => response.end(`${ANSWER}data: [DONE]\n\n`));
      changed();
    });
  });
  const engine: GaugedEngine = {
    url: "",
    page,
    bodies: [],
    aborted: [],
    abortsSeen: (count) => until(() => engine.aborted.length >= count),
    opened: (count) => until(() => engine.bodies.length >= count),
    release: () => {
      for (const end of open) end();
      open.clear();
    },
    close: () =>
      new Promise((resolve) => {
        watchers = [];
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  engine.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return engine;
}

type Got = EngineAnswer & { requests: number; mock: MockVerifier };

/**
 * A call's result when the engine behaves so; a list: one behaviour a request, the last one for all further.
 */
export async function one(behaviour: Behaviour | Behaviour[], more: Partial<EngineCall> = {}): Promise<Got> {
  const list = Array.isArray(behaviour) ? behaviour : [behaviour];
  let got: Got | undefined;
  await withPool(
    ({ index }) => list[Math.min(index, list.length - 1)] as Behaviour,
    async (pool, [mock]) => {
      if (mock === undefined) throw new Error("no mock");
      const answered = await pool.generate(callWith(more));
      got = { ...answered, requests: mock.log.length, mock };
    },
    { timers: waitsAtOnce },
  );
  if (got === undefined) throw new Error("no answer");
  return got;
}
