// The gateway's HTTP server: which route takes a request, start and drain. Knows the pool by its interface,
// and no engine's protocol.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import type { EnginePool } from "../engines/port.ts";
import { GATEWAY_LIMITS } from "../limits/gateway-limits.ts";
import { Admission } from "../scheduling/admission.ts";
import { Scheduler } from "../scheduling/scheduler.ts";
import { ServiceEstimate } from "../scheduling/service-estimate.ts";
import { createGate } from "./access.ts";
import { GatewayMetrics } from "./metrics.ts";
import { RefusalLog } from "./refusal-log.ts";
import { ScalarRelay, type ScalarRelayConfig } from "./scalar-relay.ts";
import { createServiceRoutes } from "./service-routes.ts";
import { createVerifyRoute } from "./verify-route.ts";

export interface GatewayOptions {
  pool: EnginePool;
  /** null: only requests addressed to a loopback host pass. */
  apiKey?: string | null;
  queue_tokens_max?: number;
  /** Servers of scalar models beside the engines; absent: their paths are not routes. */
  scalar?: ScalarRelayConfig;
  /** Monotonic, ms. */
  now?: () => number;
  /** Takes log lines; default: as JSON to standard error. */
  report?: (line: Record<string, unknown>) => void;
}

export interface GatewayServer {
  /** Listens nowhere yet. */
  server: Server;
  admission: Admission;
  scalar: ScalarRelay | null;
}

/** The routes and what is behind them. */
export function createGatewayServer(options: GatewayOptions): GatewayServer {
  const { pool, apiKey = null, now = () => performance.now() } = options;
  const estimate = new ServiceEstimate(now);
  const queue_tokens_max = options.queue_tokens_max ?? GATEWAY_LIMITS.queue_tokens_default;
  const admission = new Admission({ queue_tokens_max, estimate, pool, now });
  const deps = {
    admission,
    scheduler: new Scheduler(pool, estimate),
    metrics: new GatewayMetrics(),
    refusals: new RefusalLog(options.report ?? ((line) => console.error(JSON.stringify(line))), now),
    now,
    escape: () => pool.escape(),
  };
  const gate = createGate(apiKey);
  const verify = createVerifyRoute(deps, gate);
  const scalar = options.scalar === undefined ? null : new ScalarRelay(options.scalar, now);
  const services = createServiceRoutes(deps, pool, gate, scalar);
  // The engines' client needs the platform's own Request and Response; HTTP/2 is not spoken here.
  const others = getRequestListener((request, env) => services(request, env as HttpBindings), {
    overrideGlobalObjects: false,
  });
  const server = createServer({ keepAliveTimeout: GATEWAY_LIMITS.keep_alive_ms }, (request, response) => {
    if (request.method === "POST" && pathOf(request) === "/v1/verify") verify(request, response);
    else void others(request, response);
  });
  return { server, admission, scalar };
}

/** The path asked for; a proxy's client sends the whole URL. */
function pathOf({ url = "" }: IncomingMessage): string | undefined {
  return (url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?]*/i, "")).split("?", 1)[0];
}

export interface Gateway {
  /** `http://HOST:PORT`, without a path. */
  url: string;
  /**
   * Refuses new requests, lets those running finish for up to `limit_ms`, then fails what is left
   * with `verifier_unavailable` (502 for a scalar model's), and ends the server and the pool.
   */
  close(limit_ms: number): Promise<void>;
}

/**
 * Replies that have ended get this long to leave for their readers; kept connections are looked at
 * this often.
 */
const FLUSH_MS = 1_000;
const IDLE_LOOK_MS = 20;

async function endServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  const look = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS);
  const cut = setTimeout(() => server.closeAllConnections(), FLUSH_MS);
  await closed;
  clearInterval(look);
  clearTimeout(cut);
}

/** Listens. Rejects when the port is taken. */
export async function startGateway(options: GatewayOptions & { host: string; port: number }): Promise<Gateway> {
  const { host, port, pool } = options;
  const { server, admission, scalar } = createGatewayServer(options);
  server.listen(port, host);
  await once(server, "listening");
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${(server.address() as AddressInfo).port}`,
    close: async (limit_ms) => {
      const drained = admission.drain();
      const limit = setTimeout(() => {
        for (const job of [...admission.jobs]) job.stop("verifier_unavailable");
        scalar?.stop();
      }, limit_ms);
      await drained;
      clearTimeout(limit);
      await endServer(server);
      await pool.close();
    },
  };
}
