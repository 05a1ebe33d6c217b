// The backends the benchmark calls, as a separate process: an OpenAI-compatible server that answers at once,
// a gateway whose verdicts come one by one, and a /sql stub.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const delta = (part: object, finish_reason: string | null = null) =>
  event({
    id: "c1",
    object: "chat.completion.chunk",
    model: "bench",
    choices: [{ index: 0, delta: part, finish_reason }],
  });

const answerOf = (letter: string) =>
  Buffer.from(
    [
      delta({ role: "assistant", content: "" }),
      delta({ content: `\\boxed{${letter}}` }),
      delta({}, "stop"),
      event({
        id: "c1",
        object: "chat.completion.chunk",
        choices: [],
        usage: { prompt_tokens: 900, completion_tokens: 8 },
      }),
      "data: [DONE]\n\n",
    ].join(""),
  );

const ANSWERS = ["A", "B"].map(answerOf);

const THINKING_TOKENS = 2_200;
/** Some five characters each, and no loop, which the gateway would cut. */
const THOUGHTS = Array.from({ length: THINKING_TOKENS }, (_, i) => ` ${((i * 7_919) % 46_649).toString(36)}`);

/** An answer of THINKING_TOKENS as a stream. @param tokens per event */
function thinkingOf(tokens: number): Buffer {
  const events = [delta({ role: "assistant", content: "" })];
  for (let sent = 0; sent < THINKING_TOKENS; sent += tokens) {
    const thought = THOUGHTS.slice(sent, sent + tokens).join("");
    events.push(delta({ reasoning_content: thought, content: null }));
  }
  const usage = { prompt_tokens: 900, completion_tokens: THINKING_TOKENS };
  events.push(delta({ content: "\\boxed{A}" }), delta({}, "stop"), event({ id: "c1", choices: [], usage }));
  return Buffer.from(`${events.join("")}data: [DONE]\n\n`);
}

/** By tokens an event, made once. */
const thinking = new Map<number, Buffer>();

/** The same answer as one document. */
const THINKING_WHOLE = Buffer.from(
  JSON.stringify({
    ...{ id: "c1", object: "chat.completion", model: "bench" },
    choices: [
      {
        ...{ index: 0, finish_reason: "stop" },
        message: { role: "assistant", reasoning_content: THOUGHTS.join(""), content: "\\boxed{A}" },
      },
    ],
    usage: { prompt_tokens: 900, completion_tokens: THINKING_TOKENS },
  }),
);
const STREAM = { "content-type": "text/event-stream" };
const JSON_TYPE = { "content-type": "application/json" };

let questions = 0;
/** The latest that was kept. */
let question = "";
let statements = 0;
let connections = 0;
const sockets = new Set<Socket>();
let closedBytes = 0;

/** Bytes received over all connections so far, headers included. */
const bytesIn = () => [...sockets].reduce((sum, { bytesRead }) => sum + bytesRead, closedBytes);

interface Asked {
  groups: { group_id: string; comparisons: { id: number; samples?: number; first_sample?: number }[] }[];
}

/**
 * One verdict a turn of the event loop, each a separate chunk: as those of a thinking model come, seldom two
 * at once.
 */
async function verify(body: string, response: ServerResponse): Promise<void> {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const send = (value: object) => response.write(`${JSON.stringify(value)}\n`);
  const cost = { prompt_tokens: 900, completion_tokens: 8, queue_ms: 1.5, first_token_ms: 20.1, total_ms: 4321.5 };
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  send({ type: "accepted", request_id: "bench", generations: 0, queue_depth: 0 });
  let generations = 0;
  for (const { group_id, comparisons } of (JSON.parse(body) as Asked).groups) {
    for (const { id, samples = 1, first_sample = 0 } of comparisons) {
      for (let sample = first_sample; sample < first_sample + samples; sample++) {
        const answer = `\\boxed{${"AB"[questions++ % 2]}}`;
        const said = { answer, thinking: "closed", finish_reason: "stop" };
        send({ type: "verdict", group_id, comparison: id, sample, ...said, ...cost });
        generations++;
        await turn();
      }
    }
  }
  const usage = { generations, saved: 0, failed: 0, prompt_tokens: 0, completion_tokens: 0, in_flight_max: 1 };
  response.end(`${JSON.stringify({ type: "done", usage })}\n`);
}

function chat(response: ServerResponse): void {
  const answer = ANSWERS[questions++ % ANSWERS.length] as Buffer;
  // Chunked and without a length, as engines stream; corked, so that all leaves in one packet.
  response.socket?.cork();
  response.writeHead(200, STREAM);
  response.write(answer);
  response.end();
  response.socket?.uncork();
}

/** An answer after long thought. Its events leave as fast as the connection takes them. */
function think(tokens: number, body: string, response: ServerResponse): void {
  if (body.includes('"stream":false')) {
    response.writeHead(200, { ...JSON_TYPE, "content-length": THINKING_WHOLE.length });
    response.end(THINKING_WHOLE);
    return;
  }
  const answer = thinking.get(tokens) ?? thinkingOf(tokens);
  thinking.set(tokens, answer);
  response.writeHead(200, STREAM);
  response.end(answer);
}

/** A decision model's reply: the first option of each question, and the state's check word. */
function decisions(body: string, response: ServerResponse): void {
  const { state, questions } = JSON.parse(body) as { state: string; questions: Record<string, { criteria: object }> };
  const word = /\nCHECK WORD: (\w+)/.exec(state)?.[1];
  const answers = Object.entries(questions).map(([id, { criteria }]) => {
    const names = Object.keys(criteria);
    const chosen = names.find((name) => name === word) ?? names[0];
    const share = (name: string) => (name === chosen ? 0.9 : 0.1 / (names.length - 1));
    const probabilities = Object.fromEntries(names.map((name) => [name, share(name)]));
    return [id, { type: "choice", choice: chosen, probabilities, confidence: 0.8 }];
  });
  const usage = { input_tokens: Math.ceil(state.length / 4), output_tokens: 0 };
  response.writeHead(200, JSON_TYPE);
  response.end(JSON.stringify({ model: "bench", answers: Object.fromEntries(answers), usage }));
}

/** The answer of Neon's endpoint to statements that return no row: one result each for a transaction. */
function sql(body: string, response: ServerResponse): void {
  const { queries } = JSON.parse(body) as { queries?: unknown[] };
  statements += queries?.length ?? 1;
  const empty = { command: "INSERT", rowCount: 0, rows: [], fields: [], rowAsArray: true };
  response.writeHead(200, JSON_TYPE);
  response.end(JSON.stringify(queries === undefined ? empty : { results: queries.map(() => empty) }));
}

/** The number in `/thinking-<tokens>/..`. */
const tokensAnEvent = (url = ""): number | null => {
  const named = /^\/thinking-(\d+)\//.exec(url)?.[1];
  return named === undefined ? null : Number(named);
};

function route(request: IncomingMessage, body: string, response: ServerResponse): void {
  const tokens = tokensAnEvent(request.url);
  if (request.url?.endsWith("/chat/completions")) {
    if (body !== "") question = body;
    if (tokens === null) chat(response);
    else think(tokens, body, response);
  } else if (request.url === "/question") response.end(question);
  else if (request.url === "/v1/verify") void verify(body, response);
  else if (request.url === "/sql") sql(body, response);
  else if (request.url === "/v1/systemone") decisions(body, response);
  else {
    const counts = { questions, statements, connections, bytes: bytesIn() };
    const models = { object: "list", data: [{ id: "bench", object: "model" }] };
    response.writeHead(200, JSON_TYPE);
    response.end(JSON.stringify(request.url === "/counts" ? counts : models));
  }
}

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  const known = request.socket as Socket & { asked?: boolean };
  const read = ["/sql", "/v1/verify", "/v1/systemone"].includes(request.url ?? "");
  const keepsBody = read || known.asked !== true || tokensAnEvent(request.url) !== null;
  known.asked = true;
  request.on("data", (chunk: Buffer) => {
    if (keepsBody) parts.push(chunk);
  });
  request.on("end", () => route(request, Buffer.concat(parts).toString("utf8"), response));
});

server.on("connection", (socket) => {
  connections++;
  sockets.add(socket);
  socket.on("close", () => {
    sockets.delete(socket);
    closedBytes += socket.bytesRead;
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
// The benchmark's end is this one's, however it came.
process.on("disconnect", () => process.exit(0));
