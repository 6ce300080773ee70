import { hasRecords, type Mapping } from "./mapping.ts";
import { readCamt } from "./read-camt.ts";
import { readRecords } from "./read-records.ts";
import { SettlementFileError, type LineBatch, type LineFault } from "./settlement-line.ts";

export type FileBounds = { bytesMax: number; faultsMax: number };

/**
 * Reads a bank's file, batch by batch, with as much memory as a batch takes. Batches count only if this ends
 * without an error: the last line may show that the file is another one, or incomplete.
 *
 * @throws SettlementFileError if nothing of the file can be imported.
 */
export async function* readSettlementFile(
  mapping: Mapping,
  parts: AsyncIterable<Uint8Array>,
  { bytesMax, faultsMax }: FileBounds,
): AsyncGenerator<LineBatch> {
  let [lines, faults] = [0, 0];
  let first: LineFault | undefined;
  const bounded = upTo(parts, bytesMax);
  for await (const batch of hasRecords(mapping) ? readRecords(mapping, bounded) : readCamt(bounded)) {
    lines += batch.lines.length;
    faults += batch.faults.length;
    first ??= batch.faults[0];
    if (faults > faultsMax)
      throw new SettlementFileError("too_many_faults", `more than ${faultsMax} lines cannot be read`);
    yield batch;
  }
  if (lines > 0) return;
  if (first) {
    const { lineNo, reason } = first;
    throw new SettlementFileError(
      "mapping_does_not_fit",
      `no line can be read by the mapping; the first is line ${lineNo}: ${reason}`,
    );
  }
  throw new SettlementFileError("empty", "the file reports nothing");
}

async function* upTo(parts: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const part of parts) {
    bytes += part.byteLength;
    if (bytes > bytesMax)
      throw new SettlementFileError("too_large", `the file is larger than ${bytesMax} bytes`);
    yield part;
  }
}
