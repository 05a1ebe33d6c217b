// Decides who may call: how a key is presented, whether it is one of the configured ones, and what it may do.
// Never stores or logs a key.
import { ApiError } from "../../core/faults/errors.ts";
import { LIMITS } from "../../core/faults/limits.ts";
import { readToken } from "./url-token.ts";

/**
 * Permissions of a key: scoring rollouts, reading its rows of the run log, reading everybody's, changing
 * specs that others are scored by.
 */
export const SCOPES = ["score", "logs", "logs:all", "admin"] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * The scopes of a key that names none: all that a trainer needs, and nothing that changes another key's
 * rewards.
 */
const SCOPES_DEFAULT: readonly Scope[] = ["score", "logs"];

/**
 * One configured key: its name for the log, the SHA-256 of the key, and its scopes. Keys of one
 * name are one owner.
 */
export interface KeyDigest {
  name: string;
  digest: Uint8Array;
  /** Absent: SCOPES_DEFAULT. */
  scopes?: readonly Scope[];
}

/**
 * Who is calling: the key's name, null where the deployment is open, and what the caller may do.
 */
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

/** A word of at least this many characters may be a key, in a path that no route has or in a fault. */
export const KEY_CHARS_LEAST = 24;

/** A path without its words that may be a key: long ones, and whatever follows a `k`. */
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
 * A path as a log line may hold it, cut to logged_path_chars.
 * @param path without its key, if it had one
 * @param matched whether a route has it; in any other, words that may be a key are left out
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

/** Headers that hold a key bare: X-Api-Key, Azure's and Pinecone's Api-Key, Google's. */
const KEY_HEADERS = ["x-api-key", "api-key", "x-goog-api-key"];

/** Keys as presented, by where: Bearer, KEY_HEADERS, Basic (its password), then the path. */
function presentedKeys(request: Request): { key: string; inPath: boolean }[] {
  const inPath = PATH_KEY.exec(new URL(request.url).pathname)?.[1];
  const header = headerKey(request);
  return [
    ...(header === null ? [] : [{ key: header, inPath: false }]),
    ...(inPath === undefined ? [] : [{ key: percentDecoded(inPath), inPath: true }]),
    // Blank keys, such as an empty password, never match, whatever digests are configured.
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

/** The reason why no key was found. It never quotes the header, which may hold a key. */
function missingKey({ headers }: Request): string {
  if ((headers.get("authorization") ?? "") === "") return "No key was sent.";
  return "The Authorization header holds no key that can be read: it must be Bearer and the key, or Basic and the base64 of a name, a colon and the key.";
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

/** The means by which callers are recognised. */
interface KeyAccess {
  keys: readonly KeyDigest[];
  /** The most that a key in the path may do; absent: all that it may. */
  path_scopes?: readonly Scope[] | undefined;
  /** The secret that signs tokens; absent: the deployment has no tokens. */
  token_secret?: Uint8Array | undefined;
}

/**
 * Who the token plays, with what it may do of what that key may; null for none of this
 * deployment's, or one that has run out.
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

/** Whether a browser sends it for a page of another site; older ones say so by Origin alone. */
function isCrossSite({ headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "cross-site";
  const origin = headers.get("origin");
  return origin !== null && !(URL.canParse(origin) && LOOPBACK_HOST.test(new URL(origin).hostname));
}

/** Headers in which a proxy names its client. */
const FORWARDED = ["x-forwarded-for", "x-real-ip", "x-client-ip", "true-client-ip"];

/** Whether a proxy passes the request on for somebody who may be elsewhere. */
function isForwarded({ headers }: Request): boolean {
  if (headers.has("via") || headers.has("cdn-loop")) return true;
  const named = FORWARDED.flatMap((name) => (headers.get(name) ?? "").split(","));
  const standard = [...(headers.get("forwarded") ?? "").matchAll(/\bfor\s*=\s*"?([^",;]*)/gi)].map(
    ([, node = ""]) => node,
  );
  return [...named, ...standard].some((text) => text.trim() !== "" && !isLoopbackNode(text.trim()));
}

/** Whether an address, with a port or without, or a name is this machine's. */
function isLoopbackNode(node: string): boolean {
  const bare = node.replace(/^(\[.*\]|[^:]*):\d{1,5}$/, "$1");
  return LOOPBACK_ADDRESS.test(bare.replace(/^\[(.*)\]$/, "$1")) || LOOPBACK_HOST.test(bare);
}

/** Without keys: why a request is refused, and when API_KEYS is required. */
const NOT_LOOPBACK = [
  "API_KEYS is not set; without it only requests on a loopback host are answered.",
  "required on a host that is not loopback",
] as const;
const FOREIGN_PAGE = [
  "The request comes from another site's page (Sec-Fetch-Site: cross-site). Without API_KEYS only this machine's own programs and pages are answered.",
  "required for requests from another site's page",
] as const;
const THROUGH_PROXY = [
  "The request comes through a proxy, behind which every client seems to be this machine. Set API_KEYS, or ask without the proxy.",
  "required behind a proxy",
] as const;

/** Why a request without keys configured may not pass; null where it may. */
function refusalWithoutKeys(request: Request): typeof NOT_LOOPBACK | typeof FOREIGN_PAGE | typeof THROUGH_PROXY | null {
  if (!LOOPBACK_HOST.test(new URL(request.url).hostname)) return NOT_LOOPBACK;
  const client = clientAddress(request);
  if (client !== null && !LOOPBACK_ADDRESS.test(client)) return NOT_LOOPBACK;
  if (isForwarded(request)) return THROUGH_PROXY;
  return isCrossSite(request) ? FOREIGN_PAGE : null;
}

/** As workerd by itself says it, with a port, or Cloudflare's network; a client can send neither. */
function clientAddress(request: Request): string | null {
  const { clientIp } = (request as { cf?: { clientIp?: string } }).cf ?? {};
  return clientIp?.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1") ?? request.headers.get("cf-connecting-ip");
}

/**
 * The caller. On a loopback host of an open deployment it has no name and every scope. Throws
 * `unauthorized`, or `not_configured` when no key is configured on a host that is not loopback.
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
  // SDKs always send a Bearer, if only a dummy: an unknown one does not spoil a key in the path.
  for (const { key, inPath } of presented) {
    const caller = await callerBy(access, key);
    if (caller === null) continue;
    return inPath ? { ...caller, scopes: caller.scopes.filter((scope) => path_scopes.includes(scope)) } : caller;
  }
  const detail = presented.length === 0 ? missingKey(request) : "The key is not one of this deployment's.";
  throw new ApiError(
    "unauthorized",
    `${detail} Send it as a Bearer token, as X-Api-Key, as the Basic password, or as /k/<key>/ in the path.`,
    {
      headers: { "www-authenticate": 'Bearer realm="kritai", Basic realm="kritai", charset="UTF-8"' },
    },
  );
}

/**
 * What does instead of a scope: who reads everybody's rows reads its own, and who acts on all may
 * count all.
 */
const INSTEAD: { readonly [scope in Scope]?: Scope } = { logs: "logs:all", "logs:all": "admin" };

/**
 * Throws `forbidden_scope`, which names the scope that is needed, when the caller does not have it.
 */
export function requireScope(caller: Caller, needed: Scope): void {
  const other = INSTEAD[needed];
  if (caller.scopes.includes(needed) || (other !== undefined && caller.scopes.includes(other))) return;
  const has = caller.scopes.join("+");
  throw new ApiError(
    "forbidden_scope",
    `This needs a key with the scope "${needed}"; the key sent has ${has}. Scopes are given in API_KEYS, as name:digest:${has}+${needed}.`,
  );
}
