// The container's listening socket, whose connections it passes on byte by byte: workerd, told to end, leaves
// its own open and those who come waiting. Adds the Host that a load balancer's health check in HTTP/1.0
// lacks, which workerd answers with 400.
import { connect, createServer, type Socket } from "node:net";

export interface Front {
  /** From here on connections are refused; those that are open go on. */
  refuse(): void;
}

/** Listens on HOST:PORT for what listens on a loopback port. Rejects when it cannot listen. */
export async function startFront(at: { host: string; port: number }, inside: number): Promise<Front> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const worker = connect({ host: "127.0.0.1", port: inside, allowHalfOpen: true, noDelay: true });
    join(client, worker, withHost);
    join(worker, client);
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(at, resolve));
  return { refuse: () => void server.close() };
}

/** Not a loopback name, which an open deployment would trust. */
const HOST = "Host: kritai\r\n";

/** The first bytes of a connection, with a Host where they are a request of HTTP/1.0 without one. */
function withHost(bytes: Buffer): Buffer {
  const text = bytes.toString("latin1");
  const [line = ""] = /^[A-Z]+ \/\S* HTTP\/1\.0\r\n/.exec(text) ?? [];
  const end = text.indexOf("\r\n\r\n");
  if (line === "" || end < 0 || /\nhost:/i.test(text.slice(0, end))) return bytes;
  return Buffer.concat([bytes.subarray(0, line.length), Buffer.from(HOST), bytes.subarray(line.length)]);
}

/** One way of the two; who breaks off is gone for the other too. `begin` may change the first bytes. */
function join(from: Socket, to: Socket, begin = (bytes: Buffer) => bytes): void {
  from.once("data", (bytes: Buffer) => {
    to.write(begin(bytes));
    from.pipe(to);
  });
  from.once("end", () => to.end());
  from.on("error", () => to.resetAndDestroy());
  from.on("close", () => to.destroySoon());
}
