const AT_THE_NEXT = [
  "payments moves the payment to the next account",
  "payments sends the sale",
  "the bank approves the sale, and payments gets the answer",
] as const;

const CHARGED_TWICE = [
  "payments sends the sale",
  "the bank approves a part of the sale, and payments gets the answer",
  ...AT_THE_NEXT,
] as const;

/** The shortest way to each planted fault that takes a second account. */
export const ACCOUNT_TRACES: Readonly<Record<string, readonly string[]>> = {
  "another account is called after a lost answer": CHARGED_TWICE,
  "a lost answer is a soft decline, and tried at another account": CHARGED_TWICE,
  "a payment that is tried at another account stays with the first": [
    "payments sends the sale",
    "the bank declines the sale, and payments gets the answer",
    ...AT_THE_NEXT,
    "payments crashes",
    "the bank answers the inquiry about the sale: declined",
  ],
};
