import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import type { Pool } from "pg";
import type { BusinessEvents } from "../business-events.ts";
import type { SettlementDatabase } from "../database.ts";
import {
  addBatch,
  endAsProposed,
  endAsRefused,
  endAsTaken,
  findTaken,
  ImportLostError,
  keepLease,
  removeLines,
  type LeasedImport,
} from "./import-queries.ts";
import { findOtherAccount } from "./find-other-account.ts";
import type { Mapping } from "./mapping.ts";
import { readSettlementFile, type FileBounds } from "./read-settlement-file.ts";
import { SettlementFileError } from "./settlement-line.ts";

export type ImportDeps = {
  db: Kysely<SettlementDatabase>;
  pool: Pick<Pool, "query">;
  events: Pick<BusinessEvents, "fileTaken" | "fileRefused">;
  mappings: ReadonlyMap<string, Mapping>;
  bounds: FileBounds;
  leaseMs: number;
  /** A file counts only once another person than the one who sent it agrees. */
  twoPeople: boolean;
};

/** A file to read. `review`: it counts only once somebody confirms it, and where one person is enough, the sender may. */
type FileToRead = LeasedImport & { review?: boolean };

/** Bounds of one file: larger, or with more lines that cannot be read, it is refused whole. */
export const FILE_BOUNDS = { bytesMax: 1_073_741_824, faultsMax: 10_000 } as const;
export const LEASE_MS = 60_000;

/** The outcome of reading a file. */
export type FileOutcome =
  | { outcome: "taken" | "proposed"; lines: number; faults: number }
  | { outcome: "refused"; reason: string; detail: string };

/**
 * Reads a file into lines, whole or not at all. Lines are written as they are read, and count only after one
 * update, by this process or by another person's confirmation. A file that turns out to be invalid,
 * incomplete or imported before leaves no line behind. If the process dies, the next one that has the lease
 * begins again from an empty import.
 *
 * @throws ImportLostError, or the database's error: then another try follows, under another lease.
 */
export async function importLeasedFile(
  deps: ImportDeps,
  leased: FileToRead,
  open: () => AsyncIterable<Uint8Array>,
): Promise<FileOutcome> {
  const { db, events } = deps;
  await removeLines(db, leased);
  const known = leased.sha256 && (await findTaken(db, leased.account_id, leased.sha256));
  const refuse = async (reason: string, detail: string, sha256?: Buffer): Promise<FileOutcome> => {
    await endAsRefused(db, leased, { reason, detail, sha256 });
    events.fileRefused(leased, reason);
    return { outcome: "refused", reason, detail };
  };
  if (known) return await refuse("already_imported", `by import ${known}`);
  const mapping = deps.mappings.get(leased.mapping);
  if (!mapping) return await refuse("unknown_mapping", `there is no mapping "${leased.mapping}"`);
  try {
    const read = await readInto(deps, leased, { mapping, open });
    if (leased.sha256 && !leased.sha256.equals(read.sha256))
      return await refuse("changed", "the file changed while it was read, or a part of it was lost");
    const other = await findOtherAccount(db, leased);
    if (other !== undefined)
      return await refuse("of_another_account", `its lines name payments of the account "${other}"`);
    const whole = { ...read, mappingVersion: mapping.version };
    if (deps.twoPeople || leased.review === true) {
      await endAsProposed(db, leased, { ...whole, senderConfirms: !deps.twoPeople });
      return { outcome: "proposed", lines: read.lines, faults: read.faults };
    }
    const earlier = await endAsTaken(db, leased, whole);
    if (earlier) return await refuse("already_imported", `by import ${earlier}`, read.sha256);
    events.fileTaken(leased, read);
    return { outcome: "taken", lines: read.lines, faults: read.faults };
  } catch (error) {
    if (!(error instanceof SettlementFileError)) throw error;
    return await refuse(error.code, error.message);
  }
}

type Read = { lines: number; faults: number; bytes: bigint; sha256: Buffer };

async function readInto(
  { db, pool, bounds, leaseMs }: ImportDeps,
  leased: LeasedImport,
  { mapping, open }: { mapping: Mapping; open: () => AsyncIterable<Uint8Array> },
): Promise<Read> {
  const hash = createHash("sha256");
  const read = { lines: 0, faults: 0, bytes: 0n };
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const part of open()) {
      hash.update(part);
      read.bytes += BigInt(part.byteLength);
      yield part;
    }
  }
  let keptAt = performance.now();
  for await (const batch of readSettlementFile(mapping, hashed(), bounds)) {
    await addBatch(pool, leased, batch);
    read.lines += batch.lines.length;
    read.faults += batch.faults.length;
    if (performance.now() - keptAt < leaseMs / 4) continue;
    if (!(await keepLease(db, leased, leaseMs)))
      throw new ImportLostError(`import ${leased.import_id} was lost`);
    keptAt = performance.now();
  }
  return { ...read, sha256: hash.digest() };
}
