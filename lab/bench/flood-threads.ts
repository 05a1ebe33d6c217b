// The two threads of the benchmark of costly floods: a judge, and the key that floods. What they do must not
// delay the thread that measures another key.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { FLOODS } from "./floods.ts";

const AT_ONCE = 8;
const ANSWER_MS = 15;

/** Marks this file's threads: a test that imports the file may run in a thread too. */
const ROLE = "costly-floods";

/** A thread's task: judge, or flood an edge until it is stopped. */
type Task = { judge: true } | { flood: string; url: string; key: string; from: number };
/** How many of a flood's turns were begun, and how many requests were answered. */
export interface Flooded {
  sent: number;
  answered: number;
}

const started = (task: Task) => new Worker(new URL(import.meta.url), { workerData: { role: ROLE, task } });
const first = <T>(worker: Worker) =>
  new Promise<T>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });

/** A judge that answers after 15 ms. */
export async function judgeThread(): Promise<{ url: string; close(): Promise<unknown> }> {
  const worker = started({ judge: true });
  return { url: await first<string>(worker), close: () => worker.terminate() };
}

/**
 * One key's flood, eight requests at once, until `over`. Rejects where an answer is neither a result
 * nor a refusal of too much.
 * @param from which of its turns is the first
 */
export async function floodThread(
  flood: string,
  url: string,
  key: string,
  from: number,
  over: AbortSignal,
): Promise<Flooded> {
  const worker = started({ flood, url, key, from });
  over.addEventListener("abort", () => worker.postMessage("over"));
  try {
    return await first<Flooded>(worker);
  } finally {
    await worker.terminate();
  }
}

async function judge(): Promise<void> {
  const reply = JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: "\\boxed{A}" }, finish_reason: "stop" }],
  });
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      setTimeout(() => response.writeHead(200, { "content-type": "application/json" }).end(reply), ANSWER_MS);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  parentPort?.postMessage(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
}

async function flood({ flood: name, url, key, from }: Extract<Task, { flood: string }>): Promise<void> {
  const requests = FLOODS[name];
  if (requests === undefined) throw new Error(`unknown flood: ${name}`);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  let [sent, answered, over] = [0, 0, false];
  parentPort?.once("message", () => {
    over = true;
  });
  const sendUntilOver = async (): Promise<void> => {
    while (!over) {
      for (const { path, body } of requests(from + sent++)) {
        const reply = await fetch(url + path, { method: "POST", headers, body });
        const text = await reply.text();
        if (reply.status === 200) answered++;
        else if (reply.status !== 429 && reply.status !== 503)
          throw new Error(`${name}: ${reply.status}: ${text.slice(0, 300)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sendUntilOver));
  parentPort?.postMessage({ sent, answered } satisfies Flooded);
}

if (!isMainThread && workerData?.role === ROLE) {
  const { task } = workerData as { task: Task };
  await ("judge" in task ? judge() : flood(task));
}
