// Runs the simulator in this Node process, where faults can control the sockets.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import type { SimulatorStats } from "./engine.ts";
import type { Connection } from "./shapes.ts";
import { createSimulator, type SimulatorOptions } from "./simulator.ts";

export interface ListenOptions {
  /** Default 127.0.0.1. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
}

export interface RunningSimulator {
  /** `http://HOST:PORT`, without a path. */
  url: string;
  stats(): SimulatorStats;
  /** Stops the server. Open requests are cut and their generations aborted. */
  close(): Promise<void>;
}

/** Starts the server. Rejects if the port is in use. @throws RangeError for options out of range */
export async function startSimulator(options: SimulatorOptions & ListenOptions = {}): Promise<RunningSimulator> {
  const { host = "127.0.0.1", port = 0, ...rest } = options;
  const simulator = createSimulator(rest, "shared");
  const fetch = (request: Request, env: object) =>
    simulator.fetch(request, connectionOf((env as { outgoing: ServerResponse<IncomingMessage> }).outgoing));
  const server = serve({ fetch, hostname: host, port }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once("listening", resolve);
    server.once("error", reject);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    stats: () => simulator.stats(),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      simulator.close();
      await closed;
    },
  };
}

function connectionOf(outgoing: ServerResponse<IncomingMessage>): Connection {
  return {
    reset: () => void outgoing.socket?.resetAndDestroy(),
    cut: () => void outgoing.destroy(),
  };
}
