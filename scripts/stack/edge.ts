// Owns the edge of the local stack: the Worker bundled by esbuild and run in workerd through
// miniflare. Knows neither database nor verifier.
import { build, stop } from "esbuild";
import { Log, LogLevel, Miniflare } from "miniflare";
import { buildAssets } from "./assets.ts";
import type { LocalQueues } from "./queue.ts";
import { QUEUE_BINDING, queueWorker } from "./queue-worker.ts";
import { drainWorkerd, tieWorkerdToProcess } from "./workerd.ts";

/** Must equal wrangler.toml; a test holds them together. */
export const COMPATIBILITY = { date: "2026-10-23", flags: ["nodejs_compat", "enable_request_signal"] };

const ENTRY = new URL("../../src/worker.ts", import.meta.url).pathname;

/** The static assets, as wrangler.toml binds them; a test holds them together. */
export const ASSETS = {
  directory: new URL("../../public", import.meta.url).pathname,
  htmlHandling: "none",
  runWorkerFirst: true,
  hasUserWorker: true,
} as const;

/** A Worker as one ES module: ours, minified, unless told otherwise. */
export async function bundleWorker({ entry = ENTRY, minify = true } = {}): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    minify,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*", "cloudflare:*"],
    logLevel: "error",
  });
  // Its helper process would otherwise stay as long as the stack.
  await stop();
  return (outputFiles[0] as { text: string }).text;
}

export interface Edge {
  url: string;
  /**
   * Cuts what is under way, unless it ends within `drain_ms`, in which nothing new is taken; what
   * the queues can deliver comes first.
   */
  close(options?: { drain_ms: number }): Promise<void>;
}

/** The Worker's Durable Objects, by binding; a test holds them and wrangler.toml together. */
export const OBJECTS = {
  BATCH: "Batch",
  IDEMPOTENT_REQUESTS: "IdempotentRequests",
  DEAD_LETTERS: "DeadLetters",
  DEPLOYMENT_TOTALS: "DeploymentTotals",
  GROUP_ROOM: "GroupRoom",
  KEY_COUNTERS: "KeyCounters",
};

/**
 * Runs the bundle in workerd on HOST:PORT (port 0 = a free one) with the given variables. Nothing
 * leaves the machine.
 */
export async function startEdge(options: {
  host: string;
  port: number;
  script: string;
  vars: Readonly<Record<string, string>>;
  /** Where Durable Objects keep their storage; a temporary folder when left out. */
  objectsDir?: string;
  /**
   * Bound as the Worker's queues, and delivered to it; without them a reply waits for the database.
   */
  queues?: LocalQueues;
  /** Given each line that the Worker logs, in place of standard error. */
  logged?: (line: string) => void;
}): Promise<Edge> {
  const { queues } = options;
  const vars = Object.entries(options.vars).map(([name, value]) => [name, { type: "text" as const, value }]);
  const objects = Object.entries(OBJECTS).map(([name, exportName]) => [
    name,
    { type: "durable-object" as const, worker: "kritai", exportName },
  ]);
  const exports = Object.values(OBJECTS).map((name) => [
    name,
    { type: "durable-object" as const, storage: "sqlite" as const },
  ]);
  await buildAssets();
  tieWorkerdToProcess();
  const miniflare = new Miniflare({
    host: options.host,
    port: options.port,
    cf: false,
    telemetry: { enabled: false },
    logRequests: false,
    log: new Log(LogLevel.ERROR),
    ...(options.logged !== undefined && { handleStructuredLogs: ({ message }) => options.logged?.(message) }),
    ...(options.objectsDir !== undefined && { resourcePersistencePath: options.objectsDir }),
    workers: [
      {
        config: {
          name: "kritai",
          compatibilityDate: COMPATIBILITY.date,
          compatibilityFlags: COMPATIBILITY.flags,
          env: {
            ...Object.fromEntries([...vars, ...objects]),
            ...(queues && QUEUE_BINDING),
            ASSETS: { type: "assets" },
          },
          assets: ASSETS,
          exports: Object.fromEntries(exports),
          manifest: { mainModule: "worker.mjs", modules: { "worker.mjs": { type: "esm", contents: options.script } } },
        },
      },
      ...(queues === undefined ? [] : [queueWorker(queues.handler)]),
    ],
  });
  const ready = await miniflare.ready;
  const worker = await miniflare.getWorker("kritai");
  queues?.start((queue, messages) => worker.queue(queue, messages));
  return {
    url: ready.origin,
    async close({ drain_ms } = { drain_ms: 0 }) {
      const until = performance.now() + drain_ms;
      await queues?.pause();
      const left_ms = until - performance.now();
      if (left_ms > 0) await drainWorkerd(Number(new URL(ready.origin).port), left_ms);
      await miniflare.dispose();
    },
  };
}
