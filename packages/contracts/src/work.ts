/**
 * The work of a command or a request, by what it waits for. It decides which permits the work takes and how
 * its failure is answered:
 * - `read` needs this installation alone and changes nothing, so that it can be repeated after any failure;
 * - `write` needs this installation alone;
 * - `external` may wait for a bank's or a merchant's server.
 */
export type Work = "read" | "write" | "external";

/**
 * The most pieces of work under way at the same time. Work that needs this installation alone has permits of its own, so
 * that a bank which hangs leaves them free.
 */
export type Permits = { external: number; local: number };

/** The permits that a piece of work is counted in. */
export function permitsOf(work: Work): keyof Permits {
  return work === "external" ? "external" : "local";
}
