// Asks a served embedding model: POST /v1/embeddings as OpenAI has it.
import * as z from "zod";

/** Texts a request. */
const BATCH = 32;
const REQUEST_MS = 120_000;

const ReplySchema = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1) })),
});

export interface EmbeddingServer {
  /** The server's root: `/v1/embeddings` is asked of it. */
  url: string;
  model: string;
  api_key: string | null;
}

/**
 * A vector a text, in order, all of one length.
 * @throws Error with the server's own words, or what its answer lacks
 */
export async function embed(texts: readonly string[], server: EmbeddingServer): Promise<number[][]> {
  const vectors: number[][] = [];
  for (let from = 0; from < texts.length; from += BATCH)
    vectors.push(...(await embedBatch(texts.slice(from, from + BATCH), server)));
  const [first] = vectors;
  if (vectors.some((vector) => vector.length !== first?.length))
    throw new Error(`${server.url}/v1/embeddings answered with vectors of different lengths`);
  return vectors;
}

async function embedBatch(input: readonly string[], { url, model, api_key }: EmbeddingServer): Promise<number[][]> {
  const at = `${url.replace(/\/+$/, "")}/v1/embeddings`;
  const response = await fetch(at, {
    method: "POST",
    headers: { "content-type": "application/json", ...(api_key !== null && { authorization: `Bearer ${api_key}` }) },
    body: JSON.stringify({ model, input }),
    signal: AbortSignal.timeout(REQUEST_MS),
  });
  if (!response.ok) throw new Error(`${at} answered ${response.status}: ${(await response.text()).slice(0, 500)}`);
  const parsed = ReplySchema.safeParse(await response.json().catch(() => null));
  const byIndex = new Map(parsed.data?.data.map(({ index, embedding }) => [index, embedding]));
  return input.map((_, i) => {
    const vector = byIndex.get(i);
    if (vector === undefined) throw new Error(`${at} returned no embedding of text ${i}`);
    return vector;
  });
}
