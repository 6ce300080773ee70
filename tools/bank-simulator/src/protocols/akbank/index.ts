import { terminalProtocol } from "../../core/index.ts";
import { faultTable, traits } from "./behaviours.ts";
import { merchantsSchema, modesSchema } from "./config.ts";
import { acsOf, handleGate } from "./gate.ts";
import { refundInPanel } from "./judge.ts";
import { postingOf } from "./ledger-line.ts";
import { handleProcess } from "./process.ts";

export { merchantsSchema, type Merchant, type Modes, type SimulatorConfig } from "./config.ts";
export type { LedgerLine } from "./ledger-line.ts";

/** A bank with the JSON interface of Akbank. `README.md` has its protocol and its oddities. */
export const protocol = terminalProtocol("AKBANK_SIMULATOR", {
  faults: faultTable,
  traits,
  modesSchema,
  merchantsSchema,
  merchantFields: "merchantSafeId, terminalSafeId, secretKey",
  terminalOf: ({ terminalSafeId }) => terminalSafeId,
  postingOf,
  placeOf: ({ terminalSafeId, orderId }) => [terminalSafeId, orderId],
  calls: {
    "POST /api/v1/payment/virtualpos/transaction/process": handleProcess,
    "POST /securepay": handleGate,
  },
  acsOf,
  refundInPanel,
});
