// Runs the simulator as a Worker in workerd, through miniflare.
import { build } from "esbuild";
import { Log, LogLevel, Miniflare } from "miniflare";
import type { SimulatorStats } from "./engine.ts";
import type { ListenOptions } from "./server.ts";
import type { SimulatorOptions } from "./simulator.ts";

const COMPATIBILITY = { date: "2026-10-23", flags: ["nodejs_compat", "enable_request_signal"] };

export interface WorkerdSimulator {
  url: string;
  stats(): Promise<SimulatorStats>;
  close(): Promise<void>;
}

/** Bundles the Worker into one ES module. */
async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [new URL("./worker.ts", import.meta.url).pathname],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    logLevel: "error",
  });
  return (outputFiles[0] as { text: string }).text;
}

/** workerd notices a disconnect only when it writes, so streams send keep-alive comments. */
const KEEP_ALIVE_MS = 100;

/**
 * Starts the simulator in workerd. Differences from startSimulator: a Worker cannot reset a connection,
 * `disconnect_notice_ms` has no effect, `keep_alive_ms` defaults to 100, and a disconnect is noticed only in
 * streams, at the next event or comment.
 */
export async function startSimulatorInWorkerd(
  options: SimulatorOptions & ListenOptions = {},
): Promise<WorkerdSimulator> {
  const { host = "127.0.0.1", port = 0, ...rest } = options;
  const settings: SimulatorOptions = { keep_alive_ms: KEEP_ALIVE_MS, ...rest, disconnect_notice_ms: 0 };
  const contents = await bundle();
  const miniflare = new Miniflare({
    host,
    port: 0,
    cf: false,
    telemetry: { enabled: false },
    logRequests: false,
    log: new Log(LogLevel.ERROR),
    workers: [
      {
        config: {
          name: "simulator",
          compatibilityDate: COMPATIBILITY.date,
          compatibilityFlags: COMPATIBILITY.flags,
          env: { OPTIONS: { type: "text", value: JSON.stringify(settings) } },
          manifest: { mainModule: "worker.mjs", modules: { "worker.mjs": { type: "esm", contents } } },
        },
        // Bypasses miniflare's entry Worker, which does not pass on disconnects.
        dev: { unsafeDirectSockets: [{ host, port }] },
      },
    ],
  });
  await miniflare.ready;
  const { origin } = await miniflare.unsafeGetDirectURL("simulator");
  return {
    url: origin,
    stats: async () => (await (await fetch(`${origin}/stats`)).json()) as SimulatorStats,
    close: () => miniflare.dispose(),
  };
}
