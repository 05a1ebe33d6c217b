// A Worker that replaces Cloudflare's queues and cron triggers in the local stack: it passes the binding's
// calls to the queues in Node, and batches and hourly calls to the consumer.
import { Agent, createServer, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { BatchResult, Deliver, LocalQueues, QueueSettings } from "./queue.ts";
import { quote } from "./workerd.ts";

const RUN_LOG = "kritai-run-log";

/** The run log's queues. Must equal wrangler.toml, which a test checks. */
export const QUEUES: readonly QueueSettings[] = [
  { queue: RUN_LOG, max_batch_size: 100, max_retries: 100, dead_letter_queue: `${RUN_LOG}-dead-letters` },
  { queue: `${RUN_LOG}-dead-letters`, max_batch_size: 100, max_retries: 100, dead_letter_queue: null },
];

const SCRIPT = `
import { WorkerEntrypoint } from "cloudflare:workers";
export class LogQueue extends WorkerEntrypoint {
  async sendBatch(messages) {
    const body = JSON.stringify(Array.from(messages, (message) => message.body));
    const response = await this.env.QUEUES.fetch("http://queues/${RUN_LOG}", { method: "POST", body });
    if (!response.ok) throw new Error(await response.text());
  }
}
export default {
  async fetch(request, { CONSUMER }) {
    if (new URL(request.url).pathname === "/scheduled") return Response.json(await CONSUMER.scheduled({}));
    const messages = (await request.json()).map((message) => ({ ...message, timestamp: new Date(message.timestamp) }));
    return Response.json(await CONSUMER.queue(new URL(request.url).pathname.slice(1), messages));
  },
};
`;

/** The parts of workerd's configuration for the queues, and calls to the consumer. */
export interface QueuesOfWorkerd {
  /** A service binding that the Worker uses like a Queue, because it has the same methods. */
  binding: string;
  services: readonly string[];
  sockets: readonly string[];
  files: Readonly<Record<string, string>>;
  /** Delivers messages to the consumer. */
  deliver: Deliver;
  /** Calls the consumer as its `crons` would. */
  scheduled(): Promise<void>;
  close(): void;
}

/**
 * Queues for the service `consumer`. Both directions use sockets in `folder`, which only this user can
 * access.
 */
export async function queuesOfWorkerd(queues: LocalQueues, consumer: string, folder: string): Promise<QueuesOfWorkerd> {
  const [inbound, outbound] = [join(folder, "queues.sock"), join(folder, "deliver.sock")];
  const server = createServer((request, response) => void queues.handler(request, response));
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(inbound, resolve));
  const agent = new Agent({ keepAlive: true });
  const worker = `(
    modules = [(name = "queues.mjs", esModule = embed "queues.mjs")],
    compatibilityDate = "2026-10-23",
    compatibilityFlags = ["service_binding_extra_handlers"],
    bindings = [(name = "QUEUES", service = "queues-in-node"), (name = "CONSUMER", service = ${quote(consumer)})],
  )`;
  return {
    binding: `(name = "LOG_QUEUE", service = (name = "queues", entrypoint = "LogQueue"))`,
    services: [
      `(name = "queues", worker = ${worker})`,
      `(name = "queues-in-node", external = (address = ${quote(`unix:${inbound}`)}, http = ()))`,
    ],
    sockets: [`(name = "deliver", address = ${quote(`unix:${outbound}`)}, http = (), service = "queues")`],
    files: { "queues.mjs": SCRIPT },
    deliver: (queue, messages) => post({ agent, socketPath: outbound }, queue, JSON.stringify(messages)),
    scheduled: async () => void (await post({ agent, socketPath: outbound }, "scheduled", "")),
    close() {
      agent.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** @throws Error if the consumer was not reached */
async function post(to: { agent: Agent; socketPath: string }, queue: string, body: string): Promise<BatchResult> {
  const { promise, resolve, reject } = Promise.withResolvers<BatchResult>();
  const sent = request({ ...to, path: `/${queue}`, method: "POST" }, (response) => {
    text(response)
      .then((said) => {
        if (response.statusCode !== 200) throw new Error(`${response.statusCode}: ${said}`);
        resolve(JSON.parse(said) as BatchResult);
      })
      .catch(reject);
  });
  sent.once("error", reject).end(body);
  return promise;
}
