import { z } from "zod";

/** A secret in an answer on the bus, encrypted to the asker (see the sealing package); all base64url. */
export const sealedReplySchema = z.object({
  senderKey: z.string(),
  nonce: z.string(),
  ciphertext: z.string(),
});
/** A part of a file, sealed likewise to whoever keeps it. */
export function sealedPartSchema(bytesMax: number) {
  const ciphertext = z
    .string()
    .min(1)
    .max(Math.ceil((bytesMax + TAG_BYTES) / 3) * 4);
  return sealedReplySchema.extend({ ciphertext });
}

const TAG_BYTES = 16;

export type SealedReply = z.infer<typeof sealedReplySchema>;
