/** The first refund is paid, and the bank takes the second for a copy of it. @param first the end of the first one's call. */
const copied = (...first: readonly string[]) => [
  "payments sends the sale",
  "the bank approves the sale, and payments gets the answer",
  "payments records the answer for the sale: approved",
  "the merchant asks for refund a",
  "payments reserves refund a",
  "refund a waits for operators",
  "operators approve refund a",
  "refunds has payments send refund a",
  "payments sends refund a",
  "the bank approves the refund a, and payments gets the answer",
  ...first,
  "the merchant asks for refund b",
  "payments reserves refund b",
  "refund b waits for operators",
  "operators approve refund b",
  "refunds has payments send refund b",
  "payments sends refund b",
  "the bank takes the refund b for a copy of the refund a, and payments gets the answer",
  "payments passes on the answer for refund b: approved",
  "refunds records the answer for refund b: approved",
];

/** The shortest ways to the faults at a bank that takes equal refunds for copies. */
export const COPY_TRACES: Readonly<Record<string, readonly string[]>> = {
  "a second refund is believed under the first one's name": copied(
    "payments passes on the answer for refund a: approved",
  ),
  "equal refunds do not wait for each other where our references tell them apart": copied(),
};
