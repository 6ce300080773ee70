import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readFile, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parse } from "csv-parse";
import { stringify } from "csv-stringify/sync";
import { z } from "zod";
import type { ArchivedTable, Column, TextRow } from "./archived-tables.ts";

// A month is a directory with a CSV file for each table, which `copy … (format csv, header, null '\N')` reads as well, and
// a manifest. The directory has its name once the manifest is in it and all of it is on disk: before, it is `….partial`.

const manifestSchema = z.object({
  format: z.literal(1),
  month: z.string(),
  archivedAt: z.iso.datetime(),
  files: z.array(
    z.object({
      file: z.string().regex(/^\w+\.\w+\.csv$/),
      rows: z.int().min(0),
      bytes: z.int().min(0),
      sha256: z.string().regex(/^[\da-f]{64}$/),
      columns: z.array(z.object({ name: z.string(), type: z.string() })),
    }),
  ),
});
/** @property sha256 of the manifest's own file. */
export type Manifest = z.infer<typeof manifestSchema> & { sha256: string };

/** A file is missing or differs from the manifest, or the manifest is not the one that was written here. */
export class ArchiveDamagedError extends Error {
  override name = "ArchiveDamagedError";
  readonly code = "archive_damaged";
}

const NULL = "\\N";
const MANIFEST = "manifest.json";
const fileOf = ({ schema, name }: ArchivedTable) => `${schema}.${name}.csv`;

type Writing = {
  table: ArchivedTable;
  columns: Column[];
  handle: FileHandle;
  hash: Hash;
  rows: number;
  bytes: number;
};

/** Writes a month. A half-written file of an earlier run is written again. */
export async function createArchive(
  directory: string,
  tables: { table: ArchivedTable; columns: Column[] }[],
) {
  const partial = `${directory}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true, mode: 0o700 });
  const files = new Map<ArchivedTable, Writing>();
  for (const { table, columns } of tables) {
    const handle = await open(join(partial, fileOf(table)), "wx", 0o600);
    files.set(table, { table, columns, handle, hash: createHash("sha256"), rows: 0, bytes: 0 });
    await append(files.get(table)!, [columns.map(({ name }) => name)]);
    files.get(table)!.rows = 0;
  }
  return {
    write: (table: ArchivedTable, rows: readonly TextRow[]) => append(files.get(table)!, rows),
    /**
     * Completes the files: from here on the month is archived.
     *
     * @param note keeps the manifest's SHA-256 before the files get their names.
     */
    async finish(month: string, note: (sha256: string) => Promise<void>): Promise<void> {
      const described = [];
      for (const { table, columns, handle, hash, rows, bytes } of files.values()) {
        await handle.sync();
        await handle.close();
        described.push({ file: fileOf(table), rows, bytes, sha256: hash.digest("hex"), columns });
      }
      const archivedAt = new Date().toISOString();
      const manifest: z.infer<typeof manifestSchema> = { format: 1, month, archivedAt, files: described };
      const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
      const handle = await open(join(partial, MANIFEST), "wx", 0o600);
      await handle.writeFile(text);
      await handle.sync();
      await handle.close();
      await syncDirectory(partial);
      await note(sha256Of(text));
      await rename(partial, directory);
      await syncDirectory(dirname(directory));
    },
    /** Closes what an error has left open. */
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all([...files.values()].map(({ handle }) => handle.close()));
    },
  };
}

async function append(file: Writing, rows: readonly TextRow[]): Promise<void> {
  if (rows.length === 0) return;
  if (rows.some((row) => row.includes(NULL)))
    throw new Error(`${fileOf(file.table)}: a text that means null in CSV`);
  const bytes = Buffer.from(
    stringify(
      rows.map((row) => row.map((cell) => cell ?? NULL)),
      { quoted_match: /[\r\n]/ },
    ),
  );
  await file.handle.writeFile(bytes);
  file.hash.update(bytes);
  file.bytes += bytes.length;
  file.rows += rows.length;
}

const sha256Of = (text: string) => createHash("sha256").update(text).digest("hex");

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync();
  await handle.close();
}

/** @returns undefined if there is no archive. @throws ArchiveDamagedError where a file is not what was written. */
export async function readManifest(directory: string): Promise<Manifest | undefined> {
  const text = await readFile(join(directory, MANIFEST), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const manifest = manifestSchema.parse(JSON.parse(text));
  for (const { file, sha256 } of manifest.files) {
    const hash = createHash("sha256");
    try {
      for await (const chunk of createReadStream(join(directory, file))) hash.update(chunk as Buffer);
    } catch (cause) {
      throw new ArchiveDamagedError(`${file} cannot be read`, { cause });
    }
    if (hash.digest("hex") !== sha256) throw new ArchiveDamagedError(`${file} is not what was archived`);
  }
  return { ...manifest, sha256: sha256Of(text) };
}

/** The rows of one file, which the caller takes from its beginning to its end. */
export type RowReader = {
  columns: readonly Column[];
  /** Reads while the rows fulfil the condition, at most so many. */
  takeWhile(condition: (row: TextRow) => boolean, max?: number): Promise<TextRow[]>;
};

export function readArchived(directory: string, manifest: Manifest, table: ArchivedTable): RowReader {
  const described = manifest.files.find(({ file }) => file === fileOf(table));
  if (!described) throw new ArchiveDamagedError(`${fileOf(table)} is not in the manifest`);
  const parser = createReadStream(join(directory, fileOf(table))).pipe(
    parse({ from: 2, record_delimiter: "\n" }),
  );
  const rows = parser[Symbol.asyncIterator]() as AsyncIterator<string[]>;
  let ahead: TextRow | undefined;
  const peek = async () => {
    if (ahead) return ahead;
    const { value, done } = await rows.next();
    if (!done) ahead = value.map((cell) => (cell === NULL ? null : cell));
    return ahead;
  };
  return {
    columns: described.columns,
    async takeWhile(condition, max = Infinity) {
      const taken: TextRow[] = [];
      for (let row = await peek(); row && taken.length < max && condition(row); row = await peek()) {
        taken.push(row);
        ahead = undefined;
      }
      return taken;
    },
  };
}
