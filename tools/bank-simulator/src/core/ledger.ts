import { createReadStream } from "node:fs";
import { mkdir, open, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";

/** The fields of every line of a ledger. `at` is ISO 8601, UTC. */
export type LedgerRow = { sequence: number; at: string };

/** The ledger's file, or the business day's next to it, holds something that was never written by the simulator. */
export class LedgerCorruptError extends Error {
  override readonly name = "LedgerCorruptError";
  readonly code = "ledger_corrupt";
}

type Batch = { text: string; durable: PromiseWithResolvers<void> };

/**
 * The bank's record: newline-delimited JSON, append-only, every line is on the disk before it is answered. While one
 * write and its fsync run the next lines gather, so that thousands of operations a second share a few fsyncs.
 *
 * After a failed write the file's content is unknown, so the ledger accepts no further line: `failed` settles, and the
 * process has to be restarted.
 */
export class Ledger<Line extends LedgerRow> {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #failure = Promise.withResolvers<Error>();
  #sequence: number;
  #durableBytes: number;
  #gathering = newBatch();
  #writing: Batch | undefined;
  #failedWith: Error | undefined;

  private constructor(path: string, file: FileHandle, sequence: number, durableBytes: number) {
    this.#path = path;
    this.#file = file;
    this.#sequence = sequence;
    this.#durableBytes = durableBytes;
  }

  /**
   * Opens or creates the file and passes each of its lines to `replay`, in order. A last line without its end was
   * torn by a crash and never answered, and is cut off.
   * @throws LedgerCorruptError when a whole line is not an entry
   */
  static async open<Line extends LedgerRow>(
    path: string,
    replay: (line: Line) => void,
  ): Promise<Ledger<Line>> {
    await mkdir(dirname(path), { recursive: true });
    const file = await open(path, "a");
    try {
      let sequence = 0;
      let bytes = 0;
      for await (const text of completeLines(createReadStream(path))) {
        const line = parseLine(text, sequence + 1);
        sequence = line.sequence;
        bytes += Buffer.byteLength(text) + 1;
        replay(line as Line);
      }
      await file.truncate(bytes);
      // A killed process may have written lines that it did not sync; from here on they are facts, so they must last.
      await file.sync();
      return new Ledger<Line>(path, file, sequence, bytes);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Settles once, with the reason, when the ledger can no longer be written. */
  get failed(): Promise<Error> {
    return this.#failure.promise;
  }

  /** Resolves when the entry is on the disk. Entries are written in the order of the calls. */
  append(entry: Omit<Line, "sequence">): Promise<void> {
    if (this.#failedWith) return Promise.reject(this.#failedWith);
    this.#sequence += 1;
    const batch = this.#gathering;
    batch.text += `${JSON.stringify({ sequence: this.#sequence, ...entry })}\n`;
    if (!this.#writing) void this.#writeGathered();
    return batch.durable.promise;
  }

  /** Resolves when every entry appended so far is on the disk: before that they must not be answered. */
  flushed(): Promise<void> {
    if (this.#failedWith) return Promise.reject(this.#failedWith);
    if (this.#gathering.text !== "") return this.#gathering.durable.promise;
    return this.#writing?.durable.promise ?? Promise.resolve();
  }

  /** The durable lines as they are in the file; with `keep` only the lines for which it returns true. */
  read(keep?: (line: Line) => boolean): Readable {
    if (this.#durableBytes === 0) return Readable.from([]);
    const stream = createReadStream(this.#path, { end: this.#durableBytes - 1 });
    return keep ? Readable.from(filterLines(stream, (text) => keep(JSON.parse(text) as Line))) : stream;
  }

  /** Writes the gathered lines and closes the file. */
  async close(): Promise<void> {
    await this.flushed().catch(() => undefined);
    await this.#file.close();
  }

  async #writeGathered(): Promise<void> {
    while (this.#gathering.text !== "") {
      const batch = this.#gathering;
      this.#writing = batch;
      this.#gathering = newBatch();
      try {
        await this.#file.appendFile(batch.text);
        await this.#file.datasync();
        this.#durableBytes += Buffer.byteLength(batch.text);
        batch.durable.resolve();
      } catch (error) {
        this.#fail(
          error instanceof Error ? error : new Error("the ledger cannot be written", { cause: error }),
        );
      }
    }
    this.#writing = undefined;
  }

  #fail(error: Error): void {
    this.#failedWith = error;
    this.#writing?.durable.reject(error);
    this.#gathering.durable.reject(error);
    // The gathered lines are refused, not written: after a torn line they could not be read back.
    this.#gathering = newBatch();
    this.#failure.resolve(error);
  }
}

function newBatch(): Batch {
  const durable = Promise.withResolvers<void>();
  // A failed batch without a waiting caller is reported through `failed`, not as an unhandled rejection.
  durable.promise.catch(() => undefined);
  return { text: "", durable };
}

function parseLine(text: string, expectedSequence: number): LedgerRow {
  try {
    const line = JSON.parse(text) as LedgerRow;
    if (line.sequence === expectedSequence) return line;
  } catch {
    // Reported below; the parser's own message would quote the line.
  }
  throw new LedgerCorruptError(`line ${expectedSequence} of the ledger is not an entry with that sequence`);
}

async function* filterLines(stream: Readable, keep: (text: string) => boolean): AsyncGenerator<string> {
  for await (const text of completeLines(stream)) {
    if (keep(text)) yield `${text}\n`;
  }
}

/** Yields the lines that have their end; bytes after the last newline are left out. */
async function* completeLines(stream: Readable): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      yield bytes.toString("utf8", from, end);
      from = end + 1;
    }
    rest = bytes.subarray(from);
  }
}

const NEWLINE = 0x0a;
