import { createHash, randomUUIDv7 } from "node:crypto";
import {
  addSettlementUploadPart,
  beginSettlementUpload,
  operations,
  PREVIEW_PARTS_MAX,
  UPLOAD_PART_BYTES,
  UPLOAD_PARTS_MAX,
  type CommandReply,
} from "@holdfast/contracts";
import { sealReply } from "@holdfast/sealing";
import { operatorAnswer, refusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import { defineRoute, type Call } from "../endpoint/route.ts";
import { receiveFile, type ArrivingFile, type TakenFile } from "../http/receive-file.ts";
import { Refusal } from "../http/refusal.ts";

/**
 * Forwards a bank's file as it arrives, sealed for settlement, since it may have whole card numbers. A part
 * is sent when the previous one has been stored. The process therefore holds one part, and the client sends
 * as fast as the database writes (docs/adr/0030).
 */
export function uploadSettlementRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(operations.uploadSettlement, async (call) => {
    const end = async (sent: Sent) => await send(operations.uploadSettlement.command, call, sent);
    const reply = await receiveFile(call.exchange, FILE, (file) => passOn(send, call, { file, end }));
    if (reply instanceof Refusal) return reply;
    if (!("result" in reply)) return refusalOf(reply);
    const Location = `/operator/settlements/${reply.result.importId}`;
    return { status: 202 as const, headers: { Location }, body: reply.result };
  });
}

/** Has a file read and compared, without keeping anything. */
export function previewSettlementRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(operations.previewSettlement, async (call) => {
    const end = async (sent: Sent) => await send(operations.previewSettlement.command, call, sent);
    const reply = await receiveFile(call.exchange, PREVIEWED, (file) => passOn(send, call, { file, end }));
    if (reply instanceof Refusal) return reply;
    return operatorAnswer(200, reply);
  });
}

const FILE = {
  part: operations.uploadSettlement.file.part,
  bytesMax: UPLOAD_PART_BYTES * UPLOAD_PARTS_MAX,
  pieceBytes: UPLOAD_PART_BYTES,
};

const PREVIEWED = { ...FILE, bytesMax: UPLOAD_PART_BYTES * PREVIEW_PARTS_MAX };

type Sent = { importId: string; parts: number; bytes: number; sha256: string };
type UploadCall = Call<typeof operations.uploadSettlement> | Call<typeof operations.previewSettlement>;
type Passing<Result> = { file: ArrivingFile; end: (sent: Sent) => Promise<CommandReply<Result>> };

/** Sends the parts of a file. @returns what ends it, once the whole form is there. */
async function passOn<Result>(
  send: SendOperatorCommand,
  call: UploadCall,
  { file, end }: Passing<Result>,
): Promise<TakenFile<Result>> {
  const importId = randomUUIDv7();
  const begun = await send(beginSettlementUpload, call, { importId, ...call.query, fileName: file.name });
  if (!("result" in begun)) return refusalOf(begun);
  const hash = createHash("sha256");
  let [part, bytes] = [0, 0];
  for await (const piece of file.parts) {
    hash.update(piece);
    const content = sealReply(begun.result.sealTo, piece);
    const added = await send(addSettlementUploadPart, call, { importId, part, content });
    if (!("result" in added)) return refusalOf(added);
    part++;
    bytes += piece.length;
  }
  if (file.isTooLarge()) return new Refusal("payload_too_large");
  const sha256 = hash.digest("hex");
  return { end: () => end({ importId, parts: part, bytes, sha256 }) };
}
