// An attacker with everything that one listener of the gateway signs in with: its user of the bus and its database role.
import { randomUUID } from "node:crypto";
import {
  ALL_COMMANDS,
  BUS_USERS,
  GATEWAY_LISTENERS,
  inboxSubject,
  operations,
  type GatewayListener,
} from "@holdfast/contracts";
import { connectBus, request, type Bus } from "@holdfast/messaging";
import { withClient } from "@holdfast/sandbox/infrastructure";
import { PermissionViolationError } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { eventually, startTestSystem, type TestSystem } from "../support/index.ts";

let system: TestSystem;
beforeAll(async () => {
  system = await startTestSystem({
    services: ["payments", "refunds", "webhook-dispatcher", "settlement"],
    withBusUsers: true,
  });
});
afterAll(() => system.close());

async function signInAs(user: string): Promise<Bus> {
  const bus = await connectBus({ url: system.nats.url, name: user, ...system.busLogin(user) });
  onTestFinished(() => bus.close(500));
  return bus;
}

/** Collects the server's refusals, as `publish <subject>` and `subscription <subject>`, of all that was sent before. */
async function refusalsOf(bus: Bus, attack: () => void): Promise<Set<string>> {
  const refused = new Set<string>();
  void (async () => {
    for await (const status of bus.nats.status()) {
      if (status.type !== "error" || !(status.error instanceof PermissionViolationError)) continue;
      refused.add(`${status.error.operation} ${status.error.subject}`);
    }
  })();
  attack();
  // The server judges in order.
  bus.nats.publish("the.last.one");
  await eventually(() => expect(refused).toContain("publish the.last.one"));
  return refused;
}

const roleOf = (listener: GatewayListener) =>
  ({
    "gateway-merchant": system.database.urls.gateway.merchant,
    "gateway-operator": system.database.urls.gateway.operator,
    "gateway-public": system.database.urls.gateway.public,
    "gateway-staff": system.database.urls.gateway.staff,
  })[listener];

/** The SQLSTATE with which each statement ends under the role of a listener. */
async function attempt(listener: GatewayListener, statements: string[]): Promise<string[]> {
  return await withClient(roleOf(listener), async (client) => {
    const outcomes: string[] = [];
    for (const statement of statements) {
      outcomes.push(
        await client.query(statement).then(
          () => "done",
          ({ code }: { code: string }) => code,
        ),
      );
    }
    return outcomes;
  });
}

/** True for listeners whose people's attempts are lines of the gateway's audit log. */
const writesAuditLog = (listener: GatewayListener) =>
  listener === "gateway-operator" || listener === "gateway-staff";

const REFUSED = "42501";
const FINAL = "23000";

describe.each(GATEWAY_LISTENERS)("%s, taken over,", (listener) => {
  test("hears no answer to another", async () => {
    const attacker = await signInAs(listener);
    const heard: string[] = [];
    const others = BUS_USERS.filter((user) => user !== listener).map(inboxSubject);
    const wide = [">", "*.>", "_INBOX.>", "_INBOX_*.>", "payments.>", "refunds.>", "webhooks.>", "events.>"];
    const refused = await refusalsOf(attacker, () => {
      for (const subject of [...others, ...wide]) {
        attacker.nats.subscribe(subject, {
          callback: (refusal, message) => void (refusal ?? heard.push(message.subject)),
        });
        attacker.nats.subscribe(subject, {
          queue: "payments",
          callback: (refusal, message) => void (refusal ?? heard.push(message.subject)),
        });
      }
    });
    for (const subject of [...others, ...wide]) expect(refused).toContain(`subscription ${subject}`);

    const victim = await signInAs(listener === "gateway-merchant" ? "gateway-operator" : "gateway-merchant");
    const asked =
      listener === "gateway-merchant" ? operations.getOperatorRefund.command : operations.getPayment.command;
    const context = listener === "gateway-merchant" ? await system.operatorContext("olga") : system.context();
    const payload = { refundId: randomUUID(), paymentId: randomUUID() };
    const answer = await request(
      victim,
      asked as typeof operations.getPayment.command,
      context as never,
      payload,
      {
        waitUntil: Date.now() + 60_000,
        traceparent: "",
      },
    );
    expect(answer.outcome).toBe("problem");
    await attacker.nats.flush();
    expect(heard).toEqual([]);
  });

  test("moves no money, and nobody answers it", async () => {
    const paymentId = randomUUID();
    const sold = await system.call(operations.pay.command, system.command({ paymentId }));
    expect(sold.outcome).toBe("done");
    const refundId = randomUUID();
    await system.call(operations.requestRefund.command, {
      refundId,
      paymentId,
      amountMinor: "100",
      currency: "TRY",
    });
    const before = await state();

    const attacker = await signInAs(listener);
    const foreign = ALL_COMMANDS.filter(({ senders }) => !senders.includes(listener)).map(
      ({ subject }) => subject,
    );
    expect(foreign).toEqual(
      expect.arrayContaining(
        listener === "gateway-operator"
          ? ["payments.sell", "payments.cancel", "refunds.request"]
          : ["refunds.approve", "payments.resolve", "payments.reverse", "webhooks.put-endpoint"],
      ),
    );
    const answers: string[] = [];
    const reply = inboxSubject(listener).replace(">", "stolen");
    attacker.nats.subscribe(reply, {
      callback: (refusal, message) => void (refusal ?? answers.push(message.string())),
    });
    const body = JSON.stringify({
      context: {
        ...(await system.operatorContext("bora")),
        ...system.context(),
        service: { name: listener },
      },
      payload: { refundId, paymentId, outcome: "SUCCESS", evidence: "x", url: "https://attacker.example" },
    });
    const refused = await refusalsOf(attacker, () => {
      for (const subject of foreign) attacker.nats.publish(subject, body, { reply });
    });
    for (const subject of foreign) expect(refused).toContain(`publish ${subject}`);
    // An answer to another caller shows that the services are done with the messages that were allowed.
    await system.call(operations.getPayment.command, { paymentId });
    expect(answers).toEqual([]);
    expect(await state()).toEqual(before);
  });

  test("writes nothing into another's audit log", async () => {
    const schemas = [
      "payments",
      "refunds",
      "webhooks",
      "settlement",
      ...(writesAuditLog(listener) ? [] : ["gateway"]),
    ];
    const statements = schemas.flatMap((schema) => [
      `insert into ${schema}.audit_entry (sequence, at, actor, action, subject, detail, hash)
       values (1000000, now(), 'bora', 'refund.approved', 'x', '{}', decode(repeat('00', 32), 'hex'))`,
      `select from ${schema}.audit_entry`,
    ]);
    expect(new Set(await attempt(listener, statements))).toEqual(new Set([REFUSED]));
  });

  test("gives no revoked key its life back", async () => {
    const apiKey = `hf_live_${randomUUID()}`;
    await system.query(
      `with new as (insert into gateway.merchant (name) values ('A shop') returning merchant_id)
       insert into gateway.credential (api_key, merchant_id, secret_hash, pepper_id, issued_by, revoked_at)
       select $1, merchant_id, decode(repeat('00', 32), 'hex'), 'p1', 'olga', now() from new`,
      [apiKey],
    );
    const [outcome] = await attempt(listener, [
      `update gateway.credential set revoked_at = null where api_key = '${apiKey}'`,
    ]);
    expect(outcome).toBe(listener === "gateway-operator" ? FINAL : REFUSED);
  });
});

test.each(GATEWAY_LISTENERS.filter((listener) => listener !== "gateway-operator"))(
  "%s, taken over, adds no key to a merchant, revokes none and has no operator's Idempotency-Key",
  async (listener) => {
    const statements = [
      `insert into gateway.credential (api_key, merchant_id, secret_hash, pepper_id, issued_by)
       select 'hk_live_' || repeat('a', 24), merchant_id, decode(repeat('00', 32), 'hex'), 'p1', 'olga'
       from gateway.merchant`,
      "update gateway.credential set revoked_at = now()",
      "select from gateway.operator_key",
      "delete from gateway.operator_key",
    ];
    expect(new Set(await attempt(listener, statements))).toEqual(new Set([REFUSED]));
  },
);

/** All that an attack on money would change. */
async function state() {
  return await system.query(
    `select (select json_agg(row_to_json(r) order by refund_id) from refunds.refund r) as refunds,
       (select json_agg(json_build_array(payment_id, state) order by payment_id) from payments.payment) as payments,
       (select count(*)::int from refunds.audit_entry) + (select count(*)::int from payments.audit_entry)
         + (select count(*)::int from webhooks.audit_entry) as audited,
       (select count(*)::int from webhooks.endpoint) as endpoints`,
  );
}
