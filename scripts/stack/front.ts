// The container's listening socket, which forwards connections to workerd: after a stop signal workerd keeps
// its own socket open and lets new connections wait. Also adds a Host header to HTTP/1.0 requests without
// one, such as a load balancer's health checks, which workerd would answer with 400.
import { connect, createServer, type Socket } from "node:net";

export interface Front {
  /** Refuses new connections; open ones continue. */
  refuse(): void;
}

/** Listens on HOST:PORT and forwards to the loopback port `inside`. Rejects if it cannot listen. */
export async function startFront(at: { host: string; port: number }, inside: number): Promise<Front> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const worker = connect({ host: "127.0.0.1", port: inside, allowHalfOpen: true, noDelay: true });
    join(client, worker, withHost);
    join(worker, client);
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(at, resolve));
  return { refuse: () => void server.close() };
}

/** Not a loopback name, because a deployment without keys trusts those. */
const HOST = "Host: kritai\r\n";

/** The first bytes of a connection, with a Host header added to an HTTP/1.0 request without one. */
function withHost(bytes: Buffer): Buffer {
  const text = bytes.toString("latin1");
  const [line = ""] = /^[A-Z]+ \/\S* HTTP\/1\.0\r\n/.exec(text) ?? [];
  const end = text.indexOf("\r\n\r\n");
  if (line === "" || end < 0 || /\nhost:/i.test(text.slice(0, end))) return bytes;
  return Buffer.concat([bytes.subarray(0, line.length), Buffer.from(HOST), bytes.subarray(line.length)]);
}

/** Forwards one direction, and resets `to` when `from` fails. `begin` may change the first bytes. */
function join(from: Socket, to: Socket, begin = (bytes: Buffer) => bytes): void {
  from.once("data", (bytes: Buffer) => {
    to.write(begin(bytes));
    from.pipe(to);
  });
  from.once("end", () => to.end());
  from.on("error", () => to.resetAndDestroy());
  from.on("close", () => to.destroySoon());
}
