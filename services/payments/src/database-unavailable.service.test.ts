import { randomUUID } from "node:crypto";
import {
  operations,
  payCheckout,
  reserveRefund,
  viewCheckout,
  type Command,
  type CommandReply,
  type MessageContext,
} from "@holdfast/contracts";
import { armFailpoints, createLogger } from "@holdfast/service-runtime";
import {
  eventually,
  letStatementsWait,
  mendAfter,
  occupyConnections,
  startTestLink,
  type TestLink,
} from "@holdfast/tests/support";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { checkouts, type CheckoutSteps } from "../test/checkout-harness.ts";
import { startPaymentsHarness, type PaymentsHarness } from "../test/payments-harness.ts";
import { FRICTIONLESS, threeDs, type ThreeDsSteps } from "../test/three-ds-harness.ts";

/** One request that can be sent any number of times, as one message. */
type Request = () => Promise<CommandReply<unknown>>;
type Mend = () => Promise<void>;

let payments: PaymentsHarness;
let buyer: CheckoutSteps;
let cardholder: ThreeDsSteps;
let link: TestLink;
let healthUrl: string;

beforeAll(async () => {
  payments = await startPaymentsHarness({}, { alone: true, log: () => createLogger("payments", "fatal") });
  const { database } = payments;
  await letStatementsWait(database, database.urls.payments.app);
  link = await startTestLink(database.urls.payments.app);
  const { healthPort } = await payments.startAnother({
    DATABASE_URL: link.url,
    DATABASE_CONNECTIONS_MAX: String(CONNECTIONS),
    // Ends before the statements that occupy the connections time out themselves and free them.
    DATABASE_CONNECTION_TIMEOUT: "3s",
  });
  healthUrl = `http://127.0.0.1:${healthPort}/readyz`;
  buyer = checkouts(payments);
  cardholder = threeDs(payments);
});
afterEach(() => void armFailpoints(undefined));
afterAll(async () => {
  await payments.close();
  await link.close();
});

const CONNECTIONS = 2;

/** Each prepares what its request needs. */
const prepare = {
  preAuthorization: async () => always(operations.preAuthorize.command, payments.command()),
  capture: async () =>
    always(operations.capture.command, { paymentId: await pay(), operationId: randomUUID() }),
  cancellation: async () =>
    always(operations.cancel.command, { paymentId: await pay(), operationId: randomUUID() }),
  threeDs: async () => always(operations.payWith3ds.command, cardholder.command(FRICTIONLESS)),
  newCheckout: async () => always(operations.createCheckout.command, buyer.order()),
  checkoutPayment: async () => always(payCheckout, buyer.form(await buyer.open())),
  checkoutThreeDs: async () =>
    always(payCheckout, buyer.form(await buyer.open({ threeDs: true }), { pan: FRICTIONLESS })),
  reservation: async () =>
    always(reserveRefund, {
      refundId: randomUUID(),
      paymentId: await pay(),
      amountMinor: "100",
      currency: "TRY",
      askedBy: [],
    }),
  merchantsRead: async () => always(operations.getPayment.command, { paymentId: await pay() }),
  checkoutsRead: async () => always(operations.getCheckout.command, { checkoutId: await buyer.open() }),
  pagesRead: async () => {
    const checkoutId = await buyer.open();
    return () => payments.askAsGateway(viewCheckout, { checkoutId });
  },
  operatorsRead: async () => {
    const paymentId = await pay();
    return () => payments.operate(operations.getOperatorPayment.command, { paymentId });
  },
  operatorsList: async () => () =>
    payments.operate(operations.listPaymentsOfMerchants.command, { limit: 1, filter: {}, unresolved: true }),
} satisfies Record<string, () => Promise<Request>>;

/** Requests that are answered as not started where the database cannot be asked. */
const REQUESTS: Record<string, () => Promise<Request>> = {
  "a capture": prepare.capture,
  "a cancellation": prepare.cancellation,
  "a payment with 3-D Secure": prepare.threeDs,
  "a new checkout": prepare.newCheckout,
  "a checkout's payment": prepare.checkoutPayment,
  "a checkout's payment with 3-D Secure": prepare.checkoutThreeDs,
  "a refund's reservation": prepare.reservation,
  "a merchant's read": prepare.merchantsRead,
  "a read of a checkout": prepare.checkoutsRead,
  "a page's read": prepare.pagesRead,
  "an operator's read": prepare.operatorsRead,
  "an operator's list": prepare.operatorsList,
};

describe.each([
  ["cannot be reached", cutLink],
  ["has no connection to spare", takeAllConnections],
])("while the database %s", (_, fail) => {
  type Asked = { meanwhile: CommandReply<unknown>; afterwards: CommandReply<unknown> };
  const asked = new Map<string, Asked>();
  // All of them wait for the same connections, so that the wait is one for all.
  beforeAll(async () => {
    const requests: [name: string, send: Request][] = [];
    // With so few connections the preparation itself may find none on a busy machine.
    for (const [name, prepareRequest] of Object.entries(REQUESTS))
      requests.push([name, await eventually(prepareRequest)]);
    const mend = await fail();
    const replying = Promise.all(requests.map(async ([, send]) => await send()));
    const replies = await mendAfter(replying, mend);
    for (const [index, [name, send]] of requests.entries()) {
      const afterwards = await eventually(async () => started(await send()));
      asked.set(name, { meanwhile: replies[index]!, afterwards });
    }
  });

  test.each(Object.keys(REQUESTS))("%s is not started, and is done when it is sent again", (name) => {
    const { meanwhile, afterwards } = asked.get(name)!;
    expect(meanwhile).toEqual({ outcome: "not_started" });
    expect(afterwards).toMatchObject({ outcome: "done" });
  });
});

describe("when the database goes away", () => {
  test.each([
    ["a payment that the bank authorized", prepare.preAuthorization, "payments.after_acquirer", "pending"],
    ["a payment that was enrolled", prepare.threeDs, "payments.after_enrolment", "pending"],
    ["a payment whose enrolment was claimed", prepare.threeDs, "payments.after_enrolment_claim", "pending"],
    ["a capture that was claimed", prepare.capture, "payments.operation_after_claim", "pending"],
    ["a capture that the bank made", prepare.capture, "payments.operation_after_acquirer", "pending"],
    [
      "a cancellation that the bank made",
      prepare.cancellation,
      "payments.operation_after_acquirer",
      "pending",
    ],
    ["a checkout that was paid", prepare.checkoutPayment, "payments.after_checkout_payment", "in_doubt"],
  ] as const)("%s is never answered as not started", async (_, prepareRequest, point, outcome) => {
    const send = await eventually(prepareRequest);
    const hits = armFailpoints(`${point}:hold@1`);
    const replying = send();
    await eventually(() => hits(point) > 0);
    const mend = await cutLink();
    armFailpoints(undefined);
    const reply = await mendAfter(replying, mend);
    expect(reply).toMatchObject({ outcome });
  });
});

function always<Payload extends z.ZodType>(
  command: Command<Payload, z.ZodType, MessageContext>,
  payload: z.input<Payload>,
): Request {
  const change = { idempotency: { scope: command.subject, key: randomUUID() } };
  return () => payments.call(command, payload, change);
}

/** An authorization. @returns its id. */
async function pay(): Promise<string> {
  const command = payments.command();
  expect(await payments.send(command)).toMatchObject({ outcome: "done", result: { status: "SUCCESS" } });
  return command.paymentId;
}

/** A connection may not be there yet a moment after the database is. */
function started(reply: CommandReply<unknown>): CommandReply<unknown> | false {
  return reply.outcome !== "not_started" && reply;
}

async function cutLink(): Promise<Mend> {
  link.cut();
  await eventually(async () => {
    const { failing } = (await (await fetch(healthUrl)).json()) as { failing?: string[] };
    return failing?.includes("database") === true;
  });
  return async () => link.mend();
}

function takeAllConnections(): Promise<Mend> {
  return occupyConnections(payments.database, {
    table: "payments.payment",
    applicationName: "payments",
    count: CONNECTIONS,
    read: () => payments.operate(operations.getOperatorPayment.command, { paymentId: randomUUID() }),
  });
}
