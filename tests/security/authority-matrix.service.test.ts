/**
 * The deeds that one credential can do alone, tried for each: `docs/security.md` has the table, in words, and
 * its cells that begin with "no" are exactly what is refused here.
 */
import { randomUUID, randomUUIDv7 } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  agreeToRefund,
  beginSettlementUpload,
  BUS_USERS,
  carryOutRefundAtBank,
  ENDPOINTS,
  EVENT_SOURCES,
  eventSubject,
  mayAct,
  operations,
  OPERATOR_ROLES,
  PAYMENT_STATUS_CHANGED,
  SETTLEMENT_STATEMENT_READY,
  STAFF_ROLES,
  staffMayAct,
  type BusUser,
  type Command,
  type CommandContext,
  type Endpoint,
  type EventSource,
} from "@holdfast/contracts";
import { appRoleNames } from "@holdfast/installation";
import { connectBus, request, type Bus } from "@holdfast/messaging";
import { createReplyRecipient } from "@holdfast/sealing";
import { AUDITOR, withClient } from "@holdfast/sandbox/infrastructure";
import { jetstream } from "@nats-io/jetstream";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { z } from "zod";
import { eventually, startTestSystem, type TestSystem } from "../support/index.ts";
import { REPOSITORY } from "./source-files.ts";

/** The columns of the table, in its order. */
const DEEDS = ["money", "webhook", "key", "file"] as const;
type Deed = (typeof DEEDS)[number];
type Can = Record<Deed, boolean>;

const TABLE = new Map(
  readFileSync(join(REPOSITORY, "docs/security.md"), "utf8")
    .split("\n## What one credential can do alone\n")[1]!
    .split("\n## ")[0]!
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| ---"))
    .slice(1)
    .map((line) => {
      const [who = "", ...cells] = line.slice(2, -2).split(" | ");
      return [who, cells] as const;
    }),
);

function expectAsWritten(who: string, can: Can): void {
  const written = TABLE.get(who)?.map((cell) => !/^no\b/.test(cell));
  expect(Object.fromEntries(DEEDS.map((deed, index) => [deed, written?.[index]])), who).toEqual(can);
}

let system: TestSystem;
/** A merchant whose keys may change its webhook endpoints. */
const managedByKeys = randomUUIDv7();
const { publicKey: recipientKey } = createReplyRecipient();
let part: { refundId: string; paymentId: string; amountMinor: string; currency: string };

beforeAll(async () => {
  system = await startTestSystem({
    services: ["payments", "refunds", "webhook-dispatcher", "settlement"],
    withBusUsers: true,
  });
  const sale = system.command({ amountMinor: "10000" });
  expect(await system.call(operations.pay.command, sale)).toMatchObject({ outcome: "done" });
  part = { refundId: randomUUID(), paymentId: sale.paymentId, amountMinor: "100", currency: "TRY" };
  expect(await system.call(operations.requestRefund.command, part)).toMatchObject({ outcome: "done" });
  const setting = { merchantId: managedByKeys, managedBy: "api" } as const;
  expect(await system.operate(operations.setWebhookManagement.command, setting)).toMatchObject({
    outcome: "done",
  });
});
afterAll(() => system.close());

test("the table has each credential once", () => {
  expect([...TABLE.keys()]).toEqual([
    ...BUS_USERS.map((user) => `bus: ${user}`),
    ...[...appRoleNames, AUDITOR].map((role) => `database: ${role}`),
    ...OPERATOR_ROLES.map((role) => `operator: ${role}`),
    ...STAFF_ROLES.map((role) => `staff: ${role}`),
    "merchant: API key",
  ]);
});

const REFUSALS: ReadonlySet<string> = new Set([
  "unauthorized",
  "refund_not_agreed",
  "webhook_change_not_allowed",
]);

describe("a user of the bus, who has no person's token", () => {
  /** True if a service carries a command out for the user, as far as it can be carried out. */
  async function isServed<Context extends CommandContext, Request extends z.ZodType>(
    bus: Bus,
    command: Command<Request, z.ZodType, Context>,
    context: Context,
    payload: z.input<Request>,
  ): Promise<boolean> {
    const wire = { waitUntil: Date.now() + 60_000, traceparent: "" };
    const reply = await request(bus, command, context, payload, wire);
    if (reply.outcome !== "problem") return reply.outcome === "done" || reply.outcome === "pending";
    return !REFUSALS.has(reply.code);
  }

  /** The events that the user can have accepted, so that the dispatcher signs them. */
  async function isAccepted(bus: Bus, source: EventSource): Promise<boolean> {
    const eventId = randomUUIDv7();
    const isStatement = source === "settlement";
    const body = { transactionType: "REFUND", paymentId: part.refundId };
    const event = {
      eventId,
      eventType: isStatement ? SETTLEMENT_STATEMENT_READY : PAYMENT_STATUS_CHANGED,
      source,
      merchantId: system.merchantId,
      paymentId: part.refundId,
      status: isStatement ? "READY" : "SUCCESS",
      body: Buffer.from(JSON.stringify(body)).toString("base64"),
    };
    const published = await jetstream(bus.nats)
      .publish(eventSubject(source), JSON.stringify(event))
      .then(
        () => true,
        () => false,
      );
    if (!published) return false;
    return await eventually(async () => {
      const found = await system.query("select from webhooks.event where event_id = $1", [eventId]);
      return found.length > 0;
    });
  }

  test.each(BUS_USERS)("%s", async (user: BusUser) => {
    const bus = await connectBus({ url: system.nats.url, name: user, ...system.busLogin(user) });
    onTestFinished(() => bus.close(500));
    const base = { requestId: randomUUID(), deadlineAt: Date.now() + 50_000 };
    const service = { ...base, service: { name: user } };
    const person = { ...base, operator: { token: "not.a.token" } };
    const merchant = system.context();
    const { refundId } = part;
    const upload = { importId: randomUUID(), accountId: "own", mapping: "holdfast", fileName: "file.csv" };
    const endpoint = { merchantId: system.merchantId, endpointId: randomUUID(), recipientKey: "x" };
    const keyed = { ...merchant, merchant: { merchantId: managedByKeys } };
    const own = {
      url: "https://shop.example/hook",
      events: ["payment.status_changed" as const],
      recipientKey,
    };
    const any = async (...attempts: Promise<boolean>[]) => (await Promise.all(attempts)).includes(true);
    const can: Can = {
      money: await any(
        isServed(bus, carryOutRefundAtBank, service, { ...part, kind: "refund", resumed: false }),
        isServed(bus, agreeToRefund, person, { refundId }),
        isServed(bus, operations.approveRefund.command, person, { refundId, approvalsRequired: 1 }),
      ),
      webhook: await any(
        ...EVENT_SOURCES.map((source) => isAccepted(bus, source)),
        isServed(bus, operations.testWebhook.command, merchant, { endpointId: randomUUID() }),
      ),
      key: await any(
        isServed(bus, operations.rotateWebhookEndpointSecret.command, person, endpoint),
        isServed(bus, operations.createWebhook.command, keyed, own),
      ),
      file: await any(isServed(bus, beginSettlementUpload, person, upload)),
    };
    expectAsWritten(`bus: ${user}`, can);
  });

  afterAll(async () => expect((await system.bank!.ledgerText()).includes(part.refundId)).toBe(false));
});

describe("a role of the database", () => {
  const NEVER = "where false";
  /** The statements that would do each deed: rights are checked, and no row is changed. */
  const STATEMENTS: Record<Deed, string[]> = {
    // `payments` pays by these rows. A refund of `refunds` moves no money by itself: see payout-needs-people.service.test.ts.
    money: [
      `update payments.payment set state = state ${NEVER}`,
      `update payments.refund_reservation set agreed_at = null ${NEVER}`,
    ],
    webhook: [
      ...EVENT_SOURCES.map(
        (schema) => `insert into ${schema}.outbox (event_type, payment_id, merchant_id, status, body)
          select 'x', gen_random_uuid(), gen_random_uuid(), 'x', '\\x00'::bytea ${NEVER}`,
      ),
      `update webhooks.delivery set event_id = event_id ${NEVER}`,
    ],
    key: [
      `update gateway.credential set revoked_at = now() ${NEVER}`,
      // All that a role can read of a credential is no proof of its secret.
      `select gateway.replace_secret_hash(api_key, pepper_id, secret_hash, 'p2', secret_hash) as done
        from gateway.credential`,
      `update payments.acquirer_account_version set sealed_secrets = null ${NEVER}`,
      `update webhooks.endpoint set url = url ${NEVER}`,
    ],
    file: [`update settlement.import set state = state ${NEVER}`],
  };

  beforeAll(async () => {
    await system.query(
      `with new as (insert into gateway.merchant (name) values ('A shop') returning merchant_id)
       insert into gateway.credential (api_key, merchant_id, secret_hash, pepper_id, issued_by)
       select 'hk_live_' || repeat('a', 24), merchant_id, sha256('a'), 'p1', 'olga' from new`,
    );
  });

  test.each([...appRoleNames, AUDITOR])("%s", async (role) => {
    const can = await withClient(system.database.superuserUrl, async (client) => {
      await client.query(`set role ${role}`);
      const isAllowed = async (statement: string) =>
        await client.query<{ done?: boolean }>(statement).then(
          ({ rows }) => rows.every(({ done = true }) => done),
          ({ code, message }: { code: string; message: string }) => {
            expect(code, message).toBe("42501");
            return false;
          },
        );
      const found: Partial<Can> = {};
      for (const deed of DEEDS) {
        found[deed] = false;
        for (const statement of STATEMENTS[deed]) found[deed] ||= await isAllowed(statement);
      }
      return found as Can;
    });
    expectAsWritten(`database: ${role}`, can);
  });
});

describe("a person, or a merchant, with the endpoints that their role opens", () => {
  const OPERATIONS: Record<Deed, RegExp[]> = {
    money: [/^approveRefund/],
    webhook: [/^(test|redeliver)/],
    // A merchant's key may do it only where the merchant's setting allows it: the dispatcher's tests have the refusals.
    key: [
      /^((add|revoke)Credential|createMerchant$)/,
      /^((rotate|activate).*Secret|setWebhookManagement)/,
      /^(create|put|change|remove|delete)\w*Webhook(AsStaff)?$/,
      /^(create|change|confirm)AcquirerAccount$/,
    ],
    // One person sends it, and another one confirms it: the cell names the roles that do either.
    file: [/^(upload|confirm)Settlement$/],
  };
  const canBy = (isOpen: (endpoint: Endpoint) => boolean): Can => {
    const open = ENDPOINTS.filter(isOpen);
    const may = (deed: Deed) =>
      open.some(({ operationId }) => OPERATIONS[deed].some((name) => name.test(operationId)));
    return { money: may("money"), webhook: may("webhook"), key: may("key"), file: may("file") };
  };
  const expectOfPerson = (who: string, { file: handles, ...can }: Can) => {
    expectAsWritten(who, { ...can, file: false });
    expect(/confirms|as operations/.test(TABLE.get(who)!.at(-1)!), who).toBe(handles);
  };

  test.each(OPERATOR_ROLES)("operator %s", (role) => {
    const roles = new Set([role]);
    const isOpen = ({ listener, role: needed }: Endpoint) => listener === "operator" && mayAct(roles, needed);
    expectOfPerson(`operator: ${role}`, canBy(isOpen));
  });

  test.each(STAFF_ROLES)("staff %s", (role) => {
    const roles = new Set([role]);
    const isOpen = ({ listener, role: needed }: Endpoint) =>
      listener === "staff" && staffMayAct(roles, needed);
    expectOfPerson(`staff: ${role}`, canBy(isOpen));
  });

  test("a merchant's key", () => {
    expectOfPerson(
      "merchant: API key",
      canBy(({ listener }) => listener === "merchant"),
    );
  });
});
