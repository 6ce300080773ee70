/**
 * The codes in the bank's answers. Codes of two digits come from ISO 8583; words are the simulator's own, for
 * cases that ISO 8583 does not cover.
 */
export const resultMessages = {
  "00": "Approved",
  "05": "Do not honour",
  "12": "Invalid transaction: the original's state does not allow it",
  "13": "Invalid amount",
  "14": "Invalid card number",
  "21": "No action taken: the original cannot be reversed",
  "25": "Original transaction not found",
  "51": "Insufficient funds",
  "54": "Expired card",
  authentication_failed: "The cardholder was not authenticated",
  authentication_cancelled: "The cardholder cancelled the authentication",
  authentication_incomplete: "The authentication was not completed",
  reversed: "The reference has been reversed",
  settled: "The original has been settled and can only be refunded",
  expired_request: "The request arrived after its expiry",
} as const;

export type ResultCode = keyof typeof resultMessages;
