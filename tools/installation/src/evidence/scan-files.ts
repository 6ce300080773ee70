import { createReadStream } from "node:fs";
import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { cardsIn, type CardFound } from "./scan-database.ts";

export type FileScan = {
  files: { file: string; bytes: number }[];
  /** Files that another program than gzip has packed or encrypted, or that are cut off. */
  unread: string[];
  found: CardFound[];
};

/**
 * Looks for card numbers in files, and in all files of directories: logs, the stream's store, WAL, archives, back-ups. What
 * gzip has packed is unpacked for it.
 */
export async function scanFiles(paths: readonly string[]): Promise<FileScan> {
  const scan: FileScan = { files: [], unread: [], found: [] };
  for (const path of paths) {
    for (const file of await filesOf(path)) {
      const { bytes, lastFours, isRead } = await scanFile(file);
      scan.files.push({ file, bytes });
      if (!isRead) scan.unread.push(file);
      scan.found.push(...[...lastFours].map((lastFour) => ({ place: file, lastFour })));
    }
  }
  return scan;
}

async function scanFile(file: string): Promise<{ bytes: number; lastFours: Set<string>; isRead: boolean }> {
  const begin = await beginOf(file);
  const isGzip = begin.startsWith(GZIP);
  let isRead = !UNREADABLE.some((mark) => begin.startsWith(mark));
  const stored = createReadStream(file, { highWaterMark: PIECE_BYTES });
  const content = isGzip ? pipeline(stored, createGunzip({ chunkSize: PIECE_BYTES }), () => {}) : stored;
  const lastFours = new Set<string>();
  let rest = "";
  try {
    for await (const chunk of content) {
      const text = rest + (chunk as Buffer).toString("latin1");
      for (const lastFour of cardsIn(text)) lastFours.add(lastFour);
      // A number may stand across two pieces.
      rest = text.slice(-OVERLAP);
    }
  } catch (error) {
    if (!isGzip) throw error;
    isRead = false;
  }
  return { bytes: stored.bytesRead, lastFours, isRead };
}

const PIECE_BYTES = 1_048_576;
const OVERLAP = 100;

const GZIP = "\x1f\x8b\x08";
/** The first bytes of zstd, zip, xz, bzip2, lz4, Snappy, pg_dump's own format, age and openssl. */
const UNREADABLE = [
  "(\xb5/\xfd",
  "PK\x03\x04",
  "\xfd7zXZ",
  "BZh",
  '\x04"M\x18',
  "\xff\x06\x00\x00sNaP",
  "PGDMP",
  "age-encr",
  "Salted__",
];
const MARK_BYTES = 8;

async function beginOf(file: string): Promise<string> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(MARK_BYTES), position: 0 });
  return buffer.toString("latin1", 0, bytesRead);
}

async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}
