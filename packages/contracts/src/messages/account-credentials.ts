import { sealedReplySchema } from "../sealed-reply.ts";
import type { CreateAcquirerAccountRequest } from "../http/acquirer-accounts.ts";

/** Credentials cross the bus sealed to `payments` (see `sealTo`): a JSON text of {@link AccountCredentials}. */
export const sealedCredentials = { sealedSecrets: sealedReplySchema };

/** The sealed content: credentials and their account, so that they cannot be moved to another request. */
export type AccountCredentials = {
  /** The id of an account that is changed or probed, or the name of a new one. */
  for: string;
  secrets: CreateAcquirerAccountRequest["secrets"];
};
