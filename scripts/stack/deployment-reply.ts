// Asks a running deployment from a command: one request, its JSON or a fault in words.

export interface Deployment {
  /** Its address, like https://kritai.example. */
  target: string;
  /** Empty: none is sent. */
  key: string;
}

/**
 * The JSON that a route answers.
 * @param body sent as JSON where given
 * @throws Error that names the address which cannot be reached, or the path and the refusal
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
    throw new Error(`${target} cannot be reached: ${code ?? message}`);
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
