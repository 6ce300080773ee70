export {
  amount,
  currency,
  fee,
  list,
  message,
  optional,
  optionalWord,
  ownName,
  ROWS_MAX,
  word,
} from "./kit/answer-fields.ts";
export { BankAddresses } from "./kit/bank-addresses.ts";
export { probedAt } from "./kit/bank-clock.ts";
export {
  BoundedHttpClient,
  type BoundedHttpClientOptions,
  type HttpAnswer,
  type HttpExchange,
} from "./kit/bounded-http-client.ts";
export { returnedFields } from "./kit/browser-return.ts";
export { answeredPage, challengePage, hiddenInputs, leadsNowhere } from "./kit/challenge-page.ts";
export { codeTable, refusalOf, type CodeClass } from "./kit/code-table.ts";
export { amountText, minorOf, parseDecimal, readMinorUnits, shortestText } from "./kit/decimal.ts";
export { decodeText } from "./kit/decode-text.ts";
export { confidentialOf, shortYear, type Instrument, type Proof, type ReturnRead } from "./kit/instrument.ts";
export { containsCardNumber, maskedMessage, printable, shownMessage } from "./kit/masks.ts";
export { readMdStatus } from "./kit/md-statuses.ts";
export { currencyOfNumber, NUMERIC_CURRENCIES } from "./kit/numeric-currencies.ts";
export {
  INVALID_ANSWER,
  MISMATCH,
  notGenuine,
  PENDING,
  probedBy,
  UNSUPPORTED,
  withAuthentication,
} from "./kit/outcomes.ts";
export { readJson } from "./kit/read-json.ts";
export { hmacHex, isSameSignature } from "./kit/signatures.ts";
export {
  approvedBy,
  reversedBy,
  cancelledBy,
  confirmedBy,
  standingOf,
  voidStanding,
  type Settled,
  type Standing,
  type Success,
  type VoidOutcome,
} from "./kit/standing.ts";
export { readXml, writeXml, type XmlContent, type XmlElement } from "./kit/xml.ts";
export {
  CAPTURED_ELSEWHERE,
  createOrderAcquirer,
  isRefused,
  isTaken,
  reversedByName,
  voidTarget,
  type CallOutcome,
  type Order,
  type OrderBank,
  type PaymentCall,
} from "./kit/order-acquirer.ts";
export {
  standingIn,
  targetRow,
  type NamedRow,
  type OrderRecord,
  type RecordRow,
} from "./kit/order-record.ts";
export { isVoidLate, voidByRecord, type VoidRefusals } from "./kit/void-by-record.ts";
export { orderBankSettings } from "./kit/order-bank-settings.ts";
export { asciiSecret, bankAddress, secretText, settingText, strictFields } from "./kit/setting-fields.ts";
