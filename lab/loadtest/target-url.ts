// Decides whether a target's URL holds a key: URLs end up in reports, keys must not.

/**
 * The API also takes a key as the first part of a path (src/api/door/auth.ts), which is for tools
 * that can send no header.
 */
const PATH_KEY = /^\/k\/[^/]/;

/** Whether the URL carries a user, a password or a key in its path. */
export function carriesKey(url: string): boolean {
  const { username, password, pathname } = new URL(url);
  return username !== "" || password !== "" || PATH_KEY.test(pathname);
}
