import { randomUUID } from "node:crypto";
import { operations, type CommandReply } from "@holdfast/contracts";
import { armFailpoints } from "@holdfast/service-runtime";
import {
  eventually,
  letStatementsWait,
  mendAfter,
  occupyConnections,
  startTestLink,
  type TestLink,
} from "../support/index.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  createRefundBank,
  NOT_SENT,
  type RefundToSend,
} from "../../services/refunds/src/refund/refund-bank.ts";
import { startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";

type Service = "refunds" | "payments";
type Mend = () => Promise<void>;

let refunds: RefundsHarness;
let links: Record<Service, TestLink>;
let healthPorts: Record<Service, number>;

beforeAll(async () => {
  refunds = await startRefundsHarness({ running: [] });
  const { urls } = refunds.database;
  await letStatementsWait(refunds.database, urls.refunds.app);
  await letStatementsWait(refunds.database, urls.payments.app);
  links = {
    refunds: await startTestLink(urls.refunds.app),
    payments: await startTestLink(urls.payments.app),
  };
  const env = {
    DATABASE_CONNECTIONS_MAX: String(CONNECTIONS),
    // Ends before the statements that occupy the connections time out themselves and free them.
    DATABASE_CONNECTION_TIMEOUT: "3s",
  };
  healthPorts = {
    refunds: (await refunds.startRefunds({ ...env, DATABASE_URL: links.refunds.url })).healthPort,
    payments: (await refunds.startPayments({ ...env, DATABASE_URL: links.payments.url })).healthPort,
  };
});
afterEach(() => void armFailpoints(undefined));
afterAll(async () => {
  await refunds.close();
  await Promise.all([links.refunds.close(), links.payments.close()]);
});

const CONNECTIONS = 2;

describe.each(["refunds", "payments"] as const)("while the database of %s", (service) => {
  test.each([
    ["cannot be reached", cutLink],
    ["has no connection to spare", takeAllConnections],
  ])("%s, a refund request is not started, and is accepted when it is sent again", async (_, fail) => {
    const send = await request();
    const mend = await fail(service);
    const reply = await mendAfter(send(), mend);
    expect(reply).toEqual({ outcome: "not_started" });
    expect(await eventually(async () => started(await send()))).toMatchObject({ outcome: "done" });
  });
});

test("a request whose amount is reserved is in doubt when the database goes away, and never not started", async () => {
  const send = await request();
  const hits = armFailpoints("refunds.after_reservation:hold@1");
  const replying = send();
  await eventually(() => hits("refunds.after_reservation") > 0);
  const mend = await cutLink("refunds");
  armFailpoints(undefined);
  const reply = await mendAfter(replying, mend);
  expect(reply).toEqual({ outcome: "in_doubt" });
});

test("a request that payments could not begin is in doubt when it cannot be taken back either", async () => {
  const send = await request();
  const hits = armFailpoints("refunds.after_claim:hold@1");
  const replying = send();
  await eventually(() => hits("refunds.after_claim") > 0);
  const mends = await Promise.all([cutLink("refunds"), cutLink("payments")]);
  armFailpoints(undefined);
  const reply = await mendAfter(replying, () => Promise.all(mends.map((mend) => mend())));
  expect(reply).toEqual({ outcome: "in_doubt" });
});

test("of a refund that payments cannot look up nothing is sent, and refunds knows it", async () => {
  const refundId = await refunds.queue(await refunds.pay(), "100");
  const [refund] = await refunds.query<RefundToSend>("select * from refunds.refund where refund_id = $1", [
    refundId,
  ]);
  const bank = createRefundBank(refunds.bus);
  const until = () => new Date(Date.now() + 100_000);
  const ask = async () => [
    (await bank.carryOut(refund!, false, until())).answer,
    await bank.inquire(refund!, until()),
  ];
  const mend = await cutLink("payments");
  expect(await mendAfter(ask(), mend)).toEqual([NOT_SENT, NOT_SENT]);
  expect(await refunds.ledger(refundId)).toEqual([]);
});

/** One request of a payment's refund that can be sent any number of times, as one message. */
async function request(): Promise<() => Promise<CommandReply<unknown>>> {
  const paymentId = await refunds.pay();
  const refundId = randomUUID();
  const change = { idempotency: { scope: "refund", key: randomUUID() } };
  return () => refunds.ask(paymentId, "100", { refundId, change });
}

/** A connection may not be there yet a moment after the database is. */
function started(reply: CommandReply<unknown>): CommandReply<unknown> | false {
  return reply.outcome !== "not_started" && reply;
}

async function cutLink(service: Service): Promise<Mend> {
  links[service].cut();
  await eventually(async () => {
    const answer = await fetch(`http://127.0.0.1:${healthPorts[service]}/readyz`);
    const { failing } = (await answer.json()) as { failing?: string[] };
    return failing?.includes("database") === true;
  });
  return async () => links[service].mend();
}

function takeAllConnections(service: Service): Promise<Mend> {
  const occupied = {
    refunds: {
      table: "refunds.refund",
      read: () => refunds.operate(operations.getOperatorRefund.command, { refundId: randomUUID() }),
    },
    payments: {
      table: "payments.payment",
      read: () => refunds.operate(operations.getOperatorPayment.command, { paymentId: randomUUID() }),
    },
  };
  return occupyConnections(refunds.database, {
    ...occupied[service],
    applicationName: service,
    count: CONNECTIONS,
  });
}
