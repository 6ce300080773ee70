import { REPETITIONS } from "@holdfast/acquirer";
import type { Kind, Scenario } from "./world.ts";

/**
 * Every combination of the first three abilities. One kind of bank has the shared traits of banks that know
 * only orders. It releases no part, which one story of the other kinds tests. No bank's clock is right: one
 * is ahead, and by the others each movement seems to be an hour older than our call.
 */
export const KINDS: readonly Kind[] = [true, false].flatMap((bindsUnseen) =>
  REPETITIONS.flatMap((repetition) =>
    [true, false].map((namesReferences) => {
      // Some banks know a payment by its order, as NestPay, Garanti, Akbank and Yapı Kredi do.
      const knowsOrders = !bindsUnseen && repetition === "refuses_second_success" && !namesReferences;
      return {
        bindsUnseen,
        repetition,
        namesReferences,
        // As at iyzico, at one of the two kinds that repeat everything.
        namesCaptures: bindsUnseen || repetition !== "none",
        release: !knowsOrders,
        confirmsAmounts: knowsOrders,
        sharesNames: knowsOrders,
        voidsLast: knowsOrders,
        clockSeconds: bindsUnseen && namesReferences ? 180 : -3_600,
      };
    }),
  ),
);

type Story = Omit<Scenario, "bank">;

export const PLAIN: Omit<Story, "name"> = {
  type: "PAYMENT",
  accounts: 1,
  retries: false,
  refunds: 0,
  operations: 0,
  crashes: 2,
  late: 0,
  twice: 0,
  approvesParts: true,
  accepts: false,
  slowInquiries: false,
  throws: false,
  copies: false,
  lags: false,
};

/**
 * The stories of `npm run test:system`, at each bank: a charge at one of two accounts, and everything that may follow
 * it.
 */
export const SMALL: readonly Story[] = [
  {
    ...PLAIN,
    name: "a sale at one of two accounts, and its cancellation",
    accounts: 2,
    operations: 1,
    crashes: 1,
  },
  { ...PLAIN, name: "declined at one account, tried at another", accounts: 2, retries: true, crashes: 1 },
  {
    ...PLAIN,
    name: "an authorization and its capture",
    type: "PRE_AUTHORIZATION",
    operations: 1,
    crashes: 1,
  },
  { ...PLAIN, name: "accepted and decided later", accepts: true, operations: 1, crashes: 1 },
];

/** The stories of `npm run model`, at each bank. */
export const WIDE: readonly Story[] = [
  { ...PLAIN, name: "a sale at one of two accounts", accounts: 2, operations: 1, slowInquiries: true },
  {
    ...PLAIN,
    name: "declined at one account, tried at another",
    accounts: 2,
    retries: true,
    operations: 1,
    slowInquiries: true,
  },
  {
    ...PLAIN,
    name: "declined at one account, which approves a copy of it",
    accounts: 2,
    retries: true,
    twice: 1,
    crashes: 1,
    approvesParts: false,
  },
  { ...PLAIN, name: "sale, refund, cancel", refunds: 1, operations: 1, slowInquiries: true },
  {
    ...PLAIN,
    name: "capture and refund",
    type: "PRE_AUTHORIZATION",
    refunds: 1,
    operations: 1,
    approvesParts: false,
  },
  { ...PLAIN, name: "two operations", type: "PRE_AUTHORIZATION", operations: 2, approvesParts: false },
  { ...PLAIN, name: "accepted and decided later", accepts: true, operations: 1, slowInquiries: true },
  {
    ...PLAIN,
    name: "accepted, decided later and captured",
    type: "PRE_AUTHORIZATION",
    accepts: true,
    operations: 1,
    approvesParts: false,
  },
  { ...PLAIN, name: "carried out twice", refunds: 1, twice: 1, crashes: 1, approvesParts: false },
];

/**
 * A bank may call a request late only if it returns our references: otherwise the request would be unclear.
 */
const LATE: Story = {
  ...PLAIN,
  name: "called late",
  refunds: 1,
  operations: 1,
  late: 1,
  crashes: 1,
  approvesParts: false,
};
/** Two refunds of the same amount, each with a reference that a bank may not give back. */
const TWO_REFUNDS: Story = { ...PLAIN, name: "two refunds", refunds: 2, crashes: 1, approvesParts: false };
/** Two equal refunds at a bank that may take one for a copy of the other. */
const COPIED: Story = { ...TWO_REFUNDS, name: "two refunds, one taken for a copy", crashes: 0, copies: true };
const BEHIND: Story = {
  ...PLAIN,
  name: "a history that lags",
  refunds: 1,
  operations: 1,
  crashes: 1,
  approvesParts: false,
  lags: true,
};
/** A refund that is asked for before the capture is a release. */
const UNCAPTURED: Story = {
  ...PLAIN,
  name: "capture and refund",
  type: "PRE_AUTHORIZATION",
  refunds: 1,
  operations: 1,
  crashes: 1,
  approvesParts: false,
};
const isUnkind = ({ bindsUnseen, repetition }: Kind) => !bindsUnseen && repetition === "none";

export function smallScenarios(): Scenario[] {
  return KINDS.flatMap((bank) => SMALL.map((story) => ({ ...story, bank })));
}

export function wideScenarios(): Scenario[] {
  return KINDS.flatMap((bank) => [
    ...(bank.repetition === "replay" ? atReplayingBank(bank) : atOtherBank(bank)).map((story) => ({
      ...story,
      bank,
    })),
    // At other banks its story is part of a story with more crashes.
    ...(bank.release ? [{ ...UNCAPTURED, bank: { ...bank, release: false } }] : []),
  ]);
}

function atOtherBank(bank: Kind): Story[] {
  return [
    ...WIDE,
    BEHIND,
    ...(bank.namesReferences ? [LATE] : []),
    ...(isUnkind(bank) ? [TWO_REFUNDS] : []),
    ...(isUnkind(bank) || bank.voidsLast ? [COPIED] : []),
  ];
}

/**
 * A bank that replays gets repetitions while the first call is under way, so a refund has many times the
 * orders of events. Its stories have fewer crashes, and the story of two refunds has none.
 */
function atReplayingBank({ bindsUnseen, namesReferences }: Kind): Story[] {
  const one = WIDE.filter(({ refunds }) => refunds === 0);
  const refund: Story = { ...PLAIN, name: "sale, refund, cancel", refunds: 1, operations: 1, crashes: 1 };
  const two: Story = { ...TWO_REFUNDS, crashes: 0, approvesParts: true };
  return [...one, refund, ...(bindsUnseen || namesReferences ? [] : [two])];
}

/** A name for people, and the same for the same scenario. */
export function nameOf({ name, bank }: Scenario): string {
  const { bindsUnseen, repetition, namesReferences, namesCaptures, release, voidsLast } = bank;
  const binds = bindsUnseen ? "binds unknown references" : "does not bind references";
  const names = namesReferences ? "returns" : "does not return";
  const except = namesReferences && !namesCaptures ? " but those of captures" : "";
  const releases = release ? "" : ", and cannot release a part";
  const orders = voidsLast ? ", and knows orders only" : "";
  const references = `${names} our references${except}`;
  return `${name}, at a bank that ${binds}, treats repeats as ${repetition}, ${references}${releases}${orders}`;
}
