import { createHash, randomUUIDv7 } from "node:crypto";
import {
  addSettlementUploadPart,
  beginSettlementUpload,
  endSettlementUpload,
  UPLOAD_PART_BYTES,
  UPLOAD_PARTS_MAX,
  uploadSettlement,
  type SettlementImport,
} from "@holdfast/contracts";
import { operatorRefusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import { defineRoute, type Call } from "../endpoint/route.ts";
import { receiveFile, shownFileName, type ArrivingFile, type TakenFile } from "../http/receive-file.ts";
import { Refusal } from "../http/refusal.ts";

type UploadCall = Call<typeof uploadSettlement>;

/**
 * Passes a bank's file on as it arrives: a part is sent when the one before it has been kept, so the process holds one
 * part of it, and the client sends as fast as the database writes (docs/adr/0030).
 */
export function uploadSettlementRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(uploadSettlement, async (call) => {
    const reply = await receiveFile(call.exchange, FILE, (file) => passOn(send, call, file));
    if (reply instanceof Refusal) return reply;
    if (!("result" in reply)) return operatorRefusalOf(reply);
    const Location = `/operator/settlements/${reply.result.importId}`;
    return { status: 202 as const, headers: { Location }, body: reply.result };
  });
}

const FILE = {
  part: uploadSettlement.file.part,
  bytesMax: UPLOAD_PART_BYTES * UPLOAD_PARTS_MAX,
  pieceBytes: UPLOAD_PART_BYTES,
};

type PassedOn = TakenFile<SettlementImport>;

/** Sends the parts of a file. @returns what ends it, once the whole form is there. */
async function passOn(send: SendOperatorCommand, call: UploadCall, file: ArrivingFile): Promise<PassedOn> {
  const importId = randomUUIDv7();
  const fileName = shownFileName(file.name);
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

type Sent = { importId: string; parts: number; bytes: number; sha256: string };

async function endUpload(send: SendOperatorCommand, call: UploadCall, sent: Sent) {
  return await send(endSettlementUpload, call, sent);
}
