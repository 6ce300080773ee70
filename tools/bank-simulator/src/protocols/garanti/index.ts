import { terminalProtocol } from "../../core/index.ts";
import { faultTable, traits } from "./behaviours.ts";
import { merchantsSchema, modesSchema } from "./config.ts";
import { acsOf, handleGate } from "./gate.ts";
import { refundInPanel } from "./judge.ts";
import { postingOf } from "./ledger-line.ts";
import { handleServlet } from "./servlet.ts";

export { merchantsSchema, type Merchant, type Modes, type SimulatorConfig } from "./config.ts";
export type { LedgerLine } from "./ledger-line.ts";

/** A bank with the GVP protocol of Garanti BBVA. `README.md` has its protocol and its oddities. */
export const protocol = terminalProtocol("GARANTI_SIMULATOR", {
  faults: faultTable,
  traits,
  modesSchema,
  merchantsSchema,
  merchantFields: "merchantId, terminalId, password, refundPassword, storeKey",
  terminalOf: ({ terminalId }) => terminalId,
  postingOf,
  placeOf: ({ terminalId, orderId }) => [terminalId, orderId],
  calls: { "POST /VPServlet": handleServlet, "POST /servlet/gt3dengine": handleGate },
  acsOf,
  refundInPanel,
});
