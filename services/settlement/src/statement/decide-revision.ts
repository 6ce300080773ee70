import type { StatementContent } from "./statement-queries.ts";

/** The last record of a statement: its latest revision (0 if there is none) and the digest of its content. */
export type LastRevision = { revision: number; digest: Buffer | null };

/**
 * Decides the result of a look at a statement, without any I/O: the number of its next revision where it is complete
 * with another content than before, and whether it awaits the bank. A statement that is incomplete otherwise is noted
 * when it changes.
 *
 * @param content undefined where no line counts, and none has before.
 */
export function decideRevision(
  { revision, digest }: LastRevision,
  content: Pick<StatementContent, "complete" | "is_awaited" | "digest"> | undefined,
): { awaits: boolean; revision?: number } {
  if (!content) return { awaits: false };
  if (!content.complete) return { awaits: content.is_awaited };
  if (digest?.equals(content.digest)) return { awaits: false };
  return { awaits: false, revision: revision + 1 };
}
