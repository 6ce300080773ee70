import type { StatementContent } from "./statement-queries.ts";

/** The last record of a statement: its latest revision (0 if there is none) and the digest of its content. */
export type LastRevision = { revision: number; digest: Buffer | null };

/**
 * Decides the result of checking a statement, without any I/O: the number of its next revision if it is
 * complete with changed content, and whether it waits for the bank. A statement that is incomplete for
 * another reason is noted when it changes.
 *
 * @param content undefined if no line counts, and none has before.
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
