// A Node process that only forwards: it sends the question it is given as often as asked, over kept
// connections; the answers are read and thrown away.
import { Agent, createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

const LANES = 256;

const agent = new Agent({ keepAlive: true, maxSockets: LANES });
const url = `${process.env.ENGINE_URL}/v1/chat/completions`;

function ask(body: string, length: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "content-length": length };
    const sent = httpRequest(url, { method: "POST", agent, headers }, (answer) => answer.on("end", resolve).resume());
    sent.on("error", reject);
    sent.end(body);
  });
}

const server = createServer(async (request, response) => {
  const { count, body } = JSON.parse(await text(request)) as { count: number; body: string };
  const length = Buffer.byteLength(body);
  let left = count;
  const lane = async () => {
    while (left-- > 0) await ask(body, length);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  response.end("ok");
});
server.listen(0, "127.0.0.1", () => console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.on("SIGTERM", () => process.exit(0));
