import type { IncomingMessage } from "node:http";
import { isMultipart, MultipartError, readMultipart } from "@holdfast/http-server";
import type { ArrivingFile } from "../api/form-with-file.ts";

/** A form with a file behind its fields. The file is read while it arrives: the process holds a piece of it. */
export type Upload = { form: URLSearchParams; file: ArrivingFile | undefined };

/**
 * Reads the fields of a form, up to its file. Anything after the file is ignored.
 *
 * @throws MultipartError if the form is malformed, or its file is missing or too large. If the form breaks
 * off within the file, reading the file throws.
 */
export async function receiveUpload(request: IncomingMessage): Promise<Upload> {
  if (!isMultipart(request.headers["content-type"]))
    throw new MultipartError("no_file", "the form brings no file");
  const { promise, resolve, reject } = Promise.withResolvers<Upload>();
  const fields = new URLSearchParams();
  const whole = readMultipart(request, {
    limits: {
      parts: FIELDS_MAX + 1,
      fields: FIELDS_MAX,
      fieldSize: FIELD_BYTES_MAX,
      files: 1,
      fileSize: FILE_BYTES_MAX,
    },
    onField: (name, value) => fields.append(name, value),
    onFile: ({ name, stream }) =>
      resolve({
        form: new URLSearchParams(fields),
        file: {
          name: name ?? "",
          content: stream as AsyncIterable<Buffer>,
          async end() {
            await whole;
            if (stream.truncated) throw new MultipartError("file_too_large", "the file is too large");
          },
          discard: () => void stream.resume(),
        },
      }),
  });
  whole.then(() => resolve({ form: fields, file: undefined }), reject);
  return await promise;
}

const FIELDS_MAX = 10;
const FIELD_BYTES_MAX = 1_000;
/** The operator API's limit. */
const FILE_BYTES_MAX = 1_073_741_824;
