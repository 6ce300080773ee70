import { createReadStream, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { AuditAnchor } from "./audit-chain.ts";
import { auditHeadIn, formatAuditHead, type AuditHead } from "./audit-head.ts";

/** The heads that were kept, by chain, each once. */
export type Anchors = Map<string, AuditAnchor[]>;

/**
 * Reads the heads in files of a log collector or a sink, line by line. A path may be a directory, whose files are read.
 *
 * @throws when a file that was named has no head: a verification with it would prove nothing.
 */
export async function readAnchors(paths: string[], named: AuditHead[] = []): Promise<Anchors> {
  const heads = new Map(named.map((head) => [formatAuditHead(head), head]));
  for (const path of paths) {
    const isDirectory = statSync(path).isDirectory();
    let found = 0;
    for (const file of isDirectory ? filesIn(path) : [path]) {
      for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
        const head = auditHeadIn(line);
        if (!head) continue;
        found++;
        heads.set(formatAuditHead(head), head);
      }
    }
    if (found === 0 && !isDirectory) throw new Error(`there is no audit head in ${path}`);
  }
  const byChain = Map.groupBy(heads.values(), ({ chain }) => chain);
  return new Map(
    [...byChain].map(([chain, own]) => [
      chain,
      own.map(({ sequence, hash }) => ({ sequence: BigInt(sequence), hash: Buffer.from(hash, "hex") })),
    ]),
  );
}

/** Not below: a mounted ConfigMap keeps its earlier versions in hidden directories. */
function filesIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => !name.startsWith("."))
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile());
}
