export {
  CHALLENGE_PATH,
  pageToChallenge,
  returnPage,
  type AcsSession,
  type CardholderAnswer,
  type Way,
} from "./acs.ts";
export { Bank } from "./bank.ts";
export { postingOfLine, type BankLine, type Uncalled } from "./bank-line.ts";
export { merchantList, merchantTerms } from "./merchant-terms.ts";
export { BankClock, type ShownTimes, type WallTime } from "./bank-clock.ts";
export {
  Book,
  netMinor,
  type EndedDay,
  type Movement,
  type Named,
  type Order,
  type Posting,
  type Row,
} from "./book.ts";
export { judgeCall, movementLine, standingMinor, type OrderCase } from "./judge-call.ts";
export { isLuhnValid, maskCardNumber } from "./card-number.ts";
export { LONG_SLIP, withControlCharacters } from "./control-characters.ts";
export type { NotificationControl } from "./control-api.ts";
export type { Dispute, ReportedDay } from "./day-ends.ts";
export { answerFaults, effectFaults, FaultQueue, type BehaviourOf, type OperationOf } from "./fault-queue.ts";
export { gateAcsSession, openGateSession, type Authentication, type GateSession } from "./gate-session.ts";
export { gateCounter, gatePage } from "./gate-counter.ts";
export { replyPage } from "./html-page.ts";
export { messagePage, RIGHT_CODE } from "./issuer-pages.ts";
export { Ledger, type LedgerRow } from "./ledger.ts";
export { log } from "./log.ts";
export { MinuteLimits } from "./minute-limits.ts";
export { csvRow, decimalAmount, halfOf, shareOf } from "./money.ts";
export { Notifier } from "./notifier.ts";
export { pageReply, pageWire } from "./page-wire.ts";
export type { Payout } from "./payouts.ts";
export type { BankTraits, Protocol, StartOptions } from "./protocol.ts";
export { readBody, type Body } from "./read-body.ts";
export { invalid, parse, readRequest, type Parsed } from "./read-request.ts";
export { replyJson, replyTooLarge } from "./reply.ts";
export * as when from "./rules.ts";
export { repeatOf, verdictOf, type Case, type Repetition, type Rule } from "./rules.ts";
export {
  deliver,
  inItsTime,
  jsonReply,
  serveCall,
  type Done,
  type Reply,
  type Wire,
  type Work,
} from "./serve-call.ts";
export { Sessions } from "./sessions.ts";
export {
  bankDefaults,
  bankSettings,
  ConfigError,
  connectionsMax,
  duration,
  jsonSetting,
  port,
  readEnvironment,
  type BankConfig,
} from "./settings.ts";
export type { SettlementFile } from "./settlement-folder.ts";
export { together, type Simulator } from "./simulator-server.ts";
export { STATEMENT_TYPE, statementFile, type Payee, type StatementForm } from "./statement.ts";
export { startBank, type BankDefinition, type Counter, type Office } from "./start-bank.ts";
export { terminalProtocol, type TerminalConfig, type TerminalDesk } from "./terminal-bank.ts";
export { bothWays, moneyWork, uncertaintyIn } from "./uncertain.ts";
export { DECLINED_CVV, eciOf, mdStatusOf, planOf, testCard, type IssuerDecline } from "./test-cards.ts";
export { DAY_MS, hasExpired, inquiryTime, namingTime, transactionDate, ZONE } from "./turkish-time.ts";
export {
  cellsOf,
  duplicateOf,
  kindness,
  orderAsOf,
  shownUntil,
  type Cells,
  type Unkindness,
} from "./unkindness.ts";
export { isWebAddress } from "./web-address.ts";
export { encodeIso88599, readXml, xmlInBody, xmlOf, type XmlValues } from "./xml.ts";
