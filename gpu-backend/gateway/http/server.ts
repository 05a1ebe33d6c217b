// The gateway's HTTP server: routing, start and drain. Uses the engine pool only through its interface.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import type { Timers } from "../../../src/ports/ports.ts";
import type { EnginePool } from "../engines/port.ts";
import { GATEWAY_LIMITS } from "../limits/gateway-limits.ts";
import { Admission } from "../scheduling/admission.ts";
import { OpenBytes } from "../scheduling/open-bytes.ts";
import { Scheduler } from "../scheduling/scheduler.ts";
import { ServiceEstimate } from "../scheduling/service-estimate.ts";
import { gatewayTimers } from "../timers/gateway-timers.ts";
import { createGate } from "./access.ts";
import { GatewayMetrics } from "./metrics.ts";
import { RefusalLog } from "./refusal-log.ts";
import { ScalarRelay, type ScalarRelayConfig } from "./scalar-relay.ts";
import { createServiceRoutes } from "./service-routes.ts";
import { createVerifyRoute } from "./verify-route.ts";

export interface GatewayOptions {
  pool: EnginePool;
  /** null: only requests from this machine to a loopback host are accepted. */
  apiKey?: string | null;
  queue_tokens_max?: number;
  /** Servers of scalar models in addition to the engines. Omitted: their paths return 404. */
  scalar?: ScalarRelayConfig;
  /** Default: the process's own. */
  timers?: Timers;
  /** Receives log lines. Default: writes them as JSON to standard error. */
  report?: (line: Record<string, unknown>) => void;
}

export interface GatewayServer {
  /** Not yet listening. */
  server: Server;
  admission: Admission;
  scalar: ScalarRelay | null;
}

/** Creates the server with all its routes and components. */
export function createGatewayServer(options: GatewayOptions): GatewayServer {
  const { pool, apiKey = null, timers = gatewayTimers } = options;
  const estimate = new ServiceEstimate(timers.now);
  const queue_tokens_max = options.queue_tokens_max ?? GATEWAY_LIMITS.queue_tokens_default;
  const admission = new Admission({ queue_tokens_max, estimate, pool, now: timers.now });
  const deps = {
    admission,
    bytes: new OpenBytes(),
    scheduler: new Scheduler(pool, estimate),
    metrics: new GatewayMetrics(),
    refusals: new RefusalLog(options.report ?? ((line) => console.error(JSON.stringify(line))), timers.now),
    timers,
    escape: () => pool.escape(),
  };
  const gate = createGate(apiKey);
  const verify = createVerifyRoute(deps, gate);
  const scalar = options.scalar === undefined ? null : new ScalarRelay(options.scalar, timers);
  const services = createServiceRoutes(deps, pool, gate, scalar);
  // Keeps the global Request and Response, which the engine client needs. The bindings are never HTTP/2.
  const others = getRequestListener((request, env) => services(request, env as HttpBindings), {
    overrideGlobalObjects: false,
  });
  const server = createServer({ keepAliveTimeout: GATEWAY_LIMITS.keep_alive_ms }, (request, response) => {
    if (request.method === "POST" && pathOf(request) === "/v1/verify") verify(request, response);
    else void others(request, response);
  });
  return { server, admission, scalar };
}

/** The request path. The URL is absolute if the client uses a proxy. */
function pathOf({ url = "" }: IncomingMessage): string | undefined {
  return (url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "")).split("?", 1)[0];
}

export interface Gateway {
  /** `http://HOST:PORT`, without a path. */
  url: string;
  /**
   * Shuts down: rejects new requests, lets running ones finish for up to `limit_ms`, fails the rest with
   * `verifier_unavailable` (502 for scalar models), then closes the server and the pool.
   */
  close(limit_ms: number): Promise<void>;
}

/**
 * How long finished replies may take to reach their readers, and how often idle connections are closed in the
 * meantime.
 */
const FLUSH_MS = 1_000;
const IDLE_LOOK_MS = 20;

async function endServer(server: Server, timers: Timers): Promise<void> {
  const closed = once(server, "close");
  server.close();
  const endLooks = timers.every(IDLE_LOOK_MS, () => server.closeIdleConnections());
  const disarm = timers.after(FLUSH_MS, () => server.closeAllConnections());
  await closed;
  endLooks();
  disarm();
}

/** Starts the gateway. Rejects if the port is in use. */
export async function startGateway(options: GatewayOptions & { host: string; port: number }): Promise<Gateway> {
  const { host, port, pool, timers = gatewayTimers } = options;
  const { server, admission, scalar } = createGatewayServer({ ...options, timers });
  server.listen(port, host);
  await once(server, "listening");
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`,
    close: async (limit_ms) => {
      const drained = admission.drain();
      const disarm = timers.after(limit_ms, () => {
        for (const job of [...admission.jobs]) job.stop("verifier_unavailable");
        scalar?.stop();
      });
      await drained;
      disarm();
      await endServer(server, timers);
      await pool.close();
    },
  };
}
