// Sends one request from a command to a running deployment, and returns its JSON or throws a readable error.

export interface Deployment {
  /** The deployment's URL, like https://kritai.example. */
  target: string;
  /** The API key; empty: no key is sent. */
  key: string;
}

/**
 * The JSON of a route's reply.
 * @param body sent as JSON, if given
 * @throws Error that names the unreachable URL, or the path and the error reply
 */
export async function deploymentReply<T>(
  { target, key }: Deployment,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const headers = {
    ...(key !== "" && { authorization: `Bearer ${key}` }),
    ...(body && { "content-type": "application/json" }),
  };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const response = await fetch(`${target.replace(/\/+$/, "")}${path}`, init).catch((error: Error) => {
    const { code, message = error.message } = (error.cause ?? {}) as { code?: string; message?: string };
    throw new Error(`cannot reach ${target}: ${code ?? message}`);
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
