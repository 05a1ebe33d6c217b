// Defines what servers say of a question that is too long, each in its own words.

const error = (fields: Record<string, unknown>) => JSON.stringify({ error: fields });

/** Whose, with what status and body. */
export const TOO_LONG: readonly (readonly [string, number, string])[] = [
  ["OpenAI", 400, error({ message: "Too many tokens.", code: "context_length_exceeded" })],
  ["vLLM", 400, error({ message: "This model's maximum context length is 8192 tokens. However, you requested 9000." })],
  [
    "vLLM, input",
    400,
    error({ message: "The decoder prompt (length 88049) is longer than the maximum model length of 32768." }),
  ],
  [
    "vLLM, older",
    400,
    error({ message: "The prompt (total length 25938) is too long to fit into the model (context length 4096)." }),
  ],
  [
    "SGLang",
    400,
    '{"object":"error","message":"The input (61709 tokens) is longer than the model\'s context length (40960 tokens)."}',
  ],
  [
    "SGLang, with output",
    400,
    '{"message":"Requested token count exceeds the model\'s maximum context length of 4096 tokens."}',
  ],
  [
    "SGLang, pool",
    400,
    '{"message":"Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens)."}',
  ],
  [
    "llama.cpp",
    400,
    error({ type: "exceed_context_size_error", message: "the request exceeds the available context size" }),
  ],
  ["TGI", 422, '{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096."}'],
  [
    "TEI",
    413,
    '{"error":"Input validation error: `inputs` must have less than 512 tokens. Given: 600","error_type":"Validation"}',
  ],
  ["a proxy", 413, "<html>Request Entity Too Large</html>"],
  ["xAI", 400, '{"error":"This model\'s maximum prompt length is 131072 but the request contains 537812 tokens"}'],
  ["Groq", 400, error({ message: "Please reduce the length of the messages or completion." })],
];
