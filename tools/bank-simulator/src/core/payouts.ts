import { decimalAmount } from "./money.ts";
import type { Unkindness } from "./unkindness.ts";

/** The money that a bank pays out for a day, under the name that its settlement file has for it. */
export type Payout = { id: string; currency: string; netMinor: bigint };

/** A payout as the account's statement shows it. */
export type BookedPayout = Payout & { date: string };

/** A payout as the bank pays it: as its file says, a major unit less, or not at all. */
export function paidOut(payouts: readonly Payout[], mode: Unkindness["payouts"]): Payout[] {
  if (mode === "missing") return [];
  const shortMinor = mode === "short" ? 100n : 0n;
  return payouts.map((payout) => ({ ...payout, netMinor: payout.netMinor - shortMinor }));
}

export const PAYOUTS_TYPE = "application/xml";

/** The statement of the merchants' bank account, camt.053 of ISO 20022, with an entry for each payout. */
export function payoutStatement(payouts: readonly BookedPayout[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>1</Id>
${payouts.map((payout) => entryOf(payout)).join("")}</Stmt></BkToCstmrStmt></Document>
`;
}

function entryOf({ id, currency, netMinor, date }: BookedPayout): string {
  const amount = decimalAmount(netMinor < 0n ? -netMinor : netMinor, currency);
  const direction = netMinor < 0n ? "DBIT" : "CRDT";
  return `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${date}</Dt></BookgDt><ValDt><Dt>${date}</Dt></ValDt><NtryDtls><TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs></TxDtls></NtryDtls></Ntry>
`;
}
