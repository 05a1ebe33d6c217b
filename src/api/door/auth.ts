// Authentication: reads the key from a request, compares it with the configured keys, and returns the
// caller's scopes. Never stores or logs a key.
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { readToken } from "./url-token.ts";

/**
 * Permissions of a key: score rollouts, read its own rows of the run log, read rows of all keys, change specs
 * that other keys use.
 */
export const SCOPES = ["score", "logs", "logs:all", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * Scopes of a key configured without scopes: enough for a trainer, but no right to change another key's
 * rewards.
 */
const SCOPES_DEFAULT: readonly Scope[] = ["score", "logs"];

/**
 * A configured key: its name in the log, its SHA-256 digest, and its scopes. Keys with the same name have the
 * same owner.
 */
export interface KeyDigest {
  name: string;
  digest: Uint8Array;
  /** Omitted: SCOPES_DEFAULT. */
  scopes?: readonly Scope[];
}

/** The caller: the name of its key (null if the deployment is open) and its scopes. */
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

/** Minimum length of a word that is treated as a possible key and redacted from log lines and errors. */
export const KEY_CHARS_LEAST = 24;

/** Redacts possible keys from a path: long words, and any word after `k`. */
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
 * A path for a log line, cut to logged_path_chars.
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

/**
 * Headers that hold a key without a scheme: X-Api-Key, Api-Key (Azure, Pinecone), X-Goog-Api-Key (Google).
 */
const KEY_HEADERS = ["x-api-key", "api-key", "x-goog-api-key"];

/**
 * Keys sent with the request, header first. Within the headers: Bearer, KEY_HEADERS, then the Basic password.
 */
function presentedKeys(request: Request): { key: string; inPath: boolean }[] {
  const inPath = PATH_KEY.exec(new URL(request.url).pathname)?.[1];
  const header = headerKey(request);
  return [
    ...(header === null ? [] : [{ key: header, inPath: false }]),
    ...(inPath === undefined ? [] : [{ key: percentDecoded(inPath), inPath: true }]),
    // Blank keys, such as an empty password, never match, whichever digests are configured.
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

/** Explains why no key was found. Never quotes the header, which may hold a key. */
function missingKey({ headers }: Request): string {
  if ((headers.get("authorization") ?? "") === "") return "No key was sent.";
  return "The Authorization header has no readable key. Send `Bearer` and the key, or `Basic` and the base64 of a name, a colon and the key.";
}

function equalDigests(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= (a[i] as number) ^ (b[i] ?? 0);
  return difference === 0;
}

/** The configured key that matches, or null. Always compares all digests in full (constant time). */
async function configuredKey(keys: readonly KeyDigest[], key: string): Promise<KeyDigest | null> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key)));
  let found: KeyDigest | null = null;
  for (const candidate of keys) {
    if (equalDigests(candidate.digest, digest)) found = candidate;
  }
  return found;
}

/** Configuration used to authenticate callers. */
interface KeyAccess {
  keys: readonly KeyDigest[];
  /** Upper bound on the scopes of a key sent in the path. Omitted: no bound. */
  path_scopes?: readonly Scope[] | undefined;
  /** The secret that signs tokens. Omitted: tokens are disabled. */
  token_secret?: Uint8Array | undefined;
}

/**
 * The caller of a signed token, with the scopes that both the token and its key grant. Null if the token is
 * invalid or expired, or if its key is not configured.
 */
async function tokenCaller({ keys, token_secret }: KeyAccess, token: string): Promise<Caller | null> {
  const claims = token_secret === undefined ? null : await readToken(token_secret, token, Date.now());
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

/**
 * Whether a browser sent the request on behalf of another site. Older browsers send Origin but not
 * Sec-Fetch-Site.
 */
function isCrossSite({ headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "cross-site";
  const origin = headers.get("origin");
  return origin !== null && !(URL.canParse(origin) && LOOPBACK_HOST.test(new URL(origin).hostname));
}

/** Headers in which a proxy passes on the client's address. */
const FORWARDED = ["x-forwarded-for", "x-real-ip", "x-client-ip", "true-client-ip"];

/** Whether a proxy forwarded the request for a client that may be on another machine. */
function isForwarded({ headers }: Request): boolean {
  if (headers.has("via") || headers.has("cdn-loop")) return true;
  const named = FORWARDED.flatMap((name) => (headers.get(name) ?? "").split(","));
  const standard = [...(headers.get("forwarded") ?? "").matchAll(/\bfor\s*=\s*"?([^",;]*)/gi)].map(
    ([, node = ""]) => node,
  );
  return [...named, ...standard].some((text) => text.trim() !== "" && !isLoopbackNode(text.trim()));
}

/** Whether an address (with or without a port) or host name is loopback. */
function isLoopbackNode(node: string): boolean {
  const bare = node.replace(/^(\[.*\]|[^:]*):\d{1,5}$/, "$1");
  return LOOPBACK_ADDRESS.test(bare.replace(/^\[(.*)\]$/, "$1")) || LOOPBACK_HOST.test(bare);
}

/** Reasons to refuse a request when no keys are configured: the detail, and when API_KEYS is required. */
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

/** The reason to refuse a request when no keys are configured; null if it is allowed. */
function refusalWithoutKeys(request: Request): typeof NOT_LOOPBACK | typeof FOREIGN_PAGE | typeof THROUGH_PROXY | null {
  if (!LOOPBACK_HOST.test(new URL(request.url).hostname)) return NOT_LOOPBACK;
  const client = clientAddress(request);
  if (client !== null && !LOOPBACK_ADDRESS.test(client)) return NOT_LOOPBACK;
  if (isForwarded(request)) return THROUGH_PROXY;
  return isCrossSite(request) ? FOREIGN_PAGE : null;
}

/** The client's address as set by workerd (without its port) or by Cloudflare; a client can forge neither. */
function clientAddress(request: Request): string | null {
  const { clientIp } = (request as { cf?: { clientIp?: string } }).cf ?? {};
  return clientIp?.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1") ?? request.headers.get("cf-connecting-ip");
}

/**
 * Authenticates the caller. In an open deployment on a loopback host, the caller has no name and all scopes.
 * Throws `unauthorized`, or `not_configured` if no key is configured and the host is not loopback.
 */
export async function authenticate(request: Request, access: KeyAccess): Promise<Caller> {
  const { keys, path_scopes = SCOPES } = access;
  if (keys.length === 0) {
    const refusal = refusalWithoutKeys(request);
    if (refusal === null) return { name: null, scopes: SCOPES };
    const [detail, message] = refusal;
    throw new ApiError("not_configured", detail, { errors: [{ path: "API_KEYS", message }] });
  }
  const presented = presentedKeys(request);
  // SDKs always send a Bearer, even a dummy: an unknown header key must not invalidate a key in the path.
  for (const { key, inPath } of presented) {
    const caller = await callerBy(access, key);
    if (caller === null) continue;
    return inPath ? { ...caller, scopes: caller.scopes.filter((scope) => path_scopes.includes(scope)) } : caller;
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

/** Throws `forbidden_scope` with the scope that is needed if the caller lacks it. */
export function requireScope(caller: Caller, needed: Scope): void {
  const other = INSTEAD[needed];
  if (caller.scopes.includes(needed) || (other !== undefined && caller.scopes.includes(other))) return;
  const has = caller.scopes.join("+");
  throw new ApiError(
    "forbidden_scope",
    `This request needs a key with the scope "${needed}"; the key sent has ${has}. Scopes are set in API_KEYS, as name:digest:${has}+${needed}.`,
  );
}
