import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { cardsIn, type CardFound } from "./scan-database.ts";

export type FileScan = { files: { file: string; bytes: number }[]; found: CardFound[] };

/** Looks for card numbers in files, and in all files of directories: logs, the stream's store, WAL, archives, back-ups. */
export async function scanFiles(paths: readonly string[]): Promise<FileScan> {
  const scan: FileScan = { files: [], found: [] };
  for (const path of paths) {
    for (const file of await filesOf(path)) {
      let bytes = 0;
      const inFile = new Set<string>();
      let rest = "";
      for await (const chunk of createReadStream(file, { highWaterMark: 1_048_576 })) {
        bytes += (chunk as Buffer).length;
        const text = rest + (chunk as Buffer).toString("latin1");
        for (const lastFour of cardsIn(text)) inFile.add(lastFour);
        // A number may stand across two pieces.
        rest = text.slice(-OVERLAP);
      }
      scan.files.push({ file, bytes });
      scan.found.push(...[...inFile].map((lastFour) => ({ place: file, lastFour })));
    }
  }
  return scan;
}

const OVERLAP = 100;

async function filesOf(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}
