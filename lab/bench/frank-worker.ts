// A floor for the edge: the shortest Worker that does the same work. It renders each pair, asks, reads the whole
// answer, finds its letter and counts wins; it checks, escapes, retries and logs nothing.

interface Batch {
  groups: { prompt: string; rollouts: { text: string }[] }[];
}

interface Chunk {
  choices: { delta: { content?: string | null } }[];
}

const FENCE = "```";
const SYSTEM = "You compare two programs that solve the same problem. End with \\boxed{A} or \\boxed{B}.";
const SETTINGS = { model: "bench", temperature: 0.6, top_p: 0.95, max_tokens: 16_384, stream: true };
/** The number of requests that the runtime lets wait for headers. */
const LANES = 6;

const codeOf = (text: string): string => text.slice(text.indexOf(FENCE), text.lastIndexOf(FENCE) + FENCE.length);

function letterOf(stream: string): string | undefined {
  let answer = "";
  for (const line of stream.split("\n")) {
    if (line.startsWith("data: {"))
      answer += (JSON.parse(line.slice("data: ".length)) as Chunk).choices[0]?.delta.content ?? "";
  }
  return /\\boxed\{([AB])\}/.exec(answer)?.[1];
}

function pairsOf({ groups }: Batch) {
  return groups.flatMap(({ prompt, rollouts }, group) => {
    const codes = rollouts.map(({ text }) => codeOf(text));
    return codes.flatMap((a, i) => codes.slice(i + 1).map((b, k) => ({ group, prompt, a, b, shown: [i, i + 1 + k] })));
  });
}

export default {
  async fetch(request: Request, { VERIFIER_URL }: { VERIFIER_URL: string }): Promise<Response> {
    const batch = (await request.json()) as Batch;
    const wins = batch.groups.map(({ rollouts }) => rollouts.map(() => 0));
    const pairs = pairsOf(batch);
    const lane = async () => {
      for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
        const content = `${pair.prompt}\n\nProgram A:\n${pair.a}\n\nProgram B:\n${pair.b}`;
        const messages = [
          { role: "system", content: SYSTEM },
          { role: "user", content },
        ];
        const body = JSON.stringify({ ...SETTINGS, seed: pairs.length, messages });
        const headers = { "content-type": "application/json" };
        const reply = await fetch(`${VERIFIER_URL}/v1/chat/completions`, { method: "POST", headers, body });
        const winner = pair.shown["AB".indexOf(letterOf(await reply.text()) as string)] as number;
        (wins[pair.group] as number[])[winner] = (wins[pair.group]?.[winner] ?? 0) + 1;
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return Response.json({ wins });
  },
};
