// The demo's HTTP client for the public API.

const STORED_WITHIN_MS = 10_000;

export interface DemoClient {
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  /** Like `get`, but waits for rows that a reply reported as queued. */
  stored<T>(path: string): Promise<T>;
}

/** Every method throws an Error with the reply's text if the status is an error. */
export function createDemoClient(base: string): DemoClient {
  return {
    get: async (path) => answered(await fetch(base + path)),
    async post(path, body) {
      const headers = { "content-type": "application/json" };
      return answered(await fetch(base + path, { method: "POST", headers, body: JSON.stringify(body) }));
    },
    async stored(path) {
      const until = performance.now() + STORED_WITHIN_MS;
      for (;;) {
        const response = await fetch(base + path);
        if (response.status !== 404 || performance.now() > until) return answered(response);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

export const secondsSince = (at: number) => `${((performance.now() - at) / 1000).toFixed(1)} s`;

async function answered<T>(response: Response): Promise<T> {
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
