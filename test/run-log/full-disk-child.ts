// Fills the disk below the folder of its first argument with queued messages, then delivers them; prints
// the counts as JSON. The second argument: `queue` (the messages fill it) or `others` (another file does).
import { appendFileSync } from "node:fs";
import { type BatchResult, openLocalQueues } from "../../scripts/stack/queue.ts";

const [, , dataDir = "", filledBy, chars = "0"] = process.argv;
const OK: BatchResult = { outcome: "ok", ackAll: true, retryBatch: { retry: false }, explicitAcks: [] };
const settings = { max_batch_size: 100, max_retries: 100, dead_letter_queue: null };

const open = () => openLocalQueues({ dataDir, queues: [{ queue: "log", ...settings }] });
let queues = open();
const accepted = new Set<string>();
const text = "x".repeat(Number(chars));
const send = () => {
  const body = `${accepted.size} ${text}`;
  queues.send("log", [body]);
  accepted.add(body);
};
const untilFull = (fill: () => void): string => {
  for (;;) {
    try {
      fill();
    } catch (error) {
      return (error as { code?: string }).code ?? String(error);
    }
  }
};

if (filledBy === "others") {
  for (let i = 0; i < 50; i++) send();
  untilFull(() => appendFileSync(`${dataDir}/junk`, Buffer.alloc(4096)));
}
const refused = untilFull(send);
// A start on the full disk, too.
await queues.close();
queues = open();
const sent = accepted.size;
const delivered = new Set<string>();
await new Promise<void>((resolve) => {
  queues.start(async (_, messages) => {
    for (const { body } of messages) delivered.add(body);
    return OK;
  });
  const look = () => (queues.backlog("log") === 0 ? resolve() : setTimeout(look, 10));
  look();
});
const lost = [...accepted].filter((body) => !delivered.has(body)).length;
let again = 0;
for (; again < 20; again++) send();
await queues.close();
process.stdout.write(JSON.stringify({ refused, sent, lost, again }));
