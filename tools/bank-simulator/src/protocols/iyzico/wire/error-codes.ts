/**
 * The codes that this bank answers, with their group (iyzico protocol, error codes). The text is the answer's
 * `errorMessage` in every locale.
 */
const errors = {
  "1": ["SYSTEM_ERROR", "System error"],
  "11": ["INVALID_REQUEST", "Invalid request"],
  "12": ["INVALID_CARD_NUMBER", "The card number is not valid"],
  "13": ["INVALID_EXPIRE_MONTH", "The month of expiry is not valid"],
  "14": ["INVALID_EXPIRE_YEAR", "The year of expiry is not valid"],
  "15": ["INVALID_CVC", "The CVC is not valid"],
  "1000": ["INVALID_SIGNATURE", "The signature is not valid"],
  "1001": ["API_KEY_NOT_FOUND", "The API key was not found"],
  "5001": ["ITEM_NOT_FOUND", "The item is missing or not known"],
  "5002": ["PAYMENT_NOT_FOUND", "The payment is missing or not known"],
  "5005": ["INVALID_PRICE", "The price must be greater than zero"],
  "5006": ["BIN_MISSING", "The BIN is missing or not valid"],
  "5008": ["PRICE_LIMIT", "The amount is higher than allowed"],
  "5062": ["INVALID_BASKET_SUM", "The price is not the sum of the basket's items"],
  "5184": ["INVALID_CURRENCY", "The currency is not allowed here"],
  "9000": ["ACCOUNT_FROZEN", "The account is frozen"],
  "10005": ["DO_NOT_HONOUR", "Do not honour"],
  "10012": ["INVALID_TRANSACTION", "Invalid transaction"],
  "10034": ["FRAUD_SUSPECT", "Suspected fraud"],
  "10041": ["LOST_CARD", "Lost card"],
  "10043": ["STOLEN_CARD", "Stolen card"],
  "10051": ["NOT_SUFFICIENT_FUNDS", "Insufficient funds"],
  "10054": ["EXPIRED_CARD", "Expired card"],
  "10057": ["NOT_PERMITTED_TO_CARDHOLDER", "Not permitted to the cardholder"],
  "10058": ["NOT_PERMITTED_TO_TERMINAL", "Not permitted to the terminal"],
  "10084": ["INVALID_CVC2", "The CVC is wrong"],
  "10093": ["RESTRICTED_BY_LAW", "Restricted by law"],
  "10203": ["APPROVED_COMPLETED", "It has been approved before"],
  "10204": ["GENERAL_ERROR", "General error"],
  "10209": ["BLOCKED_CARD", "Blocked card"],
  "10210": ["INVALID_CAVV", "The cardholder was not authenticated"],
  "10218": ["DEBIT_NO_INSTALLMENTS", "A debit card takes no installments"],
  "10219": ["REQUEST_TIMEOUT", "The bank did not answer in time"],
  "10220": ["DECLINED", "Declined"],
  "10223": ["REQUIRES_DAY_END", "Not possible on this side of the day's end"],
  "10231": ["INVALID_AMOUNT", "The amount is not allowed"],
  "10246": ["REFUND_DECLINED", "The refund was declined"],
  // A code that no list has.
  "99999": ["", "Try again later"],
  "50000": ["LIMIT_EXCEEDED", "Too many requests in a minute"],
} as const satisfies Record<string, readonly [group: string, message: string]>;

export type ErrorCode = keyof typeof errors;

export function describeError(code: ErrorCode): { errorGroup: string; errorMessage: string } {
  const [errorGroup, errorMessage] = errors[code];
  return { errorGroup, errorMessage };
}
