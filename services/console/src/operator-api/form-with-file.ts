/** A file while it arrives from a browser. */
export type ArrivingFile = {
  /** As the browser calls it; empty where nobody has chosen one. */
  name: string;
  content: AsyncIterable<Buffer>;
  /** Whether it was cut at the bound; known once all of it was read. */
  isTooLarge(): boolean;
  /** Reads the rest of it away, so that the browser takes the answer. */
  discard(): void;
};

/** The file is larger than the bound: what was sent of it is none. */
export class FileTooLargeError extends Error {
  override name = "FileTooLargeError";
  readonly code = "file_too_large";
}

/** The body of a form with this file alone, sent as it arrives. @throws FileTooLargeError at its end */
export async function* formWithFile(boundary: string, part: string, file: ArrivingFile) {
  yield Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="${part}"; filename="${escapeName(file.name)}"\r\n` +
      "Content-Type: application/octet-stream\r\n\r\n",
  );
  yield* file.content;
  if (file.isTooLarge()) throw new FileTooLargeError("the file is too large");
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

/** As browsers write names in the head of a part. */
function escapeName(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
