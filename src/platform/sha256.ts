// SHA-256 with WebCrypto, which Workers and Node share.

const encoder = new TextEncoder();

/** SHA-256 of a string's UTF-8 bytes, as 64 hex digits. */
export const sha256Hex = (text: string): Promise<string> => sha256OfBytes(encoder.encode(text));

/** SHA-256 of bytes, as 64 hex digits. */
export async function sha256OfBytes(bytes: BufferSource): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  let hex = "";
  for (const byte of digest) hex += byte.toString(16).padStart(2, "0");
  return hex;
}
