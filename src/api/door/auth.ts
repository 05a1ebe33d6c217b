// Authentication: reads the API key from a request, compares it with the configured keys, and returns the
// caller's scopes. Keys are never stored or logged.
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import type { Timers } from "../../ports/ports.ts";
import { readToken } from "./url-token.ts";

/**
 * Permissions of a key: to score rollouts, to read its own rows of the run log, to read the rows of all keys,
 * and to change specs that other keys use.
 */
export const SCOPES = ["score", "logs", "logs:all", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/** Scopes of a key configured without any: enough for a trainer, but not to change other keys' rewards. */
const SCOPES_DEFAULT: readonly Scope[] = ["score", "logs"];

/** A configured key. Keys with the same name belong to the same owner. */
export interface KeyDigest {
  name: string;
  digest: Uint8Array;
  /** Omitted: `SCOPES_DEFAULT`. */
  scopes?: readonly Scope[];
}

/** The authenticated caller. `name` is the name of its key; null if the deployment has no keys. */
export interface Caller {
  name: string | null;
  scopes: readonly Scope[];
}

const PATH_KEY = /^\/k\/([^/]+)(\/.*)?$/;
const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|.+\.localhost)$/i;
const LOOPBACK_ADDRESS = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/i;

/** The path without a leading `/k/<key>`, as used for routing. */
export function pathWithoutKey(pathname: string): string {
  const found = PATH_KEY.exec(pathname);
  return found === null ? pathname : (found[2] ?? "/");
}

/** Words of at least this length may be keys, so they are redacted from log lines and errors. */
export const KEY_CHARS_LEAST = 24;

/** Redacts possible keys from a path: long words, and any word that follows `k`. */
function withoutKeys(path: string): string {
  let behind = false;
  return path
    .split("/")
    .map((word) => {
      if (word === "") return word;
      const hidden = behind || word.length >= KEY_CHARS_LEAST;
      behind = word.toLowerCase() === "k";
      return hidden ? "…" : word;
    })
    .join("/");
}

/**
 * The path for a log line, truncated to logged_path_chars.
 * @param path without a leading `/k/<key>`
 * @param matched whether a route matches; if not, possible keys are redacted
 */
export function loggedPath(path: string, matched: boolean): string {
  return (matched ? path : withoutKeys(path)).slice(0, LIMITS.logged_path_chars);
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

/** Headers that contain a key without a scheme; `api-key` is used by Azure and Pinecone. */
const KEY_HEADERS = ["x-api-key", "api-key", "x-goog-api-key"];

/** Keys sent with the request, in order of precedence: Bearer, `KEY_HEADERS`, Basic password, path. */
function presentedKeys(request: Request): { key: string; inPath: boolean }[] {
  const inPath = PATH_KEY.exec(new URL(request.url).pathname)?.[1];
  const header = headerKey(request);
  return [
    ...(header === null ? [] : [{ key: header, inPath: false }]),
    ...(inPath === undefined ? [] : [{ key: percentDecoded(inPath), inPath: true }]),
    // Drops blank keys, such as an empty password, so that they never match a configured digest.
  ].filter(({ key }) => key.trim() !== "");
}

function headerKey(request: Request): string | null {
  const authorization = /^(\S+)\s+(\S+)\s*$/.exec(request.headers.get("authorization") ?? "");
  const scheme = authorization?.[1]?.toLowerCase();
  if (scheme === "bearer") return authorization?.[2] ?? null;
  const bare = KEY_HEADERS.map((name) => request.headers.get(name)).find((key) => key !== null && key !== "");
  if (bare !== undefined) return bare as string;
  return scheme === "basic" ? basicPassword(authorization?.[2] ?? "") : null;
}

/** Explains why no key was found, without quoting the header, which may contain a key. */
function missingKey({ headers }: Request): string {
  if ((headers.get("authorization") ?? "") === "") return "No key was sent.";
  return "The Authorization header has no readable key. Send `Bearer` and the key, or `Basic` and the base64 of a name, a colon and the key.";
}

function equalDigests(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= (a[i] as number) ^ (b[i] ?? 0);
  return difference === 0;
}

/** The matching configured key, or null. Compares all digests completely, in constant time. */
async function configuredKey(keys: readonly KeyDigest[], key: string): Promise<KeyDigest | null> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
  let found: KeyDigest | null = null;
  for (const candidate of keys) {
    if (equalDigests(candidate.digest, digest)) found = candidate;
  }
  return found;
}

/** The configuration for authenticating callers. */
interface KeyAccess {
  keys: readonly KeyDigest[];
  /** Upper bound on the scopes of a key sent in the path. Null: no bound. */
  path_scopes: readonly Scope[] | null;
  /** The secret that signs tokens. Null: tokens are disabled. */
  token_secret: Uint8Array | null;
  timers: Timers;
}

/**
 * The caller that a signed token stands for, with the scopes granted by both the token and its key. Null if
 * the token is invalid or expired, or its key is not configured.
 */
async function tokenCaller({ keys, token_secret, timers }: KeyAccess, token: string): Promise<Caller | null> {
  const claims = token_secret === null ? null : await readToken(token_secret, token, timers.now());
  const granted = keys.filter(({ name }) => name === claims?.name).flatMap(({ scopes = SCOPES_DEFAULT }) => scopes);
  if (claims === null || granted.length === 0) return null;
  return {
    name: claims.name,
    scopes: SCOPES.filter((scope) => granted.includes(scope) && claims.scopes.includes(scope)),
  };
}

async function callerBy(access: KeyAccess, key: string): Promise<Caller | null> {
  if (key.length > LIMITS.key_chars) return null;
  const known = await configuredKey(access.keys, key);
  if (known !== null) return { name: known.name, scopes: known.scopes ?? SCOPES_DEFAULT };
  return tokenCaller(access, key);
}

/** Whether a browser sent the request for another site. Older browsers send only Origin. */
function isCrossSite({ headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "cross-site";
  const origin = headers.get("origin");
  return origin !== null && !(URL.canParse(origin) && LOOPBACK_HOST.test(new URL(origin).hostname));
}

/** Headers in which proxies pass on the client's address. */
const FORWARDED = ["x-forwarded-for", "x-real-ip", "x-client-ip", "true-client-ip"];

/** Whether a proxy forwarded the request, possibly from another machine. */
function isForwarded({ headers }: Request): boolean {
  if (headers.has("via") || headers.has("cdn-loop")) return true;
  const named = FORWARDED.flatMap((name) => (headers.get(name) ?? "").split(","));
  const standard = [...(headers.get("forwarded") ?? "").matchAll(/\bfor\s*=\s*"?([^",;]*)/gi)].map(
    ([, node = ""]) => node,
  );
  return [...named, ...standard].some((text) => text.trim() !== "" && !isLoopbackNode(text.trim()));
}

/** Whether an address or host name is loopback; a port is ignored. */
function isLoopbackNode(node: string): boolean {
  const bare = node.replace(/^(\[.*\]|[^:]*):\d{1,5}$/, "$1");
  return LOOPBACK_ADDRESS.test(bare.replace(/^\[(.*)\]$/, "$1")) || LOOPBACK_HOST.test(bare);
}

/** Reasons to refuse a request if no keys are configured: the error's detail, and when keys are required. */
const NOT_LOOPBACK = [
  "API_KEYS is not set; without it, only requests to a loopback host are answered.",
  "required on hosts other than loopback",
] as const;
const FOREIGN_PAGE = [
  "The request comes from another site's page (Sec-Fetch-Site: cross-site). Without API_KEYS, only programs and pages on this machine are answered.",
  "required for requests from another site's page",
] as const;
const THROUGH_PROXY = [
  "The request comes through a proxy, which makes every client look local. Set API_KEYS, or send the request without the proxy.",
  "required behind a proxy",
] as const;

/** The reason to refuse a request if no keys are configured; null if the request is allowed. */
function refusalWithoutKeys(request: Request): typeof NOT_LOOPBACK | typeof FOREIGN_PAGE | typeof THROUGH_PROXY | null {
  if (!LOOPBACK_HOST.test(new URL(request.url).hostname)) return NOT_LOOPBACK;
  const client = clientAddress(request);
  if (client !== null && !LOOPBACK_ADDRESS.test(client)) return NOT_LOOPBACK;
  if (isForwarded(request)) return THROUGH_PROXY;
  return isCrossSite(request) ? FOREIGN_PAGE : null;
}

/** The client's address as reported by workerd or Cloudflare, which a client cannot forge; without port. */
function clientAddress(request: Request): string | null {
  const { clientIp } = (request as { cf?: { clientIp?: string } }).cf ?? {};
  return clientIp?.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1") ?? request.headers.get("cf-connecting-ip");
}

/**
 * Authenticates the caller. If no keys are configured, callers of a loopback host have no name and all
 * scopes.
 * @throws ApiError `unauthorized`; `not_configured` if no keys are configured and the host is not loopback
 */
export async function authenticate(request: Request, access: KeyAccess): Promise<Caller> {
  const { keys, path_scopes } = access;
  if (keys.length === 0) {
    const refusal = refusalWithoutKeys(request);
    if (refusal === null) return { name: null, scopes: SCOPES };
    const [detail, message] = refusal;
    throw new ApiError("not_configured", detail, { errors: [{ path: "API_KEYS", message }] });
  }
  const presented = presentedKeys(request);
  // SDKs always send a Bearer key, even a dummy one, so an unknown key in a header does not rule out a valid
  // one in the path.
  for (const { key, inPath } of presented) {
    const caller = await callerBy(access, key);
    if (caller === null) continue;
    if (!inPath || path_scopes === null) return caller;
    return { ...caller, scopes: caller.scopes.filter((scope) => path_scopes.includes(scope)) };
  }
  const detail = presented.length === 0 ? missingKey(request) : "The key is not valid for this deployment.";
  throw new ApiError(
    "unauthorized",
    `${detail} Send it as a Bearer token, as X-Api-Key, as the Basic password, or as /k/<key>/ in the path.`,
    {
      headers: { "www-authenticate": 'Bearer realm="kritai", Basic realm="kritai", charset="UTF-8"' },
    },
  );
}

/** Scopes that imply another scope: `logs:all` implies `logs`, and `admin` implies `logs:all`. */
const INSTEAD: { readonly [scope in Scope]?: Scope } = { logs: "logs:all", "logs:all": "admin" };

/** Throws ApiError `forbidden_scope`, naming the needed scope, if the caller lacks it. */
export function requireScope(caller: Caller, needed: Scope): void {
  const other = INSTEAD[needed];
  if (caller.scopes.includes(needed) || (other !== undefined && caller.scopes.includes(other))) return;
  const has = caller.scopes.join("+");
  throw new ApiError(
    "forbidden_scope",
    `This request needs a key with the scope "${needed}"; the key sent has ${has}. Scopes are set in API_KEYS, as name:digest:${has}+${needed}.`,
  );
}
