/** A line of a file without its end, or the note that it is longer than any line may be. */
export type RawLine = { lineNo: number; bytes: Buffer | "too_long" };

/**
 * Cuts a file into its lines, however large its parts are. A line ends with a line feed, with or without a
 * carriage return. A line that is too long is cut at the bound, and the next line is still found: a gibibyte
 * without a line feed takes as much memory as any other file. Lines are returned in batches bounded by number
 * and size, since long lines have many cells.
 */
export async function* splitLines(
  parts: AsyncIterable<Uint8Array>,
  { lineBytesMax, linesMax, bytesMax }: { lineBytesMax: number; linesMax: number; bytesMax: number },
): AsyncGenerator<RawLine[]> {
  let lineNo = 0;
  let rest: Buffer[] = [];
  let restBytes = 0;
  let tooLong = false;
  let lines: RawLine[] = [];
  let linesBytes = 0;
  const end = (tail: Buffer) => {
    lineNo++;
    const bytes = rest.length === 0 ? tail : Buffer.concat([...rest, tail]);
    linesBytes += bytes.length;
    lines.push({ lineNo, bytes: tooLong || bytes.length > lineBytesMax ? "too_long" : withoutReturn(bytes) });
    rest = [];
    restBytes = 0;
    tooLong = false;
  };
  for await (const part of parts) {
    const buffer = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    let start = 0;
    for (let at = buffer.indexOf(LINE_FEED); at !== -1; at = buffer.indexOf(LINE_FEED, start)) {
      end(buffer.subarray(start, at));
      start = at + 1;
      if (lines.length >= linesMax || linesBytes >= bytesMax) {
        yield lines;
        lines = [];
        linesBytes = 0;
      }
    }
    const left = buffer.length - start;
    if (tooLong || restBytes + left > lineBytesMax) {
      tooLong = true;
      rest = [];
      restBytes = 0;
    } else if (left > 0) {
      // A copy, since the source of the parts may use their memory again.
      rest.push(Buffer.from(buffer.subarray(start)));
      restBytes += left;
    }
  }
  if (tooLong || restBytes > 0) end(Buffer.alloc(0));
  if (lines.length > 0) yield lines;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

function withoutReturn(bytes: Buffer): Buffer {
  return bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes;
}
