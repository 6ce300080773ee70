import type { BankProtocol } from "@holdfast/sandbox/banks";

/** Forged fields of a return that the bank has signed, the signature itself first. */
export const FORGERIES: Record<BankProtocol, [field: string, value?: string][]> = {
  nestpay: [
    ["HASH", "AAAA"],
    ["HASH"],
    ["oid", "other"],
    ["amount", "0.01"],
    ["mdStatus", "0"],
    ["clientid", "1"],
  ],
  iyzico: [
    ["signature", "AAAA"],
    ["signature"],
    ["conversationId", "other"],
    ["paymentId", "1"],
    ["mdStatus", "0"],
    ["status", "failure"],
  ],
  garanti: [
    ["hash", "AAAA"],
    ["hash"],
    ["hashparams", "clientid:oid:"],
    ["oid", "other"],
    ["mdstatus", "0"],
    ["clientid", "1"],
  ],
  akbank: [
    ["hash", "AAAA"],
    ["hash"],
    ["hashParams", "responseCode+responseMessage+orderId"],
    ["orderId", "other"],
    ["amount", "0.01"],
    ["mdStatus", "0"],
    ["merchantSafeId", "1"],
  ],
  // The plain fields beside the packets are signed by nobody, and not read.
  posnet: [
    ["Sign", "AAAA"],
    ["Sign"],
    ["Sign", "0".repeat(32)],
    ["BankPacket", "AB".repeat(40)],
    ["MerchantPacket", "AB".repeat(40)],
  ],
};
