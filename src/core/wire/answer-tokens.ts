// Reads the tokens that came with a piece of an answer, in either of OpenAI's two formats.
type JsonRecord = Record<string, unknown>;

const isObject = (value: unknown): value is JsonRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the tokens in a chat's `logprobs`. Tokens of a raw completion are converted to the same format. */
export function tokensIn(logprobs: unknown): readonly unknown[] | null {
  if (!isObject(logprobs)) return null;
  const { content, tokens: texts, top_logprobs: tops } = logprobs;
  if (Array.isArray(content)) return content;
  if (!Array.isArray(texts)) return null;
  return texts.map((token: unknown, at) => {
    const top: unknown = Array.isArray(tops) ? tops[at] : null;
    const entries = isObject(top) ? Object.entries(top) : [];
    return { token, top_logprobs: entries.map(([text, logprob]) => ({ token: text, logprob })) };
  });
}
