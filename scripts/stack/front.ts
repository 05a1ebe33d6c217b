// Owns the container's listening socket, whose connections it passes on byte by byte: workerd, told
// to end, leaves its own open and those who come waiting. Knows no HTTP.
import { connect, createServer, type Socket } from "node:net";

export interface Front {
  /** From here on connections are refused; those that are open go on. */
  refuse(): void;
}

/** Listens on HOST:PORT for what listens on a loopback port. Rejects when it cannot listen. */
export async function startFront(at: { host: string; port: number }, inside: number): Promise<Front> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const worker = connect({ host: "127.0.0.1", port: inside, allowHalfOpen: true, noDelay: true });
    join(client, worker);
    join(worker, client);
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(at, resolve));
  return { refuse: () => void server.close() };
}

/** One way of the two; who breaks off is gone for the other too. */
function join(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on("error", () => to.resetAndDestroy());
  from.on("close", () => to.destroySoon());
}
