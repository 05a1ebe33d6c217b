// HTTP over bare sockets for latency benchmarks: a client and an engine that cost a few microseconds a
// request.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

const END_OF_HEAD = "\r\n\r\n";
/** The end of a chunked body. */
const LAST_CHUNK = Buffer.from("\r\n0\r\n\r\n");

/** The bytes of a POST of JSON, to be sent again and again. */
export function postBytes(path: string, body: string): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`;
  return Buffer.from(head + END_OF_HEAD + body);
}

interface Exchange {
  resolve: () => void;
  reject: (fault: Error) => void;
  received: Buffer;
}

/** Kept connections to one server; as many as there are requests under way. */
export class WireClient {
  readonly #port: number;
  readonly #expected: Buffer;
  readonly #idle: Socket[] = [];
  readonly #exchanges = new Map<Socket, Exchange>();

  /** @param expected a text that a reply must hold: a failure is not a result */
  constructor(url: string, expected: string) {
    this.#port = Number(new URL(url).port);
    this.#expected = Buffer.from(expected);
  }

  /** Resolves with the reply's last byte. Rejects for a reply without what is expected. */
  send(request: Buffer): Promise<void> {
    // The longest unused first, so that none is ever idle for so long that the server closes it.
    const socket = this.#idle.shift() ?? this.#open();
    return new Promise((resolve, reject) => {
      this.#exchanges.set(socket, { resolve, reject, received: Buffer.alloc(0) });
      socket.write(request);
    });
  }

  close(): void {
    for (const socket of this.#idle) socket.destroy();
  }

  #open(): Socket {
    const socket = connect(this.#port, "127.0.0.1").setNoDelay(true);
    socket.on("data", (bytes: Buffer) => this.#onData(socket, bytes));
    socket.on("error", (fault) => this.#exchanges.get(socket)?.reject(fault));
    socket.on("close", () => {
      this.#exchanges.get(socket)?.reject(new Error("the connection was closed"));
      const at = this.#idle.indexOf(socket);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    return socket;
  }

  #onData(socket: Socket, bytes: Buffer): void {
    const exchange = this.#exchanges.get(socket);
    if (exchange === undefined) return;
    exchange.received = exchange.received.length === 0 ? bytes : Buffer.concat([exchange.received, bytes]);
    const { received } = exchange;
    if (!received.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) return;
    this.#exchanges.delete(socket);
    this.#idle.push(socket);
    if (received.includes(this.#expected)) exchange.resolve();
    else exchange.reject(new Error(`the reply lacks ${this.#expected}: ${received.subarray(0, 500)}`));
  }
}

export interface WireEngine {
  url: string;
  close(): Promise<void>;
}

/**
 * An engine that streams the same answer to every POST at once, in one packet, and has no gauges.
 */
export async function startWireEngine(events: string): Promise<WireEngine> {
  const chunk = `${Buffer.byteLength(events).toString(16)}\r\n${events}${LAST_CHUNK}`;
  const answer = Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked${END_OF_HEAD}${chunk}`,
  );
  const nothing = Buffer.from(`HTTP/1.1 404 Not Found\r\ncontent-length: 0${END_OF_HEAD}`);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.setNoDelay(true));
    let received: Buffer = Buffer.alloc(0);
    socket.on("data", (bytes: Buffer) => {
      received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
      const head = received.indexOf(END_OF_HEAD);
      if (head < 0) return;
      const length = /content-length: (\d+)/i.exec(received.toString("latin1", 0, head))?.[1] ?? "0";
      if (received.length < head + END_OF_HEAD.length + Number(length)) return;
      socket.write(received[0] === "P".charCodeAt(0) ? answer : nothing);
      received = Buffer.alloc(0);
    });
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
