import { crashSteps, decisionSteps, timeoutSteps, timeSteps, wireSteps } from "./bank-steps.ts";
import type { Model } from "./explore.ts";
import { merchantOperations } from "./operation-steps.ts";
import { OURS, type Ours } from "./ours.ts";
import { paymentSteps, saleRequest } from "./payment-steps.ts";
import { isAtRest, violation } from "./promises.ts";
import { REFUND_NAMES } from "./refund-relay-steps.ts";
import { refundSteps } from "./refund-steps.ts";
import { PARTS, type Payment, type Refund, type Scenario, type World } from "./world.ts";

/**
 * One payment of 10 and all its fates in a story: requests and answers are lost or late, the bank approves, approves a
 * part, declines, refuses, calls late or carries out twice, its day closes between any two steps, and either service
 * crashes.
 */
export function moneyModel(scenario: Scenario, { ours = OURS }: { ours?: Ours } = {}): Model<World> {
  const setting = { ours, scenario };
  return {
    initial: start(scenario),
    parts: PARTS,
    next: (world) => [
      ...wireSteps(world, scenario),
      ...decisionSteps(world, scenario),
      ...timeoutSteps(world),
      ...crashSteps(world),
      ...timeSteps(world),
      ...paymentSteps(world, setting),
      ...merchantOperations(world, setting),
      ...REFUND_NAMES.flatMap((name) => refundSteps(world, name, setting)),
    ],
    violation,
    isAtRest,
  };
}

function start(scenario: Scenario): World {
  const { crashes, late, twice, operations } = scenario;
  return {
    payment: PAYMENT,
    hand: { at: "sending", request: saleRequest(scenario), isFirst: true },
    a: REFUND,
    b: REFUND,
    wire: [],
    book: [],
    time: {
      dayIsClosed: false,
      fileHasReported: false,
      crashes: { payments: crashes, refunds: crashes },
      faults: { late, twice },
      wasTwice: false,
      cameAfterWatch: false,
      operations,
      unshown: "",
    },
  };
}

const PAYMENT: Payment = {
  state: "AUTHORIZING",
  age: "young",
  account: 0,
  captured: 0,
  released: 0,
  reserved: 0,
  refunded: 0,
  operation: null,
  ended: null,
  reversal: { isSettled: false, approved: 0, isRefused: false, last: "never", sent: "never", sub: 1 },
  heard: "",
  watch: "none",
  notified: [],
  openCase: "",
};

const REFUND: Refund = {
  state: "NONE",
  kind: "refund",
  sub: 1,
  sent: "never",
  reservation: "NONE",
  mayBeUnderWay: false,
  externalId: "",
  namesBefore: null,
  isLate: false,
  hand: null,
  relay: null,
  openCase: "",
};
