import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import type { ArrivingFile } from "../api/form-with-file.ts";

/** A form with a file behind its fields. The file is read while it arrives: the process holds a piece of it. */
export type Upload = { form: URLSearchParams; file: ArrivingFile | undefined };

/** The form is malformed, brings no file, or brings too large a one. */
export class UploadError extends Error {
  override name = "UploadError";
  readonly code = "upload";
  readonly status = 400;
}

/**
 * Reads the fields of a form, up to its file. Anything after the file is ignored.
 *
 * @throws UploadError. If the form breaks off within the file, reading the file throws.
 */
export async function receiveUpload(request: IncomingMessage): Promise<Upload> {
  const type = request.headers["content-type"];
  if (type === undefined || !/^multipart\/form-data *;/i.test(type))
    throw new UploadError("the form brings no file");
  const { promise, resolve, reject } = Promise.withResolvers<Upload>();
  const form = new URLSearchParams();
  let arriving: Readable | undefined;
  const parser = parserOf(type);
  parser.on("field", (name: string, value: string) => form.append(name, value));
  parser.on("file", (_part: string, stream: BusboyFileStream, name: string | undefined) => {
    // Once the stream is not read any more, its end does not matter.
    stream.on("error", () => {});
    arriving = stream;
    resolve({
      form,
      file: {
        name: name ?? "",
        content: stream as AsyncIterable<Buffer>,
        async end() {
          await whole;
          if (stream.truncated) throw new UploadError("the file is too large");
        },
        discard: () => void stream.resume(),
      },
    });
  });
  const whole = pipeline(request, parser).catch((cause: unknown) => {
    const error = new UploadError("the form breaks off", { cause });
    arriving?.destroy(error);
    throw error;
  });
  whole.then(() => resolve({ form, file: undefined }), reject);
  return await promise;
}

/** @throws UploadError where the type has no boundary, or one that no form has */
function parserOf(type: string) {
  try {
    return new Busboy({
      headers: { "content-type": type },
      limits: {
        fields: FIELDS_MAX,
        fieldSize: FIELD_BYTES_MAX,
        files: 1,
        fileSize: FILE_BYTES_MAX,
        headerPairs: 10,
      },
    });
  } catch (cause) {
    throw new UploadError("the form has no usable boundary", { cause });
  }
}

const FIELDS_MAX = 10;
const FIELD_BYTES_MAX = 1_000;
/** The operator API's limit. */
const FILE_BYTES_MAX = 1_073_741_824;
