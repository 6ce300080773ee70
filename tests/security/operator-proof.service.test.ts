// A gateway that was taken over sends anything on the bus. The services that decide verify the person behind each
// request.
import { randomBytes, randomUUID } from "node:crypto";
import {
  ALL_COMMANDS,
  operations,
  OPERATOR_ROLES,
  type Command,
  type OperatorMessageContext,
  type OperatorRole,
} from "@holdfast/contracts";
import { createReplyRecipient, sealReply } from "@holdfast/sealing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeAccount, sealSecrets } from "../../services/payments/test/account-operators.ts";
import {
  createOperatorIdentity,
  startTestSystem,
  type TestSystem,
  type TokenOptions,
  TEST_ACCOUNT_ID,
} from "../support/index.ts";

let system: TestSystem;
let refundId: string;
let paymentId: string;
let accountId: string;
let attackers: Awaited<ReturnType<typeof sealSecrets>>;
beforeAll(async () => {
  system = await startTestSystem({
    services: ["payments", "refunds", "webhook-dispatcher", "settlement"],
    env: { ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}` },
  });
  const account = {
    protocol: "sim",
    name: "a bank",
    currencies: ["TRY"],
    settings: { url: "http://127.0.0.1:9" },
    secrets: {},
  };
  const made = await makeAccount(system, account, "alice");
  attackers = await sealSecrets(system, ATTACKERS, {});
  expect(made).toMatchObject({ outcome: "done" });
  accountId = "result" in made ? made.result.accountId : "";
  ({ paymentId } = await pay());
  refundId = randomUUID();
  const asked = await system.call(operations.requestRefund.command, {
    refundId,
    paymentId,
    amountMinor: "500",
    currency: "TRY",
  });
  expect(asked).toMatchObject({ outcome: "done" });
});
afterAll(() => system.close());

async function pay(): Promise<{ paymentId: string }> {
  const command = system.command({ amountMinor: "1000" });
  expect(await system.call(operations.pay.command, command)).toMatchObject({ outcome: "done" });
  return command;
}

/** The account that an attacker would make, with credentials that payments can open. */
const ATTACKERS = "attacker";

/** A part of a file that nobody opens. */
const SEALED = sealReply(createReplyRecipient().publicKey, "a");

/** A payload of each operator's command, about existing records. */
const PAYLOADS: Record<string, () => object> = {
  "payments.list-for-operator": () => ({ limit: 10, filter: {} }),
  "payments.figures": () => ({ livemode: true }),
  "payments.describe": () => ({ paymentId }),
  "payments.inquire": () => ({ paymentId }),
  "payments.reverse": () => ({ paymentId }),
  "payments.resolve": () => ({ paymentId, outcome: "FAILED", evidence: "a call" }),
  "payments.audit-log": () => ({ limit: 10 }),
  "payments.list-proposals": () => ({ limit: 10, livemode: true }),
  "payments.make-account": () => ({
    protocol: "sim",
    name: ATTACKERS,
    currencies: ["TRY"],
    settings: { url: "https://attacker.example" },
    ...attackers,
  }),
  "payments.read-accounts": () => ({}),
  "payments.read-protocols": () => ({}),
  "payments.alter-account": () => ({
    accountId,
    change: { settings: { url: "https://attacker.example" } },
  }),
  "payments.confirm-account": () => ({ accountId, version: 1 }),
  "payments.probe-account": () => ({ accountId }),
  "payments.read-installment-prices": () => ({ accountId }),
  "payments.replace-installment-prices": () => ({
    accountId,
    version: 1,
    prices: [{ installmentCount: 3, payer: "MERCHANT", ratePercent: "1", from: "2026-12-01" }],
  }),
  "payments.read-routes": () => ({ merchantId: system.merchantId }),
  "payments.replace-routes": () => ({ merchantId: system.merchantId, routes: [{ accountId }] }),
  "payments.confirm-routes": () => ({ merchantId: system.merchantId, version: 1 }),
  "refunds.request-for-merchant": () => ({
    refundId: randomUUID(),
    paymentId,
    merchantId: system.merchantId,
    amountMinor: "100",
    currency: "TRY",
    reason: "because",
  }),
  "refunds.list-for-operator": () => ({ limit: 10, filter: {} }),
  "refunds.describe": () => ({ refundId }),
  "payments.agree-to-refund": () => ({ refundId }),
  "refunds.approve": () => ({ refundId, approvalsRequired: 1 }),
  "refunds.reject": () => ({ refundId, reason: "because" }),
  "refunds.inquire": () => ({ refundId }),
  "refunds.resolve": () => ({ refundId, outcome: "SUCCESS", evidence: "a call" }),
  "refunds.audit-log": () => ({ limit: 10 }),
  "refunds.list-proposals": () => ({ limit: 10, livemode: true }),
  "webhooks.put-endpoint": () => ({
    merchantId: system.merchantId,
    url: "https://attacker.example/hook",
    recipientKey: createReplyRecipient().publicKey,
  }),
  "webhooks.list-failing-endpoints": () => ({}),
  "webhooks.list-endpoints": () => ({ merchantId: system.merchantId }),
  "webhooks.set-management": () => ({ merchantId: system.merchantId, managedBy: "api" }),
  "webhooks.read-endpoint-hours": defaultEndpoint,
  "webhooks.create-endpoint": () => ({
    merchantId: system.merchantId,
    url: "https://attacker.example/hook",
    events: ["payment.status_changed"],
    recipientKey: createReplyRecipient().publicKey,
  }),
  "webhooks.change-endpoint": () => ({ ...defaultEndpoint(), url: "https://attacker.example/hook" }),
  "webhooks.remove-endpoint": defaultEndpoint,
  "webhooks.rotate-secret": () => ({
    ...defaultEndpoint(),
    recipientKey: createReplyRecipient().publicKey,
  }),
  "webhooks.activate-secret": defaultEndpoint,
  "webhooks.test-endpoint": defaultEndpoint,
  "webhooks.list-deliveries": () => ({ limit: 10 }),
  "webhooks.get-delivery": () => ({ eventId: randomUUID() }),
  "webhooks.read-body": () => ({ eventId: randomUUID() }),
  "webhooks.redeliver": () => ({ eventId: randomUUID() }),
  "webhooks.redeliver-failed": () => ({ merchantId: system.merchantId, since: "2026-01-01T00:00:00Z" }),
  "webhooks.audit-log": () => ({ limit: 10 }),
  "payments.open-chargeback": () => ({
    chargebackId: randomUUID(),
    paymentId: randomUUID(),
    amountMinor: "100",
    currency: "TRY",
  }),
  "payments.change-chargeback": () => ({ chargebackId: randomUUID(), reasonCode: "10.4" }),
  "payments.decide-chargeback": () => ({ chargebackId: randomUUID(), outcome: "WON", reason: "because" }),
  "payments.begin-evidence": () => ({ chargebackId: randomUUID() }),
  "payments.add-evidence-part": () => ({
    chargebackId: randomUUID(),
    evidenceId: randomUUID(),
    fileName: "letter.pdf",
    bytes: 1,
    sha256: "0".repeat(64),
    part: 0,
    content: SEALED,
  }),
  "payments.read-evidence-part": () => ({
    chargebackId: randomUUID(),
    evidenceId: randomUUID(),
    part: 0,
    recipientKey: createReplyRecipient().publicKey,
  }),
  "payments.describe-chargeback": () => ({ chargebackId: randomUUID() }),
  "payments.list-chargebacks": () => ({ limit: 10 }),
  "settlement.audit-log": () => ({ limit: 10 }),
  "settlement.list-proposals": () => ({ limit: 10, livemode: true }),
  "settlement.begin-upload": () => ({
    importId: randomUUID(),
    accountId: TEST_ACCOUNT_ID,
    mapping: "generic",
    fileName: "bank.csv",
  }),
  "settlement.add-upload-part": () => ({ importId: randomUUID(), part: 0, content: SEALED }),
  "settlement.confirm-import": () => ({ importId: randomUUID() }),
  "settlement.refuse-import": () => ({ importId: randomUUID(), reason: "another day's" }),
  "settlement.end-upload": () => ({ importId: randomUUID(), parts: 1, bytes: 1, sha256: "0".repeat(64) }),
  "settlement.preview-upload": () => ({
    importId: randomUUID(),
    parts: 1,
    bytes: 1,
    sha256: "0".repeat(64),
  }),
  "settlement.list-statements": () => ({ from: "2026-03-01", to: "2026-03-01", limit: 10 }),
  "settlement.list-imports": () => ({ limit: 10 }),
  "settlement.describe-import": () => ({ importId: randomUUID() }),
  "settlement.list-differences": () => ({ limit: 10, state: "OPEN" }),
  "settlement.describe-difference": () => ({ differenceId: randomUUID() }),
  "settlement.payment-settlement": () => ({ paymentId: randomUUID() }),
  "settlement.note-difference": () => ({ differenceId: randomUUID(), note: "seen" }),
  "settlement.close-difference": () => ({
    differenceId: randomUUID(),
    decision: "NOT_OURS",
    reason: "because",
  }),
};
/** The default endpoint's id is its merchant's. */
function defaultEndpoint() {
  return { merchantId: system.merchantId, endpointId: system.merchantId };
}

/** The gateway's own are served in the gateway: see staff-listener.service.test.ts. */
const served = ALL_COMMANDS.filter(({ service }) => service !== "gateway");
const commands = served.filter(({ role }) => role !== undefined);

/** All rows that operators may change, and the audit logs. */
async function everything() {
  const [rows] = await system.query<{ all: string }>(
    `select jsonb_build_array(
       (select jsonb_agg(to_jsonb(r) - 'recover_at' - 'updated_at' order by refund_id) from refunds.refund r),
       (select jsonb_agg(to_jsonb(p) - 'recover_at' - 'updated_at' order by payment_id) from payments.payment p),
       (select jsonb_agg(to_jsonb(e)) from webhooks.endpoint e),
       (select jsonb_agg(to_jsonb(s)) from webhooks.merchant_setting s),
       (select jsonb_agg(to_jsonb(a) order by account_id) from payments.acquirer_account a),
       (select jsonb_agg(to_jsonb(v) order by account_id, version) from payments.acquirer_account_version v),
       (select jsonb_agg(to_jsonb(r) order by merchant_id, version) from payments.merchant_route r),
       (select jsonb_agg(to_jsonb(a)) from payments.audit_entry a),
       (select jsonb_agg(to_jsonb(a)) from refunds.audit_entry a),
       (select jsonb_agg(to_jsonb(a)) from webhooks.audit_entry a),
       (select jsonb_agg(to_jsonb(a)) from settlement.audit_entry a))::text as all`,
  );
  return rows!.all;
}

async function send(command: Command, operator: OperatorMessageContext["operator"]) {
  const context = { ...(await system.operatorContext()), operator };
  return await system.request(
    command as Command<typeof command.request, never, OperatorMessageContext>,
    context,
    PAYLOADS[command.subject]!(),
  );
}

test("every command that operators may send has a role, and a payload here", () => {
  const operators = served.filter(
    ({ context }) => context.safeParse({ requestId: "", deadlineAt: 0, operator: { token: "" } }).success,
  );
  expect(operators).toEqual(commands);
  expect(Object.keys(PAYLOADS).toSorted()).toEqual(commands.map(({ subject }) => subject).toSorted());
});

describe.each(commands.map((command) => [command.subject, command] as const))(
  "%s is refused",
  (_, command) => {
    const nowS = () => Math.floor(Date.now() / 1_000);
    const forged: [string, () => Promise<OperatorMessageContext["operator"]>][] = [
      ["with an empty token", async () => ({ token: "" })],
      ["with what is no token", async () => ({ token: "a.b.c" })],
      ["with an expired token", () => tokenOf({ issuedAt: nowS() - 600, expiresAt: nowS() - 60 })],
      ["with a token that lives for years", () => tokenOf({ expiresAt: "10000d" })],
      ["with a token of another issuer", () => tokenOf({ claims: { iss: "https://evil.example.test" } })],
      ["with a token for another audience", () => tokenOf({ claims: { aud: "another-api" } })],
      [
        "with a token that another provider signed",
        async () => ({ token: await (await createOperatorIdentity()).token() }),
      ],
    ];
    const tokenOf = async (options: TokenOptions) => ({ token: await system.identity.token(options) });

    test.each(forged)("%s, and nothing is written", async (_case, operator) => {
      const before = await everything();
      expect(await send(command, await operator())).toEqual({ outcome: "problem", code: "unauthorized" });
      expect(await everything()).toBe(before);
    });

    test("without a token, whatever name it has, and nothing is written", async () => {
      const before = await everything();
      const named = send(command, { name: "bora" } as never);
      await expect(named).rejects.toMatchObject({ code: "message_rejected" });
      expect(await everything()).toBe(before);
    });

    const without = OPERATOR_ROLES.filter((role) => !MAY[command.role!].includes(role));
    test.each(command.role === "viewer" ? ["somebody"] : without)(
      "to who is but %s, and the log says so",
      async (role) => {
        const name = `only-${role}`;
        const token = await system.identity.token({ claims: { sub: name, roles: [role] } });
        expect(await send(command, { token })).toEqual({
          outcome: "problem",
          code: "forbidden",
        });
        const schema = command.service;
        const [latest] = await system.query(
          `select actor, action, subject, detail::jsonb->>'role' as role from ${schema}.audit_entry order by sequence desc limit 1`,
        );
        const entry = {
          actor: name,
          action: "access.refused",
          subject: command.subject,
          role: command.role,
        };
        expect(latest).toEqual(entry);
      },
    );
  },
);

/** The operations that decide about money, listed by hand. */
const DECISIONS = [
  "payments.reverse",
  "payments.resolve",
  "payments.agree-to-refund",
  "payments.decide-chargeback",
  "payments.make-account",
  "payments.alter-account",
  "payments.confirm-account",
  "payments.replace-installment-prices",
  "payments.replace-routes",
  "payments.confirm-routes",
  "refunds.request-for-merchant",
  "refunds.approve",
  "refunds.reject",
  "refunds.resolve",
  "settlement.close-difference",
  "settlement.confirm-import",
];

describe("who signed in more than fifteen minutes ago", () => {
  const SIXTEEN_MINUTES_S = 960;
  const before = () => Math.floor(Date.now() / 1_000) - SIXTEEN_MINUTES_S;
  const refused = { outcome: "problem", code: "insufficient_user_authentication", extra: { maxAge: 900 } };

  test("has commands that decide about money refused, and no others", () => {
    const marked = commands.filter(({ recentSignIn }) => recentSignIn).map(({ subject }) => subject);
    expect(marked.toSorted()).toEqual(DECISIONS.toSorted());
  });

  test.each(commands.filter(({ subject }) => DECISIONS.includes(subject)).map((one) => [one.subject, one]))(
    "gets no answer of %s but that, and nothing is written",
    async (_, command) => {
      const all = await everything();
      const signedIn = await system.identity.token({ claims: { auth_time: before() } });
      expect(await send(command, { token: signedIn })).toEqual(refused);
      const issued = await system.identity.token({ issuedAt: before(), expiresAt: "10m" });
      expect(await send(command, { token: issued })).toEqual(refused);
      expect(await everything()).toBe(all);
    },
  );

  test.each(commands.filter(({ role }) => role === "viewer").map((one) => [one.subject, one]))(
    "still reads: %s",
    async (_, command) => {
      const token = await system.identity.token({ claims: { auth_time: before() } });
      expect(await send(command, { token })).not.toMatchObject({ code: refused.code });
    },
  );
});

/** Which roles are enough, by hand. */
const MAY: Record<OperatorRole, OperatorRole[]> = {
  viewer: [...OPERATOR_ROLES],
  approver: ["approver"],
  onboarder: ["onboarder", "admin"],
  operations: ["operations", "admin"],
  admin: ["admin"],
};

test("the name in the audit log is the token's, whatever name the message has", async () => {
  const token = await system.identity.token({ claims: { sub: "aysel", roles: ["approver"] } });
  expect(await send(operations.approveRefund.command, { token })).toMatchObject({ outcome: "done" });
  const actors = await system.query(
    "select actor from refunds.audit_entry where subject = $1 and action = 'refund.approved'",
    [refundId],
  );
  expect(actors).toEqual([{ actor: "aysel" }]);
});

test("while the keys cannot be read, nobody may anything, and it is certain that nothing was begun", async () => {
  const keyless = await startTestSystem({
    services: ["refunds"],
    env: { OPERATOR_JWKS: "/nowhere/operator-jwks.json" },
  });
  expect(await keyless.operate(operations.approveRefund.command, { refundId, approvalsRequired: 1 })).toEqual(
    {
      outcome: "not_started",
    },
  );
  expect(await keyless.operate(operations.getOperatorRefund.command, { refundId })).toEqual({
    outcome: "not_started",
  });
  await keyless.close();
});
