import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { isMultipart, MultipartError, readMultipart, type FilePart } from "@holdfast/http-server";
import { CARD_NUMBER_FAULT, shownFileName, type CommandReply } from "@holdfast/contracts";
import type { Exchange } from "./exchange.ts";
import { Refusal } from "./refusal.ts";

/** The one part of a form that is taken, and its bound. */
export type ExpectedFile = { part: string; bytesMax: number; pieceBytes: number };

/** A file while it arrives; its pieces are of one size but the last. */
export type ArrivingFile = { name: string; parts: AsyncIterable<Buffer>; isTooLarge: () => boolean };

/** The last step of a file, once the whole form is there. */
export type TakenFile<Result> = { end(): Promise<CommandReply<Result>> } | Refusal;

/**
 * Reads a form with one file, which is forwarded as it arrives. Nothing is concluded before the whole form
 * has arrived: an incomplete file does not count.
 *
 * @param take receives the file while it arrives.
 */
export async function receiveFile<Result>(
  exchange: Exchange,
  expected: ExpectedFile,
  take: (file: ArrivingFile) => Promise<TakenFile<Result>>,
): Promise<CommandReply<Result> | Refusal> {
  if (!isForm(exchange.req))
    return new Refusal("unsupported_media_type", { detail: "send multipart/form-data" });
  exchange.isUpload = true;
  exchange.askForBody();
  const reply = await readForm(exchange.req, expected, take);
  // The rest of the file is not read.
  if (reply instanceof Refusal) exchange.isLast = true;
  return reply;
}

function isForm({ headersDistinct }: IncomingMessage): boolean {
  const { "content-type": types, "content-encoding": encodings } = headersDistinct;
  return types?.length === 1 && encodings === undefined && isMultipart(types[0]);
}

async function readForm<Result>(
  request: IncomingMessage,
  expected: ExpectedFile,
  take: (file: ArrivingFile) => Promise<TakenFile<Result>>,
): Promise<CommandReply<Result> | Refusal> {
  const { part: wanted, bytesMax, pieceBytes } = expected;
  const invalid = (message: string, code?: string) => invalidFile(wanted, message, code);
  const stop = new AbortController();
  let refusal: Refusal | undefined;
  const refuse = (found: Refusal) => {
    refusal ??= found;
    stop.abort();
  };
  let taking: Promise<TakenFile<Result>> | undefined;
  const onFile = ({ part, name, stream }: FilePart) => {
    if (part !== wanted) return refuse(invalid("must be the form's only part"));
    const shown = shownFileName(name ?? part);
    if (shown === undefined) return refuse(invalid("has a card number in its name", CARD_NUMBER_FAULT.code));
    taking = take({
      name: shown,
      parts: inParts(stream, pieceBytes),
      isTooLarge: () => stream.truncated,
    });
    taking.then(
      (taken) => taken instanceof Refusal && refuse(taken),
      () => stop.abort(),
    );
  };
  let broken: Refusal | undefined;
  try {
    await readMultipart(request, {
      limits: { files: 1, fields: 0, parts: 1, fileSize: bytesMax },
      isPartAFile: () => true,
      onFile,
      onMoreParts: () => refuse(invalid("must be the form's only part")),
      signal: stop.signal,
    });
  } catch (error) {
    if (!(error instanceof MultipartError)) throw error;
    broken = invalid(
      error.code === "unusable_boundary"
        ? "has no usable boundary"
        : `cannot be read to its end: ${String(error.cause)}`,
    );
  }
  if (refusal) return refusal;
  try {
    const taken = await taking;
    if (broken) return broken;
    if (taken === undefined) return invalid("is required");
    return taken instanceof Refusal ? taken : await taken.end();
  } catch (error) {
    if (error instanceof CutOffError) return broken ?? invalid("is cut off");
    throw error;
  }
}

/** The form ended within the file, or its sender is gone. */
class CutOffError extends Error {
  override name = "CutOffError";
  readonly code = "cut_off";
}

function invalidFile(field: string, message: string, code = "invalid_format"): Refusal {
  const errors = [{ field, code, message }];
  return new Refusal("validation_failed", { members: { errors } });
}

/** Cuts a stream into pieces of one size but the last. @throws CutOffError */
async function* inParts(stream: Readable, pieceBytes: number): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let length = 0;
  for await (const chunk of untilCutOff(stream)) {
    rest.push(chunk);
    length += chunk.length;
    if (length < pieceBytes) continue;
    let whole = Buffer.concat(rest);
    for (; whole.length >= pieceBytes; whole = whole.subarray(pieceBytes))
      yield whole.subarray(0, pieceBytes);
    rest = whole.length > 0 ? [whole] : [];
    length = whole.length;
  }
  if (length > 0) yield Buffer.concat(rest);
}

async function* untilCutOff(stream: Readable): AsyncGenerator<Buffer> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (cause) {
    throw new CutOffError("the file is cut off", { cause });
  }
}
