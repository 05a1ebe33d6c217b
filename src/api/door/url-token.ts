// Signed tokens that stand for a key for a limited time, so that a URL in a trainer's output expires.
import { LIMITS } from "../../core/faults/limits.ts";

/** A token's claims: the name of its key, its scopes, and the time of expiry (ms since the epoch). */
interface TokenClaims {
  name: string;
  scopes: readonly string[];
  until: number;
}

const PREFIX = "kt1";
const FORM = /^kt1\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/;
const TEXT = /^([A-Za-z0-9._-]{1,64}) ([a-z:]+(?:\+[a-z:]+)*) (\d{13})$/;

const hmac = (secret: Uint8Array, use: "sign" | "verify") =>
  crypto.subtle.importKey("raw", secret as BufferSource, { name: "HMAC", hash: "SHA-256" }, false, [use]);

function base64url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={1,2}$/, "");
}

const bytesOf = (text: string) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));

const signed = (payload: string) => new TextEncoder().encode(`${PREFIX}.${payload}`);

/** Creates a token signed with HMAC-SHA-256. Throws RangeError for claims that a token cannot represent. */
export async function makeToken(secret: Uint8Array, { name, scopes, until }: TokenClaims): Promise<string> {
  const text = `${name} ${scopes.join("+")} ${until}`;
  if (!TEXT.test(text)) throw new RangeError("not a key's name, scopes and a time");
  const payload = base64url(new TextEncoder().encode(text));
  const signature = await crypto.subtle.sign("HMAC", await hmac(secret, "sign"), signed(payload));
  const token = `${PREFIX}.${payload}.${base64url(new Uint8Array(signature))}`;
  if (token.length > LIMITS.key_chars) throw new RangeError("too long");
  return token;
}

/**
 * The claims of a token; null if its signature is invalid or it has expired. The signature is compared in
 * constant time.
 */
export async function readToken(secret: Uint8Array, token: string, now: number): Promise<TokenClaims | null> {
  const [, payload = "", signature = ""] = FORM.exec(token) ?? [];
  if (payload === "") return null;
  try {
    const key = await hmac(secret, "verify");
    const valid = await crypto.subtle.verify("HMAC", key, bytesOf(signature), signed(payload));
    const [, name = "", scopes = "", until] = TEXT.exec(new TextDecoder().decode(bytesOf(payload))) ?? [];
    return valid && Number(until) > now ? { name, scopes: scopes.split("+"), until: Number(until) } : null;
  } catch {
    return null;
  }
}
