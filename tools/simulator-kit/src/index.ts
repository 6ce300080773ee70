export { isLuhnValid, maskPan } from "./card-number.ts";
export { replyLedger, takeFaults } from "./control-calls.ts";
export { FaultQueue } from "./fault-queue.ts";
export { escapeHtml, htmlPage } from "./html.ts";
export { Ledger, LedgerCorruptError, type LedgerRow } from "./ledger.ts";
export { log } from "./log.ts";
export { readBody, readBytes, type Body, type Bytes } from "./read-body.ts";
export { readJsonBody, type JsonBody } from "./read-json-body.ts";
export { holdUnanswered, replyJson, replyText, replyTooLarge } from "./reply.ts";
export { runSimulator } from "./run-simulator.ts";
export { ConfigError, connectionsMax, duration, port, readEnvironment } from "./settings.ts";
export {
  errorCode,
  openOrClose,
  startSimulatorServer,
  type ServerOptions,
  type Simulator,
} from "./simulator-server.ts";
export { writeDurably } from "./write-durably.ts";
