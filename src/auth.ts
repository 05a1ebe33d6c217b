// Owns who may call: how a key is presented, whether it is one of the configured ones, and what it may do. Knows no route; never stores or logs a key.
import { ApiError } from "./core/errors.ts";
import { LIMITS } from "./core/limits.ts";

/** What a key may be allowed: to have rollouts scored, to read the run log, to change what others are scored by. None implies another. */
export const SCOPES = ["score", "logs", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** What a key without scopes of its own may do: all that a trainer needs, and nothing that changes another's rewards. */
const SCOPES_DEFAULT: readonly Scope[] = ["score", "logs"];

/** One configured key: its name for the log, the SHA-256 of the key, and its scopes. Keys of one name are one owner. */
export interface KeyDigest {
  name: string;
  digest: Uint8Array;
  /** Absent: SCOPES_DEFAULT. */
  scopes?: readonly Scope[];
}

/** Who is calling: the key's name, null where the deployment is open, and what the caller may do. */
export interface Caller {
  name: string | null;
  scopes: readonly Scope[];
}

const PATH_KEY = /^\/k\/([^/]+)(\/.*)?$/;
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|.+\.localhost)$/i;
const LOOPBACK_ADDRESS = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/i;

/** The path a route sees: a leading `/k/<key>` is the caller's key and no part of it. */
export function pathWithoutKey(pathname: string): string {
  const found = PATH_KEY.exec(pathname);
  return found === null ? pathname : (found[2] ?? "/");
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function basicPassword(encoded: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(encoded), (c) => c.charCodeAt(0));
    const pair = new TextDecoder().decode(bytes);
    const colon = pair.indexOf(":");
    return colon < 0 ? null : pair.slice(colon + 1);
  } catch {
    return null;
  }
}

/** The key as presented: Bearer, X-Api-Key, Basic (its password), or the path, in this order; null when there is none. */
export function presentedKey(request: Request): string | null {
  const authorization = /^(\S+)\s+(\S+)\s*$/.exec(request.headers.get("authorization") ?? "");
  const scheme = authorization?.[1]?.toLowerCase();
  if (scheme === "bearer") return authorization?.[2] ?? null;
  const header = request.headers.get("x-api-key");
  if (header !== null && header !== "") return header;
  if (scheme === "basic") return basicPassword(authorization?.[2] ?? "");
  const inPath = PATH_KEY.exec(new URL(request.url).pathname)?.[1];
  return inPath === undefined ? null : percentDecoded(inPath);
}

function equalDigests(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= (a[i] as number) ^ (b[i] ?? 0);
  return difference === 0;
}

/** The configured key that `key` is, or null. Looks at every digest in full whatever matches. */
async function configuredKey(keys: readonly KeyDigest[], key: string): Promise<KeyDigest | null> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
  let found: KeyDigest | null = null;
  for (const candidate of keys) {
    if (equalDigests(candidate.digest, digest)) found = candidate;
  }
  return found;
}

/** Whether a browser sends it for a page of another site. */
const isCrossSite = (request: Request) => request.headers.get("sec-fetch-site") === "cross-site";

/** Without keys: why a request is refused, and when API_KEYS is required. */
const NOT_LOOPBACK = [
  "API_KEYS is not set; without it only requests on a loopback host are answered.",
  "required on a host that is not loopback",
] as const;
const FOREIGN_PAGE = [
  "The request comes from another site's page (Sec-Fetch-Site: cross-site). Without API_KEYS only this machine's own programs and pages are answered.",
  "required for requests from another site's page",
] as const;

/** Whether a request without keys configured may pass: asked of a loopback host, from there, by no foreign web page. */
export function isLoopback(request: Request): boolean {
  if (!LOOPBACK_HOST.test(new URL(request.url).hostname)) return false;
  if (isCrossSite(request)) return false;
  const client = request.headers.get("cf-connecting-ip");
  return client === null || LOOPBACK_ADDRESS.test(client);
}

/**
 * The caller. On a loopback host of an open deployment it has no name and every scope. Throws `unauthorized`, or `not_configured`
 * when no key is configured on a host that is not loopback.
 */
export async function authenticate(request: Request, keys: readonly KeyDigest[]): Promise<Caller> {
  if (keys.length === 0) {
    if (isLoopback(request)) return { name: null, scopes: SCOPES };
    const page = LOOPBACK_HOST.test(new URL(request.url).hostname) && isCrossSite(request);
    const [detail, message] = page ? FOREIGN_PAGE : NOT_LOOPBACK;
    throw new ApiError("not_configured", detail, { errors: [{ path: "API_KEYS", message }] });
  }
  const key = presentedKey(request);
  const known = key === null || key.length > LIMITS.key_chars ? null : await configuredKey(keys, key);
  if (known !== null) return { name: known.name, scopes: known.scopes ?? SCOPES_DEFAULT };
  const detail = key === null ? "No key was sent." : "The key is not one of this deployment's.";
  throw new ApiError(
    "unauthorized",
    `${detail} Send it as a Bearer token, as X-Api-Key, as the Basic password, or as /k/<key>/ in the path.`,
    {
      headers: { "www-authenticate": 'Bearer realm="kritai", Basic realm="kritai", charset="UTF-8"' },
    },
  );
}

/** Throws `forbidden_scope`, which names the scope that is needed, when the caller does not have it. */
export function requireScope(caller: Caller, needed: Scope): void {
  if (caller.scopes.includes(needed)) return;
  const has = caller.scopes.join("+");
  throw new ApiError(
    "forbidden_scope",
    `This needs a key with the scope "${needed}"; the key sent has ${has}. Scopes are given in API_KEYS, as name:digest:${has}+${needed}.`,
  );
}
