import { randomUUID } from "node:crypto";

/**
 * A day's business, the file that a faulty bank writes about it, and the truth: the right verdict on each line and each
 * fact. It uses nothing of the service that is judged by it.
 */
export type BankDay = { facts: Fact[]; file: string; truth: Truth };

export type Fact = {
  id: string;
  parentId: string | null;
  kind: "SALE" | "CAPTURE" | "REFUND";
  standing: "DONE" | "NOT_DONE" | "VOIDED";
  amountMinor: number;
  bankReference: string;
  authCode: string;
  pan: string;
};

/** Verdicts by line number and by fact; of a fact that no line counts for and nothing is missing, null. */
export type Truth = {
  lines: Map<number, string>;
  facts: Map<string, string | null>;
  unreadable: Set<number>;
};

/** The settlement terms of the account in these days. */
export const PLAN = { settlementDays: 3, feeBasisPoints: 179, feeFixedMinor: 25 };
const DAY = "2026-03-10";
const SETTLES = "2026-03-13";
const TOO_LATE = "2026-03-14";

type Written = {
  kind: string;
  reference: string;
  bankReference: string;
  authCode: string;
  gross: number;
  fee: number;
  net: number;
  currency: string;
  settlesOn: string;
  pan: string;
  verdict: string;
  isGarbled?: boolean;
};

export function bankDay(seed: number, payments: number): BankDay {
  const random = generator(seed);
  const facts: Fact[] = [];
  const groups: Written[][] = [];
  const truth: Truth = { lines: new Map(), facts: new Map(), unreadable: new Set() };
  for (let index = 0; index < payments; index++) {
    const fact = makeFact(random, index, facts);
    facts.push(fact);
    const [, apply] = FAULTS[pick(random, FAULTS.length)]!;
    const { verdict, lines } = random() < HEALTHY ? healthy(fact) : apply(fact, random);
    truth.facts.set(fact.id, verdict);
    groups.push(lines);
  }
  // A movement's own lines stay in order, so that the copy is the second.
  const shuffled = groups
    .map((group) => ({ group, at: random() }))
    .toSorted((one, other) => one.at - other.at);
  const rows = shuffled.flatMap(({ group }) => group);
  for (const [index, row] of rows.entries()) {
    if (row.isGarbled) truth.unreadable.add(index + 2);
    else truth.lines.set(index + 2, row.verdict);
  }
  return { facts, file: [HEADER, ...rows.map(textOf), ""].join("\r\n"), truth };
}

const HEALTHY = 0.5;

function makeFact(random: () => number, index: number, earlier: readonly Fact[]): Fact {
  const parent = earlier.find(({ kind, standing }) => kind === "SALE" && standing === "DONE");
  const isRefund = parent !== undefined && random() < 0.15;
  const standings = ["DONE", "DONE", "DONE", "DONE", "NOT_DONE", "VOIDED"] as const;
  const standing = standings[pick(random, standings.length)]!;
  return {
    id: randomUUID(),
    parentId: isRefund ? parent.id : null,
    kind: isRefund ? "REFUND" : random() < 0.3 ? "CAPTURE" : "SALE",
    standing: isRefund && standing === "VOIDED" ? "DONE" : standing,
    amountMinor: 100 + pick(random, 5_000_000),
    bankReference: `bank-${index}-${pick(random, 1_000_000)}`,
    authCode: `A${index}`,
    pan: "411111******1111",
  };
}

type Outcome = { verdict: string | null; lines: Written[] };

function lineOf(fact: Fact, verdict: string, change: Partial<Written> = {}): Written {
  const sign = fact.kind === "REFUND" ? -1 : 1;
  const gross = sign * fact.amountMinor;
  const fee =
    fact.kind === "REFUND"
      ? 0
      : Math.floor((fact.amountMinor * PLAN.feeBasisPoints + 5_000) / 10_000) + PLAN.feeFixedMinor;
  return {
    kind: fact.kind,
    reference: fact.id,
    bankReference: fact.bankReference,
    authCode: fact.authCode,
    gross,
    fee,
    net: gross - fee,
    currency: "TRY",
    settlesOn: SETTLES,
    pan: fact.pan,
    verdict,
    ...change,
  };
}

/** The line that takes a payment back. */
function voidOf(fact: Fact, verdict: string): Written {
  const { gross, fee, net, ...line } = lineOf(fact, verdict);
  return {
    ...line,
    kind: "VOID",
    bankReference: `${fact.bankReference}-v`,
    gross: -gross,
    fee: -fee,
    net: -net,
  };
}

function healthy(fact: Fact): Outcome {
  switch (fact.standing) {
    case "DONE":
      return { verdict: "MATCHED", lines: [lineOf(fact, "MATCHED")] };
    case "NOT_DONE":
      return { verdict: null, lines: [] };
    case "VOIDED":
      return { verdict: "MATCHED", lines: [lineOf(fact, "MATCHED"), voidOf(fact, "MATCHED")] };
    default:
      return fact.standing satisfies never;
  }
}

const whenDone =
  (apply: (fact: Fact, random: () => number) => Outcome) =>
  (fact: Fact, random: () => number): Outcome =>
    fact.standing === "DONE" ? apply(fact, random) : healthy(fact);
const all = (verdict: string, ...lines: Written[]): Outcome => ({ verdict, lines });

const FAULTS: [name: string, apply: (fact: Fact, random: () => number) => Outcome][] = [
  ["dropped", whenDone(() => ({ verdict: "MISSING_AT_BANK", lines: [] }))],
  ["doubled", whenDone((fact) => all("MATCHED", lineOf(fact, "MATCHED"), lineOf(fact, "DUPLICATE")))],
  [
    "doubled with another amount",
    whenDone((fact) => {
      const copy = lineOf(fact, "DUPLICATE");
      return all("MATCHED", lineOf(fact, "MATCHED"), { ...copy, gross: copy.gross + 1, net: copy.net + 1 });
    }),
  ],
  [
    "altered amount",
    whenDone((fact, random) => {
      const line = lineOf(fact, "AMOUNT_DIFFERS");
      const more = random() < 0.5 ? 1 : -1 - pick(random, 90);
      return all("AMOUNT_DIFFERS", { ...line, gross: line.gross + more, net: line.net + more });
    }),
  ],
  [
    "another currency",
    whenDone((fact) => all("AMOUNT_DIFFERS", lineOf(fact, "AMOUNT_DIFFERS", { currency: "EUR" }))),
  ],
  [
    "wrong fee",
    whenDone((fact, random) => {
      const line = lineOf(fact, "FEE_DIFFERS");
      const more = 2 + pick(random, 500);
      return all("FEE_DIFFERS", { ...line, fee: line.fee + more, net: line.net - more });
    }),
  ],
  [
    "wrong sum",
    whenDone((fact) => {
      const line = lineOf(fact, "FEE_DIFFERS");
      return all("FEE_DIFFERS", { ...line, net: line.net - 1 });
    }),
  ],
  ["shifted by a day", whenDone((fact) => all("LATE", lineOf(fact, "LATE", { settlesOn: TOO_LATE })))],
  [
    "unknown line",
    (fact) => {
      const { verdict, lines } = healthy(fact);
      const unknown = lineOf(fact, "MISSING_HERE", {
        reference: randomUUID(),
        bankReference: `unknown-${fact.id}`,
        authCode: "",
      });
      return { verdict, lines: [...lines, unknown] };
    },
  ],
  [
    "paid what failed here",
    (fact) => {
      if (fact.standing === "DONE") return healthy(fact);
      return all("STATUS_DIFFERS", lineOf(fact, "STATUS_DIFFERS"));
    },
  ],
  [
    "void at the bank alone",
    whenDone((fact) => {
      if (fact.kind === "REFUND") return healthy(fact);
      return all("STATUS_DIFFERS", lineOf(fact, "STATUS_DIFFERS"), voidOf(fact, "STATUS_DIFFERS"));
    }),
  ],
  [
    "garbled",
    whenDone((fact) => ({ verdict: "MISSING_AT_BANK", lines: [lineOf(fact, "", { isGarbled: true })] })),
  ],
  ["without our reference", whenDone((fact) => all("MATCHED", lineOf(fact, "MATCHED", { reference: "" })))],
  [
    "without any reference",
    whenDone((fact) => all("MATCHED", lineOf(fact, "MATCHED", { reference: "", bankReference: "" }))),
  ],
  [
    "a refund under its payment's reference",
    whenDone((fact) => all("MATCHED", lineOf(fact, "MATCHED", { reference: fact.parentId ?? fact.id }))),
  ],
  [
    "nothing of a void",
    (fact) => (fact.standing === "VOIDED" ? { verdict: null, lines: [] } : healthy(fact)),
  ],
];
const HEADER =
  "kind,reference,bank_reference,auth_code,card,gross,fee,net,currency,transacted_at,settles_on,payout_id";

function textOf(line: Written): string {
  const cells = [
    line.kind,
    line.reference,
    line.bankReference,
    line.authCode,
    line.pan,
    major(line.gross),
    major(line.fee),
    major(line.net),
    line.currency,
    `${DAY}T12:00:00`,
    line.settlesOn,
    "payout-1",
  ];
  return line.isGarbled ? `"${cells.join(";")}` : cells.join(",");
}

function major(minor: number): string {
  const digits = String(Math.abs(minor)).padStart(3, "0");
  return `${minor < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Random numbers that are the same for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function pick(random: () => number, below: number): number {
  return Math.floor(random() * below);
}
