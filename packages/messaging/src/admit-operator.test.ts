import { operations, type OperatorMessageContext } from "@holdfast/contracts";
import { expect, test, vi } from "vitest";
import { createAdmission, type AdmitOperators } from "./admit-operator.ts";
import { logHandled } from "./log-handled.ts";

const TOKEN = "eyJ-a-token-that-must-go-nowhere";
const context: OperatorMessageContext = {
  requestId: "r1",
  deadlineAt: 1,
  operator: { token: TOKEN },
};
const olga = {
  subject: "olga",
  person: "operator https://login.example olga",
  roles: new Set(["approver"] as const),
};

function admission(operators: Partial<AdmitOperators> = {}) {
  const onForbidden = vi.fn(async () => {});
  const admit = createAdmission([{ command: operations.approveRefund.command }], {
    verify: async () => olga,
    onForbidden,
    ...operators,
  });
  return { admit, onForbidden };
}

test("the handler gets whom the token names, and nothing of the token", async () => {
  const { admit } = admission();
  const admitted = await admit(operations.approveRefund.command, context);
  expect(admitted).toEqual({
    context: {
      requestId: "r1",
      deadlineAt: 1,
      operator: { name: "olga", person: olga.person, roles: olga.roles },
    },
  });
  expect(JSON.stringify(admitted)).not.toContain(TOKEN);
});

test("whoever has a role may read, and an approver may not do what an onboarder may", async () => {
  const { admit, onForbidden } = admission();
  expect(await admit(operations.listRefunds.command, context)).toHaveProperty("context");
  expect(onForbidden).not.toHaveBeenCalled();
  const refused = await admit({ ...operations.approveRefund.command, role: "onboarder" }, context);
  expect(refused).toEqual({
    outcome: "forbidden",
    reply: { outcome: "problem", code: "forbidden" },
    actor: "olga",
  });
  expect(onForbidden).toHaveBeenCalledExactlyOnceWith({
    actor: "olga",
    subject: "refunds.approve",
    role: "onboarder",
    requestId: "r1",
  });
});

test("who signed in too long ago may read, and decides nothing about money", async () => {
  const verify = async () => ({ ...olga, staleSignIn: { maxAgeS: 900 } });
  const { admit, onForbidden } = admission({ verify });
  expect(await admit(operations.listRefunds.command, context)).toHaveProperty("context");
  expect(await admit(operations.approveRefund.command, context)).toEqual({
    outcome: "stale_sign_in",
    reply: { outcome: "problem", code: "insufficient_user_authentication", extra: { maxAge: 900 } },
    actor: "olga",
  });
  expect(onForbidden).not.toHaveBeenCalled();
});

test("what cannot be verified, or not be recorded, was certainly not begun", async () => {
  const down = async () => {
    throw new Error("down");
  };
  const certain = { outcome: "unverifiable", reply: { outcome: "not_started" } };
  expect(await admission({ verify: down }).admit(operations.approveRefund.command, context)).toMatchObject(
    certain,
  );
  const unrecorded = admission({ onForbidden: down });
  expect(
    await unrecorded.admit({ ...operations.approveRefund.command, role: "admin" }, context),
  ).toMatchObject(certain);
});

test("a command of somebody else's goes on as it came", async () => {
  const merchant = { requestId: "r1", deadlineAt: 1, merchant: { merchantId: "m1" } };
  expect(await admission().admit(operations.getPayment.command, merchant)).toEqual({ context: merchant });
});

test("no service serves operators' commands without a way to verify them", () => {
  expect(() =>
    createAdmission([
      { command: operations.getPayment.command },
      { command: operations.approveRefund.command },
    ]),
  ).toThrow("refunds.approve is served without a way to verify operators");
  expect(() => createAdmission([{ command: operations.getPayment.command }])).not.toThrow();
});

test("the log names who asked without the right to", () => {
  const warn = vi.fn();
  logHandled({ warn, debug: vi.fn() })({
    subject: "refunds.approve",
    context: { requestId: "r1", merchantId: undefined },
    outcome: "forbidden",
    actor: "olga",
    durationMs: 1,
  });
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({
      outcome: "forbidden",
      subject: "refunds.approve",
      actor: "olga",
      requestId: "r1",
    }),
    "command not carried out",
  );
});
