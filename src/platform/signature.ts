// Signs requests to configured hosts according to Standard Webhooks.

const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

/**
 * `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.
 * Source: the Standard Webhooks specification, section "Signature scheme" (symmetric).
 */
export async function signature(secret: Uint8Array, id: string, timestamp_s: number, body: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", secret as Uint8Array<ArrayBuffer>, algorithm, false, ["sign"]);
  const signed = new TextEncoder().encode(`${id}.${timestamp_s}.${body}`);
  return `v1,${base64(new Uint8Array(await crypto.subtle.sign("HMAC", key, signed)))}`;
}

/**
 * The three headers of a signed message.
 * @param now ms since 1970
 */
export async function signedHeaders(
  secret: Uint8Array,
  { id, body }: { id: string; body: string },
  now: number,
): Promise<Record<string, string>> {
  const timestamp_s = Math.floor(now / 1000);
  return {
    "webhook-id": id,
    "webhook-timestamp": `${timestamp_s}`,
    "webhook-signature": await signature(secret, id, timestamp_s, body),
  };
}
