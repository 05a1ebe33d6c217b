// Owns the Worker that stands for Cloudflare's queues in the local stack: the binding's calls,
// passed on to the queues in Node. Knows no message.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { QueueSettings } from "./queue.ts";

const NAME = "local-queues";
const ENTRY = "LogQueue";
const RUN_LOG = "kritai-run-log";

/** The run log's queues, as wrangler.toml has them; a test holds the two together. */
export const QUEUES: readonly QueueSettings[] = [
  { queue: RUN_LOG, max_batch_size: 100, max_retries: 100, dead_letter_queue: `${RUN_LOG}-dead-letters` },
  { queue: `${RUN_LOG}-dead-letters`, max_batch_size: 100, max_retries: 100, dead_letter_queue: null },
];

/** Looks to the Worker like a Queue, for a service binding passes calls on by name. */
export const QUEUE_BINDING = { LOG_QUEUE: { type: "worker" as const, worker: NAME, exportName: ENTRY } };

const SCRIPT = `
import { WorkerEntrypoint } from "cloudflare:workers";
export class ${ENTRY} extends WorkerEntrypoint {
  async sendBatch(messages) {
    const body = JSON.stringify(Array.from(messages, (message) => message.body));
    const response = await this.env.QUEUES.fetch("http://queues/${RUN_LOG}", { method: "POST", body });
    if (!response.ok) throw new Error(await response.text());
  }
}
export default { fetch: () => new Response(null, { status: 404 }) };
`;

/** Miniflare's options for the Worker; `handler` takes what it passes on. */
export function queueWorker(handler: (request: IncomingMessage, response: ServerResponse) => Promise<void>) {
  return {
    config: {
      name: NAME,
      compatibilityDate: "2026-10-23",
      env: { QUEUES: { type: "node-handler" as const, handler } },
      manifest: { mainModule: "queues.mjs", modules: { "queues.mjs": { type: "esm" as const, contents: SCRIPT } } },
    },
  };
}
