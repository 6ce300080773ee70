import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyConfig, type BusboyFileStream } from "@fastify/busboy";

/** A file of a form, while it arrives. */
export type FilePart = { part: string; name: string | undefined; stream: BusboyFileStream };

export type MultipartOptions = Pick<BusboyConfig, "limits" | "isPartAFile"> & {
  onField?: (name: string, value: string) => void;
  onFile: (file: FilePart) => void;
  /** Called if there are more parts than the limits allow. */
  onMoreParts?: () => void;
  /** Ends the reading. */
  signal?: AbortSignal;
};

/** The form cannot be read, or is not the one that was expected. */
export class MultipartError extends Error {
  override name = "MultipartError";
  readonly code: "unusable_boundary" | "broken_off" | "no_file" | "file_too_large";
  readonly status = 400;

  constructor(code: MultipartError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export function isMultipart(type: string | undefined): type is string {
  return type !== undefined && /^multipart\/form-data *;/i.test(type);
}

/**
 * Reads a form with files, which are passed on as they arrive. If the form breaks off, or its reading is
 * ended, the stream of its file ends with an error, so that its reader does not wait for more.
 *
 * @throws MultipartError if the type has no usable boundary, the form breaks off, or its reading is ended.
 */
export async function readMultipart(request: IncomingMessage, options: MultipartOptions): Promise<void> {
  const { onField, onFile, onMoreParts, signal } = options;
  const parser = parserOf(request, options);
  let arriving: Readable | undefined;
  if (onField) parser.on("field", (name: string, value: string) => onField(name, value));
  if (onMoreParts) parser.on("partsLimit", onMoreParts);
  parser.on("file", (part: string, stream: BusboyFileStream, name: string | undefined) => {
    // An error no longer matters once nothing reads the stream.
    stream.on("error", () => {});
    arriving = stream;
    onFile({ part, name, stream });
  });
  try {
    await pipeline(request, parser, { signal });
  } catch (cause) {
    const error = new MultipartError("broken_off", "the form breaks off", { cause });
    arriving?.destroy(error);
    throw error;
  }
}

function parserOf({ headers }: IncomingMessage, { limits, isPartAFile }: MultipartOptions) {
  try {
    return new Busboy({
      headers: { "content-type": headers["content-type"] ?? "" },
      limits: { ...limits, headerPairs: 10 },
      ...(isPartAFile && { isPartAFile }),
    });
  } catch (cause) {
    throw new MultipartError("unusable_boundary", "the form has no usable boundary", { cause });
  }
}
