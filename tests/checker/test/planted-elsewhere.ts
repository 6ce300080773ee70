import { change, followUp, paid } from "./change-payments.ts";
import type { Planted } from "./planted.ts";

const ACCOUNT = "account-1";

/** Violations of the promise about accounts, planted where everything is at one account. */
export const PLANTED_ELSEWHERE: Planted[] = [
  [
    "is at account account-0, and account-1 has authorize approved",
    paid,
    (run) => void (run.bank = run.bank.map((line) => ({ ...line, accountId: ACCOUNT }))),
  ],
  [
    "is at account account-0, and account-1 has capture declined",
    paid,
    (run) => run.bank.push({ ...followUp(run, "capture"), outcome: "declined", accountId: ACCOUNT }),
  ],
  [
    "is at account account-0, and account-1 has authorize declined",
    paid,
    (run) => run.bank.push({ ...followUp(run, "authorize"), outcome: "declined", accountId: ACCOUNT }),
  ],
  [
    "is at account account-1, and account-0 has authorize approved",
    paid,
    (run) => change(run, paid, { accountId: ACCOUNT }),
  ],
  [
    "is at account account-0, where no route leads",
    paid,
    (run) => {
      const merchantId = run.payments.find(({ paymentId }) => paymentId === paid)?.merchantId ?? "";
      run.rules.places = { [merchantId]: [ACCOUNT] };
    },
  ],
  ["its refund was undone", paid, (run) => run.bank.push(followUp(run, "void_of_refund"))],
];
