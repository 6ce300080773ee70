import { terminalProtocol } from "../../core/index.ts";
import { faultTable, traits } from "./behaviours.ts";
import { merchantsSchema, modesSchema } from "./config.ts";
import { acsOf, handleGate } from "./gate.ts";
import { refundInPanel } from "./judge.ts";
import { orderName, postingOf } from "./ledger-line.ts";
import { handleXml } from "./service.ts";

export { merchantsSchema, type Merchant, type Modes, type SimulatorConfig } from "./config.ts";
export type { LedgerLine } from "./ledger-line.ts";

/** A bank with the PosNet protocol of Yapı Kredi. `README.md` has its protocol and its oddities. */
export const protocol = terminalProtocol("POSNET_SIMULATOR", {
  faults: faultTable,
  traits,
  modesSchema,
  merchantsSchema,
  merchantFields: "mid, tid, posnetId, encKey",
  terminalOf: ({ tid }) => tid,
  postingOf,
  placeOf: (line) => [line.tid, orderName(line)],
  calls: {
    "POST /PosnetWebService/XML": handleXml,
    "POST /3DSWebService/YKBPaymentService": handleGate,
  },
  acsOf,
  refundInPanel,
});
