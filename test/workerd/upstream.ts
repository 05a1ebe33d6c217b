// Defines what the workerd tests have in Node: the limit of workerd's heap, the static assets, and the fake
// verifier, an OpenAI-compatible server on a free loopback port.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { buildAssets } from "../../scripts/stack/assets.ts";
import { V8_FLAGS } from "../../scripts/stack/edge.ts";

/** The requests that the server has seen of the model `name`; asked for at /seen?model=name. */
export interface Seen {
  requests: number;
  open: number;
  open_max: number;
  /** Connections that the other side closed before the answer's end. */
  cut: number;
}

const seen = new Map<string, Seen>();

function seenOf(model: string): Seen {
  const known = seen.get(model) ?? { requests: 0, open: 0, open_max: 0, cut: 0 };
  seen.set(model, known);
  return known;
}

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

/**
 * Boxes the letter of the block that holds the word BETTER; models named `hang-…` send headers and
 * then nothing.
 */
async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const body = JSON.parse(Buffer.concat(pieces).toString()) as { model: string; messages: { content: string }[] };
  const known = seenOf(body.model);
  known.requests++;
  known.open_max = Math.max(known.open_max, ++known.open);
  response.on("close", () => {
    known.open--;
    if (!response.writableFinished) known.cut++;
  });
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (body.model.startsWith("hang-")) return void response.flushHeaders();
  const prompt = body.messages.map((m) => m.content).join("\n");
  const before = prompt.slice(0, prompt.indexOf("BETTER"));
  const letter = [...before.matchAll(/CANDIDATE_([A-Z])/g)].at(-1)?.[1] ?? "A";
  response.write(`: keep-alive\n\n${chunk({ role: "assistant", reasoning_content: "hm" })}`);
  response.write(chunk({ content: `\\boxed{${letter}}` }) + chunk({}, "stop"));
  response.end(
    `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } })}\n\ndata: [DONE]\n\n`,
  );
}

export default async function setup(project: TestProject) {
  await buildAssets();
  // This process starts the tests' workerd.
  process.env.MINIFLARE_WORKERD_V8_FLAGS = V8_FLAGS.join(" ");
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://upstream");
    if (url.pathname === "/v1/chat/completions") complete(request, response).catch(() => response.destroy());
    else if (url.pathname === "/seen") response.end(JSON.stringify(seenOf(url.searchParams.get("model") ?? "")));
    else response.end(JSON.stringify({ object: "list", data: [{ id: "fake" }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  project.provide("upstream_url", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return () => {
    server.closeAllConnections();
    server.close();
  };
}

declare module "vitest" {
  export interface ProvidedContext {
    upstream_url: string;
  }
}
