/** A file while it arrives from a browser. */
export type ArrivingFile = {
  /** The browser's name for the file; empty if no file was chosen. */
  name: string;
  content: AsyncIterable<Buffer>;
  /** Waits for the end of the form that it came in. @throws where it was cut off, or at the bound */
  end(): Promise<void>;
  /** Reads and drops the rest of it, so that the browser takes the answer. */
  discard(): void;
};

/** The body of a form with this file alone, sent as it arrives; if the file is cut off, the body has no end. */
export async function* formWithFile(boundary: string, part: string, file: ArrivingFile) {
  yield Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="${part}"; filename="${escapeName(file.name)}"\r\n` +
      "Content-Type: application/octet-stream\r\n\r\n",
  );
  yield* file.content;
  await file.end();
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

/** Escapes as browsers do in the head of a part. */
function escapeName(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
