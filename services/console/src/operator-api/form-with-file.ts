/** A file while it arrives from a browser. */
export type ArrivingFile = {
  /** As the browser calls it; empty where nobody has chosen one. */
  name: string;
  content: AsyncIterable<Buffer>;
  /** Waits for the end of the form that it came in. @throws where it was cut off, or at the bound */
  end(): Promise<void>;
  /** Reads the rest of it away, so that the browser takes the answer. */
  discard(): void;
};

/** The body of a form with this file alone, sent as it arrives; of a file that is cut off it has no end. */
export async function* formWithFile(boundary: string, part: string, file: ArrivingFile) {
  yield Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="${part}"; filename="${escapeName(file.name)}"\r\n` +
      "Content-Type: application/octet-stream\r\n\r\n",
  );
  yield* file.content;
  await file.end();
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

/** As browsers write names in the head of a part. */
function escapeName(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
