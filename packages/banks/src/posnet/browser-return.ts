import type { BrowserReturn, NotGenuine, NotSent } from "@holdfast/acquirer";
import { notGenuine, readMdStatus, returnedFields, type ReturnRead } from "@holdfast/acquirer/kit";

import { elementIn, textIn, type BankAnswer } from "./answer.ts";
import { isMac, isSign, type MacKey } from "./macs.ts";
import type { PosnetSettings } from "./posnet-settings.ts";
import { writeInstallments, type Written } from "./requests.ts";
import { classOf } from "./result-codes.ts";

/** The parts of a return that the bank can read. */
export type Packets = { kind: "packets"; merchantData: string; bankData: string; sign: string };

/**
 * Reads the return of a cardholder's browser, which proves nothing by itself: only the bank can read its
 * packets. The plain fields beside them are not signed, and are not read.
 */
export function readReturn(
  returned: BrowserReturn | undefined,
  { verifySign }: Pick<PosnetSettings, "verifySign">,
  key: Pick<MacKey, "encKey">,
): Packets | NotGenuine {
  const fields = returned && returnedFields(returned, countingName);
  if (!returned || fields?.size === 0) return notGenuine("no_signature");
  if (!fields) return notGenuine("signature");
  const [merchantData = "", bankData = "", sign = ""] = NAMES.map((name) => fields.get(name));
  if (sign === "") return notGenuine("no_signature");
  const areWhole = PACKET.test(merchantData) && PACKET.test(bankData) && SIGN.test(sign);
  if (!areWhole || (verifySign && !isSign(sign, [merchantData, bankData], key)))
    return notGenuine("signature");
  return { kind: "packets", merchantData, bankData, sign };
}

const NAMES = ["merchantpacket", "bankpacket", "sign"] as const;
const PACKET = /^[0-9A-Fa-f]{16,4000}$/;
const SIGN = /^[0-9A-Fa-f]{32}$/;

function countingName(name: string) {
  return NAMES.find((known) => known === name.toLowerCase());
}

/**
 * Reads the bank's answer about the packets of a return. It first checks by the MAC over our own values that
 * the answer is about this payment, and only then reads the result. Anybody can send packets of another
 * payment, or forged ones, so a refusal ends nothing. An answer without a result changes nothing either,
 * since no money has been requested yet.
 */
export function readResolved(
  { approved, code, message, root }: BankAnswer,
  { bankData }: Pick<Packets, "bankData">,
  { written, installmentCount }: { written: Written; installmentCount: number },
  { acceptMdStatus, key }: { acceptMdStatus: readonly string[]; key: MacKey },
): ReturnRead | NotSent {
  if (approved !== "1") {
    const codeClass = classOf("three_ds", code, message);
    if (codeClass === "credentials") return { kind: "not_sent", reason: "credentials" };
    return codeClass === "undecided" || codeClass === undefined
      ? { kind: "not_sent" }
      : notGenuine("signature");
  }
  const block = elementIn(root, "oosResolveMerchantDataResponse");
  const texts = block && RESOLVED.map((name) => textIn(block, name));
  if (!texts || texts.includes(undefined)) return { kind: "not_sent" };
  const [xid, amount, currency, installment, status = "", txStatus = "", mac = ""] = texts;
  if (xid !== written.name) return notGenuine("other_order");
  // No MAC covers the installments: they came over the connection to the bank alone.
  const isOurs =
    amount === written.amount &&
    currency === written.currency &&
    (installment === "" || installment === writeInstallments(installmentCount));
  if (!isOurs) return notGenuine("other_amount");
  if (!isMac(mac, written, key, status)) return notGenuine("signature");
  // The bank itself charges a card whose holder has failed: only this decides.
  return readMdStatus(status, {
    proof: { md: bankData, xid, eci: "", cavv: "" },
    isWhole: txStatus === "" || txStatus === (TX_STATUS.get(status) ?? txStatus),
    accepted: acceptMdStatus,
  });
}

/** The `txStatus` that belongs to an `mdStatus`. No MAC covers it: another one refuses, and proves nothing. */
const TX_STATUS: ReadonlyMap<string, string> = new Map([
  ["1", "Y"],
  ["4", "A"],
]);

const RESOLVED = ["xid", "amount", "currency", "installment", "mdStatus", "txStatus", "mac"];
