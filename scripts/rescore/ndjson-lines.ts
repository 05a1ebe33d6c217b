// Cuts a reply of NDJSON into its lines as they come, in a browser as in Node.

/** Each line's text, the last one also where no line feed ends it. */
export async function* linesOf({ body }: Response): AsyncGenerator<string> {
  // By its reader: not every browser can iterate over a stream.
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const lines = (rest + decoder.decode(read.value, { stream: true })).split("\n");
    rest = lines.pop() as string;
    yield* lines;
  }
  if (rest !== "") yield rest;
}
