import { z } from "zod";

/** A secret in an answer on the bus, encrypted to the asker (see the sealing package); all base64url. */
export const sealedReplySchema = z.object({
  senderKey: z.string(),
  nonce: z.string(),
  ciphertext: z.string(),
});
export type SealedReply = z.infer<typeof sealedReplySchema>;
