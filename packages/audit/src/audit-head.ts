import { z } from "zod";

/**
 * The end of a service's audit log at some moment, in the form in which it is kept elsewhere. A chain that
 * contains it is unchanged up to there.
 */
export const auditHeadSchema = z.object({
  /** The schema that the chain is in. */
  chain: z.string().regex(/^[a-z]{1,32}$/),
  sequence: z.int().positive(),
  hash: z.string().regex(/^[\da-f]{64}$/),
  /** The time at which the entry was written, by the database's clock. */
  at: z.iso.datetime().optional(),
});
export type AuditHead = z.infer<typeof auditHeadSchema>;

/** `refunds:7:…`, as people copy it. */
export function formatAuditHead({
  chain,
  sequence,
  hash,
}: Pick<AuditHead, "chain" | "hash" | "sequence">): string {
  return `${chain}:${sequence}:${hash}`;
}

/** @returns undefined when the text is not a head in that form. */
export function parseAuditHead(text: string): AuditHead | undefined {
  const [, chain, sequence, hash] = /^(\w+):(\d+):([\da-f]+)$/.exec(text) ?? [];
  return auditHeadSchema.safeParse({ chain, sequence: Number(sequence), hash }).data;
}

/**
 * The head in a line of a log or of a sink: a head as a JSON object, or a line as a service logs it, with any
 * prefix of a collector. Undefined for every other line.
 */
export function auditHeadIn(line: string): AuditHead | undefined {
  const start = line.indexOf("{");
  // Almost no line of a log is about a head.
  if (start < 0 || !line.includes('"chain"')) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(line.slice(start));
  } catch {
    return undefined;
  }
  return z
    .union([auditHeadSchema, z.object({ head: auditHeadSchema })])
    .transform((found) => ("head" in found ? found.head : found))
    .safeParse(json).data;
}
