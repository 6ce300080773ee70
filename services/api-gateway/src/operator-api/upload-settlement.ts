import { createHash, randomUUIDv7 } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  addSettlementUploadPart,
  beginSettlementUpload,
  endSettlementUpload,
  UPLOAD_PART_BYTES,
  UPLOAD_PARTS_MAX,
  uploadSettlement,
  type CommandReply,
} from "@holdfast/contracts";
import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import { operatorRefusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import { defineRoute, type Call } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";

type UploadCall = Call<typeof uploadSettlement>;

/**
 * Passes a bank's file on as it arrives: a part is sent when the one before it has been kept, so the process holds one
 * part of it, and the client sends as fast as the database writes (ADR 0064).
 */
export function uploadSettlementRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(uploadSettlement, async (call) => {
    const { exchange } = call;
    if (!isForm(exchange.req))
      return new Refusal("unsupported_media_type", { detail: "send multipart/form-data" });
    exchange.isUpload = true;
    exchange.askForBody();
    const reply = await readForm(exchange.req, (file) => passOn(send, call, file));
    if (reply instanceof Refusal) {
      // What still arrives of the file is not read.
      exchange.isLast = true;
      return reply;
    }
    if (!("result" in reply)) return operatorRefusalOf(reply);
    const Location = `/operator/settlements/${reply.result.importId}`;
    return { status: 202 as const, headers: { Location }, body: reply.result };
  });
}

function isForm({ headersDistinct }: IncomingMessage): boolean {
  const { "content-type": types, "content-encoding": encodings } = headersDistinct;
  return types?.length === 1 && encodings === undefined && /^multipart\/form-data *;/i.test(types[0]!);
}

type File = { name: string; parts: AsyncIterable<Buffer>; isTooLarge: () => boolean };
type PassedOn = { end(): ReturnType<typeof endUpload> } | Refusal;

/**
 * Reads the one part of a form. Nothing is ended before the whole form is there: a file that is cut off is none.
 *
 * @param take is given the file while it arrives.
 */
async function readForm(
  request: IncomingMessage,
  take: (file: File) => Promise<PassedOn>,
): Promise<Awaited<ReturnType<typeof endUpload>> | Refusal> {
  const stop = new AbortController();
  let refusal: Refusal | undefined;
  const refuse = (found: Refusal) => {
    refusal ??= found;
    stop.abort();
  };
  let taking: Promise<PassedOn> | undefined;
  let arriving: Readable | undefined;
  const parser = new Busboy({
    headers: { "content-type": request.headers["content-type"]! },
    limits: { files: 1, fields: 0, parts: 1, fileSize: FILE_BYTES_MAX, headerPairs: 10 },
    isPartAFile: () => true,
  });
  parser.on("file", (part: string, stream: BusboyFileStream, name: string | undefined) => {
    // Where nobody reads it any more its end does not matter.
    stream.on("error", () => {});
    arriving = stream;
    if (part !== uploadSettlement.file.part) return refuse(invalidFile("must be the form's only part"));
    taking = take({ name: name ?? part, parts: inParts(stream), isTooLarge: () => stream.truncated });
    taking.then(
      (taken) => taken instanceof Refusal && refuse(taken),
      () => stop.abort(),
    );
  });
  parser.on("partsLimit", () => refuse(invalidFile("must be the form's only part")));
  const broken = await pipeline(request, parser, { signal: stop.signal }).then(
    () => undefined,
    (error: unknown) => invalidFile(`cannot be read to its end: ${String(error)}`),
  );
  // Whoever waits for more of the file learns that none comes.
  if (refusal || broken) arriving?.destroy();
  if (refusal) return refusal;
  try {
    const taken = await taking;
    if (broken) return broken;
    if (taken === undefined) return invalidFile("is required");
    return taken instanceof Refusal ? taken : await taken.end();
  } catch (error) {
    if (error instanceof CutOffError) return broken ?? invalidFile("is cut off");
    throw error;
  }
}

/** The form ended within the file, or its sender is gone. */
class CutOffError extends Error {
  override name = "CutOffError";
  readonly code = "cut_off";
}

const FILE_BYTES_MAX = UPLOAD_PART_BYTES * UPLOAD_PARTS_MAX;

function invalidFile(message: string): Refusal {
  const errors = [{ field: uploadSettlement.file.part, code: "invalid_format", message }];
  return new Refusal("validation_failed", { members: { errors } });
}

/** All of one size but the last. @throws CutOffError */
async function* inParts(stream: Readable): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let length = 0;
  for await (const chunk of untilCutOff(stream)) {
    rest.push(chunk);
    length += chunk.length;
    if (length < UPLOAD_PART_BYTES) continue;
    let whole = Buffer.concat(rest);
    for (; whole.length >= UPLOAD_PART_BYTES; whole = whole.subarray(UPLOAD_PART_BYTES))
      yield whole.subarray(0, UPLOAD_PART_BYTES);
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

/** Sends the parts of a file. @returns what ends it, once the whole form is there. */
async function passOn(send: SendOperatorCommand, call: UploadCall, file: File): Promise<PassedOn> {
  const importId = randomUUIDv7();
  const fileName = file.name.replaceAll(/\p{C}/gu, "").slice(0, FILE_NAME_MAX) || "file";
  const begun = await send(beginSettlementUpload, call, { importId, ...call.query, fileName });
  if (!("result" in begun)) return operatorRefusalOf(begun);
  const hash = createHash("sha256");
  let [part, bytes] = [0, 0];
  for await (const piece of file.parts) {
    hash.update(piece);
    const content = piece.toString("base64");
    const added = await send(addSettlementUploadPart, call, { importId, part, content });
    if (!("result" in added)) return operatorRefusalOf(added);
    part++;
    bytes += piece.length;
  }
  if (file.isTooLarge()) return new Refusal("payload_too_large");
  const sha256 = hash.digest("hex");
  return { end: () => endUpload(send, call, { importId, parts: part, bytes, sha256 }) };
}

const FILE_NAME_MAX = 200;

type Sent = { importId: string; parts: number; bytes: number; sha256: string };

async function endUpload(send: SendOperatorCommand, call: UploadCall, sent: Sent) {
  return (await send(endSettlementUpload, call, sent)) satisfies CommandReply<object>;
}
