// Owns what a DATABASE_URL says of its database.

const NEON_HOST = /\.neon\.(?:tech|build)$/;

/**
 * Whether the database is Neon's, which is spoken to by HTTP. Throws for what is no Postgres URL.
 */
export function isNeon(databaseUrl: string): boolean {
  if (!/^postgres(?:ql)?:\/\//.test(databaseUrl) || !URL.canParse(databaseUrl)) {
    throw new Error("DATABASE_URL must be a postgres:// URL");
  }
  return NEON_HOST.test(new URL(databaseUrl).hostname);
}
