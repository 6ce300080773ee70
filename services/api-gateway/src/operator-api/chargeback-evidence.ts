import { createHash, randomUUIDv7 } from "node:crypto";
import {
  beginChargebackEvidence,
  EVIDENCE_BYTES_MAX,
  EVIDENCE_PART_BYTES,
  operations,
  type ChargebackDetail,
  type CommandReply,
} from "@holdfast/contracts";
import { createReplyRecipient, sealReply } from "@holdfast/sealing";
import { refusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import { defineRoute, type Call } from "../endpoint/route.ts";
import { receiveFile, type ArrivingFile, type TakenFile } from "../http/receive-file.ts";
import { Refusal } from "../http/refusal.ts";

const FILE = {
  part: operations.addChargebackEvidence.file.part,
  bytesMax: EVIDENCE_BYTES_MAX,
  pieceBytes: EVIDENCE_PART_BYTES,
};

/** Keeps a file with a case, whose parts go sealed to payments. It is held whole until its form is, since its hash goes with its first part. */
export function addEvidenceRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(operations.addChargebackEvidence, async (call) => {
    const reply = await receiveFile(call.exchange, FILE, (file) => collect(send, call, file));
    if (reply instanceof Refusal) return reply;
    if (!("result" in reply)) return refusalOf(reply);
    return { status: 201, body: reply.result };
  });
}

type EvidenceCall = Call<typeof operations.addChargebackEvidence>;

async function collect(
  send: SendOperatorCommand,
  call: EvidenceCall,
  file: ArrivingFile,
): Promise<TakenFile<ChargebackDetail>> {
  const begun = await send(beginChargebackEvidence, call, call.path);
  if (!("result" in begun)) return refusalOf(begun);
  const pieces: Buffer[] = [];
  for await (const piece of file.parts) pieces.push(piece);
  if (file.isTooLarge()) return new Refusal("payload_too_large");
  if (pieces.length === 0) {
    const errors = [{ field: FILE.part, code: "too_short", message: "must not be empty" }];
    return new Refusal("validation_failed", { members: { errors } });
  }
  const { sealTo } = begun.result;
  return { end: () => sendPieces(send, call, { fileName: file.name, pieces, sealTo }) };
}

/** The last part makes the file whole, and its answer shows it. */
async function sendPieces(
  send: SendOperatorCommand,
  call: EvidenceCall,
  { fileName, pieces, sealTo }: { fileName: string; pieces: readonly Buffer[]; sealTo: string },
): Promise<CommandReply<ChargebackDetail>> {
  const whole = Buffer.concat(pieces);
  const file = {
    ...call.path,
    evidenceId: call.exchange.keyedWork?.resourceId ?? randomUUIDv7(),
    fileName,
    bytes: whole.length,
    sha256: sha256Of(whole),
  };
  let reply: CommandReply<ChargebackDetail> = { outcome: "not_started" };
  for (const [part, piece] of pieces.entries()) {
    const content = sealReply(sealTo, piece);
    reply = await send(operations.addChargebackEvidence.command, call, { ...file, part, content });
    if (reply.outcome !== "done") return reply;
  }
  return reply;
}

/**
 * Answers with a file of evidence exactly as it was sent, after checking its hash again. A browser must store
 * it and never show it, because its content may be anything.
 */
export function getEvidenceRoute({ send }: { send: SendOperatorCommand }) {
  return defineRoute(operations.getChargebackEvidence, async (call) => {
    const recipient = createReplyRecipient();
    const read = (part: number) =>
      send(operations.getChargebackEvidence.command, call, {
        ...call.path,
        part,
        recipientKey: recipient.publicKey,
      });
    const first = await read(0);
    if (!("result" in first)) return refusalOf(first);
    const { evidence } = first.result;
    const pieces = [recipient.openBytes(first.result.content)];
    for (let part = 1; part * EVIDENCE_PART_BYTES < evidence.bytes; part++) {
      const next = await read(part);
      if (!("result" in next)) return refusalOf(next);
      pieces.push(recipient.openBytes(next.result.content));
    }
    const whole = Buffer.concat(pieces);
    if (sha256Of(whole) !== evidence.sha256) throw new DamagedEvidenceError(evidence.evidenceId);
    return {
      status: 200,
      headers: {
        "Content-Type": "application/octet-stream",
        "Content-Length": String(whole.length),
        "Content-Disposition": `attachment; filename*=UTF-8''${encoded(evidence.fileName)}`,
      },
      rows: () => eachOf(pieces),
    };
  });
}

async function* eachOf(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces;
}

/** Encodes a file name by RFC 8187. */
function encoded(fileName: string): string {
  return encodeURIComponent(fileName).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256Of(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The stored bytes differ from those that were sent. */
class DamagedEvidenceError extends Error {
  override name = "DamagedEvidenceError";
  readonly code = "damaged_evidence";
  constructor(evidenceId: string) {
    super(`the file of evidence ${evidenceId} has another hash than when it was added`);
  }
}
