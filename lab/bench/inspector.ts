// Talks to an isolate's inspector: CPU profiles by function, and how much memory its heap holds.

interface ProfileNode {
  id: number;
  callFrame: { functionName: string; url: string; lineNumber: number };
}

interface Profile {
  nodes: ProfileNode[];
  samples: number[];
  timeDeltas: number[];
}

export interface HotFunction {
  name: string;
  self_ms: number;
  share: number;
}

export interface HeapUsage {
  /** Live and not yet collected objects, bytes. */
  used: number;
  /** Pages the heap holds, bytes. */
  total: number;
  /** Buffers outside the heap, bytes. */
  backing: number;
}

type Result = Record<string, unknown>;

export interface Inspector {
  send(method: string, params?: Result): Promise<Result>;
  heap(): Promise<HeapUsage>;
  /**
   * Functions by self time while `work` ran, hottest first, as a share of the time that was not
   * idle.
   */
  profile(work: () => Promise<unknown>): Promise<HotFunction[]>;
  close(): void;
}

/** Connects to `ws://…`. Rejects without a listener. */
export async function openInspector(url: string): Promise<Inspector> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, { resolve: (result: Result) => void; reject: (fault: Error) => void }>();
  let nextId = 0;
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as { id?: number; result?: Result; error?: Result };
    const asked = id === undefined ? undefined : waiting.get(id);
    if (asked === undefined) return;
    waiting.delete(id as number);
    if (error === undefined) asked.resolve(result ?? {});
    else asked.reject(new Error(`inspector: ${JSON.stringify(error)}`));
  });
  socket.addEventListener("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("the inspector closed the connection"));
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve(), { once: true });
    socket.addEventListener("error", () => reject(new Error(`no inspector at ${url}`)), { once: true });
  });
  const send = (method: string, params: Result = {}) =>
    new Promise<Result>((resolve, reject) => {
      const id = ++nextId;
      waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params }));
    });
  return {
    send,
    heap: async () => heapUsage(await send("Runtime.getHeapUsage")),
    async profile(work) {
      await send("Profiler.enable");
      await send("Profiler.setSamplingInterval", { interval: 200 });
      await send("Profiler.start");
      await work();
      const { profile } = await send("Profiler.stop");
      return hottest(profile as Profile);
    },
    close: () => socket.close(),
  };
}

function heapUsage(usage: Result): HeapUsage {
  const { usedSize, totalSize, backingStorageSize } = usage as Record<string, number | undefined>;
  return { used: usedSize ?? 0, total: totalSize ?? 0, backing: backingStorageSize ?? 0 };
}

const NOT_WORK = new Set(["(idle)", "(root)"]);

/** Self times by function name and place, over everything but idle time. */
export function hottest({ nodes, samples, timeDeltas }: Profile): HotFunction[] {
  const nameOf = new Map(
    nodes.map(({ id, callFrame: { functionName, lineNumber } }) => [
      id,
      functionName.startsWith("(") ? functionName : `${functionName || "(anonymous)"}:${lineNumber + 1}`,
    ]),
  );
  const self = new Map<string, number>();
  let total = 0;
  samples.forEach((id, i) => {
    const name = nameOf.get(id) ?? "?";
    if (NOT_WORK.has(name)) return;
    // A sample's time is what passed until the next one.
    const ms = (timeDeltas[i + 1] ?? 0) / 1000;
    total += ms;
    self.set(name, (self.get(name) ?? 0) + ms);
  });
  return [...self]
    .map(([name, self_ms]) => ({ name, self_ms, share: self_ms / total }))
    .sort((a, b) => b.self_ms - a.self_ms);
}
