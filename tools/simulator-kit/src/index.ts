export { isLuhnValid, maskCardNumber } from "./card-number.ts";
export { LONG_SLIP, withControlCharacters } from "./control-characters.ts";
export { FaultQueue, type Fault } from "./fault-queue.ts";
export { escapeHtml, htmlPage, replyPage } from "./html-page.ts";
export { hiddenInputs, messagePage, issuerPage, RIGHT_CODE } from "./issuer-pages.ts";
export { Ledger, LedgerCorruptError, type LedgerRow } from "./ledger.ts";
export { ledgerFilter, type LedgerFilter } from "./ledger-filter.ts";
export { log } from "./log.ts";
export { readBody, type Body } from "./read-body.ts";
export { readJsonBody, type JsonBody } from "./read-json-body.ts";
export { holdUnanswered, replyJson, replyText, replyTooLarge } from "./reply.ts";
export { replyLedger } from "./reply-ledger.ts";
export { runSimulator } from "./run-simulator.ts";
export { ConfigError, connectionsMax, duration, port, readEnvironment } from "./settings.ts";
export {
  openOrClose,
  startSimulatorServer,
  together,
  type OpenLedger,
  type Route,
  type ServerOptions,
  type Simulator,
} from "./simulator-server.ts";
export { takeFaults } from "./take-faults.ts";
export { writeDurably } from "./write-durably.ts";
