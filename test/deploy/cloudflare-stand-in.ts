// A stand-in for Cloudflare's interface, as far as wrangler asks it: the real wrangler is given its address,
// and its uploads run in workerd with the secrets that it set. Routes, fields and error codes are those of
// Cloudflare's published API reference and of wrangler's own source; the real interface was never reached.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type Edge, startEdge } from "../../scripts/stack/edge.ts";
import { openLocalQueues } from "../../scripts/stack/queue.ts";
import { QUEUES } from "../../scripts/stack/queue-worker.ts";
import type { WorkerModules } from "../../scripts/stack/worker-modules.ts";

export const ACCOUNT = { id: "a".repeat(32), name: "Somebody's account" };

interface Version {
  id: string;
  number: number;
  annotations: Record<string, string>;
  metadata: { created_on: string; author_email: string; source: string };
  script: WorkerModules;
  /** Variables and secrets by name. */
  texts: Record<string, { type: "plain_text" | "secret_text"; text: string }>;
}

interface Worker {
  versions: Version[];
  /** Id of the version that answers. */
  active: string;
  migration_tag: string | undefined;
}

/** The answer to a request in place of the truth: a refusal, or a connection that breaks. */
export type Fault = (method: string, path: string) => { status: number; code: number; message: string } | "cut" | null;

/** Cloudflare's answer to what is not there. */
class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const noWorker = () => new Refusal(404, 10007, "This Worker does not exist on your account.");

export class CloudflareStandIn {
  readonly accounts = [ACCOUNT];
  readonly workers = new Map<string, Worker>();
  /** By name, who consumes each. */
  readonly queues = new Map<string, { script: string }[]>();
  /** Requests that changed something, as `PUT /queues`. */
  readonly changes: string[] = [];
  fault: Fault = () => null;
  /** CLOUDFLARE_API_BASE_URL for wrangler. */
  api = "";
  /** Where the Worker of that name answers, in place of its address under workers.dev. */
  address = "";

  readonly #folder: string;
  readonly #vars: Record<string, string>;
  readonly #servers = [
    createServer((request, response) => void this.#answer(request, response)),
    createServer((request, response) => void this.#pass(request, response)),
  ];
  #edge: Promise<{ edge: Edge; close: () => Promise<void> }> | null = null;
  #ids = 0;

  /** @param vars further variables of the Worker, to find the stand-in for Neon */
  constructor(folder: string, vars: Record<string, string>) {
    this.#folder = folder;
    this.#vars = vars;
  }

  async listen(): Promise<this> {
    const [api, address] = await Promise.all(
      this.#servers.map(async (server) => {
        await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
        return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      }),
    );
    Object.assign(this, { api, address });
    return this;
  }

  /** The version of the Worker that answers. */
  active(name: string): Version | undefined {
    const worker = this.workers.get(name);
    return worker?.versions.find(({ id }) => id === worker.active);
  }

  async close(): Promise<void> {
    await this.#stopEdge();
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
  }

  async #stopEdge(): Promise<void> {
    const running = this.#edge;
    this.#edge = null;
    await (await running?.catch(() => null))?.close();
  }

  /** What is deployed runs from the first request on. */
  async #running(): Promise<Edge> {
    this.#edge ??= (async () => {
      const [name] = [...this.workers.keys()];
      const version = this.active(name ?? "");
      if (version === undefined) throw new Error("nothing is deployed");
      const texts = Object.entries(version.texts).map(([variable, { text }]) => [variable, text]);
      const queues = await openLocalQueues({ dataDir: this.#folder, queues: QUEUES });
      const edge = await startEdge({
        ...{ host: "127.0.0.1", port: 0, script: version.script, objectsDir: `${this.#folder}/objects`, queues },
        vars: { ...Object.fromEntries(texts), ...this.#vars },
        logged: () => {},
      });
      const close = async () => {
        await edge.close();
        await queues.close();
      };
      return { edge, close };
    })();
    return (await this.#edge).edge;
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const { url } = await this.#running();
      const { host, connection, ...headers } = request.headers as Record<string, string>;
      const body = request.method === "POST" ? await buffer(request) : undefined;
      const reply = await fetch(url + request.url, {
        method: request.method as string,
        headers,
        ...(body && { body }),
      });
      response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "text/plain" });
      response.end(Buffer.from(await reply.arrayBuffer()));
    } catch {
      response.writeHead(404).end("there is nothing here yet");
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method as string;
    const url = new URL(request.url as string, "http://api");
    const path = url.pathname.replace(/^\/accounts\/[^/]+\//, "/");
    try {
      const fault = this.fault(method, path);
      if (fault === "cut") return void request.socket.destroy();
      if (fault !== null) throw new Refusal(fault.status, fault.code, fault.message);
      const body = await buffer(request);
      const { "content-type": type = "" } = request.headers;
      const form = type.startsWith("multipart/")
        ? await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData()
        : null;
      const json = form === null && body.length > 0 ? JSON.parse(body.toString()) : {};
      const result = await this.#route({ method, path, query: url.searchParams, form, json });
      if (method !== "GET") this.changes.push(`${method} ${path}`);
      const result_info = { page: 1, per_page: 100, count: 1, total_count: 1, total_pages: 1 };
      response.end(JSON.stringify({ success: true, errors: [], messages: [], result, result_info }));
    } catch (error) {
      const { status = 500, code = 10000, message } = error as Partial<Refusal>;
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify({ success: false, errors: [{ code, message }], messages: [], result: null }));
    }
  }

  async #route(asked: Asked): Promise<unknown> {
    for (const [route, answer] of ROUTES) {
      const [method, pattern = ""] = route.split(" ");
      const match = method === asked.method && new RegExp(`^${pattern}$`).exec(asked.path);
      if (match) return answer(this, match.groups ?? {}, asked);
    }
    throw new Refusal(404, 7003, `Could not route to ${asked.method} ${asked.path}`);
  }

  worker(name = ""): Worker {
    const worker = this.workers.get(name);
    if (worker === undefined) throw noWorker();
    return worker;
  }

  /** A new version, which answers from now on: all that is not given is as in the one before. */
  async push(name: string, given: Partial<Pick<Version, "script" | "texts" | "annotations">>): Promise<Version> {
    const worker = this.workers.get(name) ?? { versions: [], active: "", migration_tag: undefined };
    const before = worker.versions.find(({ id }) => id === worker.active);
    this.#ids += 1;
    const version = {
      id: `00000000-0000-4000-8000-${String(this.#ids).padStart(12, "0")}`,
      number: worker.versions.length + 1,
      annotations: given.annotations ?? { "workers/triggered_by": "secret" },
      metadata: {
        created_on: new Date(1_790_000_000_000 + this.#ids * 1_000).toISOString(),
        author_email: "somebody@example.com",
        source: "wrangler",
      },
      script: given.script ?? before?.script ?? {},
      texts: given.texts ?? before?.texts ?? {},
    };
    worker.versions.push(version);
    this.workers.set(name, worker);
    await this.activate(worker, version.id);
    return version;
  }

  async activate(worker: Worker, id: string): Promise<void> {
    worker.active = id;
    await this.#stopEdge();
  }
}

interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  form: FormData | null;
  json: Record<string, unknown>;
}

type Answer = (cloud: CloudflareStandIn, named: Record<string, string>, asked: Asked) => unknown;

/** Takes an upload as wrangler sends it: metadata, modules, and what it inherits. */
const upload: Answer = async (cloud, { name = "" }, { form }) => {
  const metadata = JSON.parse(String(form?.get("metadata")));
  const sent = [...(form?.values() ?? [])].filter((part) => part instanceof File);
  const modules = sent.filter(({ type }) => type === "application/javascript+module");
  const script = Object.fromEntries(await Promise.all(modules.map(async (file) => [file.name, await file.text()])));
  const before = cloud.active(name)?.texts ?? {};
  const given = (metadata.bindings as { name: string; type: string; text?: string }[]).flatMap(
    (binding) => (binding.text === undefined ? [] : [[binding.name, binding]]) as [string, Version["texts"][string]][],
  );
  const kept = (metadata.keep_bindings ?? []) as string[];
  const texts = Object.entries(before).filter(([, { type }]) => kept.includes(type));
  const version = await cloud.push(name, {
    script,
    texts: Object.fromEntries([...texts, ...given]),
    annotations: metadata.annotations ?? {},
  });
  if (metadata.migrations) cloud.worker(name).migration_tag = metadata.migrations.new_tag;
  const id = version.id.replaceAll("-", "");
  return { id: name, tag: name, etag: id, deployment_id: id, startup_time_ms: 20 };
};

/** For an upload that is not deployed yet: the same in another form. */
const uploadVersion: Answer = async (cloud, named, asked) => {
  await upload(cloud, named, asked);
  const { id } = cloud.active(named.name as string) as Version;
  return { id, startup_time_ms: 20, resources: { script: { etag: id } } };
};

const shown = ({ id, number, annotations, metadata }: Version) => ({ id, number, annotations, metadata });
const SCRIPT = "/workers/scripts/(?<name>[^/]+)";

const ROUTES: readonly (readonly [route: string, Answer])[] = [
  ["GET /user/tokens/verify", () => ({ id: "token", status: "active" })],
  ["GET /user", () => ({ id: "user", email: "somebody@example.com" })],
  ["GET /accounts", ({ accounts }) => accounts],
  ["GET /memberships", ({ accounts }) => accounts.map((account) => ({ id: account.id, account }))],
  ["GET /workers/subdomain", () => ({ subdomain: "somebody" })],
  [
    "GET /workers/services/(?<name>[^/]+)",
    (cloud, { name = "" }) => {
      if (!cloud.workers.has(name)) throw new Refusal(404, 10090, "workers.api.error.service_not_found");
      const script = { id: name, tag: name, tags: [], last_deployed_from: "wrangler" };
      return { id: name, default_environment: { environment: "production", script } };
    },
  ],
  [
    "DELETE /workers/services/(?<name>[^/]+)",
    async (cloud, { name = "" }) => {
      const consumed = [...cloud.queues].find(([, consumers]) => consumers.some(({ script }) => script === name));
      if (consumed) throw new Refusal(409, 10064, `Worker ${name} is a consumer of the queue ${consumed[0]}.`);
      await cloud.activate(cloud.worker(name), "");
      cloud.workers.delete(name);
    },
  ],
  ["GET /workers/scripts", (c) => [...c.workers].map(([id, { migration_tag }]) => ({ id, migration_tag }))],
  [`PUT ${SCRIPT}`, upload],
  [`POST ${SCRIPT}/versions`, uploadVersion],
  [`POST ${SCRIPT}/assets-upload-session`, () => ({ jwt: "all-there", buckets: [] })],
  [`PATCH ${SCRIPT}/script-settings`, () => ({})],
  [`GET ${SCRIPT}/script-settings`, () => ({ tags: [] })],
  ["GET /workers/workers/(?<name>[^/]+)", (_, { name }) => ({ id: name, name, subdomain: { enabled: true } })],
  [`PATCH /workers/workers/(?<name>[^/]+)`, (_, { name }) => ({ id: name, name, subdomain: { enabled: true } })],
  ["GET /storage/kv/namespaces", () => []],
  [`PUT ${SCRIPT}/schedules`, () => ({ schedules: [] })],
  [`GET ${SCRIPT}/subdomain`, () => ({ enabled: true, previews_enabled: false })],
  [`POST ${SCRIPT}/subdomain`, () => ({ enabled: true, previews_enabled: false })],
  [
    `GET ${SCRIPT}/versions`,
    (c, { name }) => ({ items: c.worker(name).versions.toReversed().slice(0, 10).map(shown) }),
  ],
  [
    `GET ${SCRIPT}/versions/(?<id>[^/]+)`,
    (c, { name, id }) => {
      const version = c.worker(name).versions.find((known) => known.id === id);
      if (version === undefined) throw new Refusal(404, 10013, "This version does not exist.");
      return { ...shown(version), resources: { bindings: [], script: { handlers: ["fetch"] }, script_runtime: {} } };
    },
  ],
  [
    `GET ${SCRIPT}/deployments`,
    (c, { name }) => {
      const { active } = c.worker(name);
      const created_on = new Date(1_790_000_000_000).toISOString();
      const versions = [{ version_id: active, percentage: 100 }];
      return {
        deployments: [
          {
            id: active,
            source: "wrangler",
            strategy: "percentage",
            author_email: "",
            created_on,
            versions,
            annotations: {},
          },
        ],
      };
    },
  ],
  [
    `POST ${SCRIPT}/deployments`,
    async (c, { name }, { json }) => {
      const [{ version_id }] = json.versions as [{ version_id: string }];
      await c.activate(c.worker(name), version_id);
      return { id: version_id };
    },
  ],
  [
    `GET ${SCRIPT}/secrets`,
    (c, { name = "" }) => {
      c.worker(name);
      const texts = Object.entries(c.active(name)?.texts ?? {});
      return texts
        .filter(([, { type }]) => type === "secret_text")
        .map(([secret, { type }]) => ({ name: secret, type }));
    },
  ],
  [
    `PATCH ${SCRIPT}/secrets-bulk`,
    async (c, { name = "" }, { json }) => {
      c.worker(name);
      const given = json.secrets as Version["texts"];
      await c.push(name, { texts: { ...c.active(name)?.texts, ...given } });
      return {};
    },
  ],
  [
    "GET /queues",
    (c, _, { query }) =>
      [...c.queues]
        .filter(([name]) => (query.get("name") ?? name) === name)
        .map(([queue_name, consumers]) => ({
          queue_id: queue_name,
          queue_name,
          producers: [],
          producers_total_count: 0,
          consumers_total_count: consumers.length,
          consumers: consumers.map((consumer) => ({ ...consumer, type: "worker", consumer_id: consumer.script })),
        })),
  ],
  [
    "POST /queues",
    (c, _, { json }) => {
      const name = String(json.queue_name);
      if (c.queues.has(name)) throw new Refusal(409, 11009, `Queue name '${name}' is already taken.`);
      c.queues.set(name, []);
      return { queue_id: name, queue_name: name };
    },
  ],
  ["PUT /queues/[^/]+/consumers/[^/]+", () => ({})],
  [
    "DELETE /queues/(?<queue>[^/]+)/consumers/(?<script>[^/]+)",
    (c, { queue = "", script }) => {
      c.queues.set(queue, c.queues.get(queue)?.filter((consumer) => consumer.script !== script) ?? []);
    },
  ],
  ["DELETE /queues/(?<queue>[^/]+)", (c, { queue = "" }) => void c.queues.delete(queue)],
  [
    "POST /queues/(?<queue>[^/]+)/consumers",
    (c, { queue = "" }, { json }) => {
      c.queues.get(queue)?.push({ script: String(json.script_name) });
      return {};
    },
  ],
];
