import { expect, test } from "vitest";

import { cancel, followUp, hold, payment, request, startTestBank } from "./test/test-bank.ts";

test.each([
  ["host_silent_done", "91", 1],
  ["host_silent_not_done", "91", 0],
  ["unlisted_done", "VPS-1999", 1],
  ["unlisted_not_done", "VPS-1999", 0],
  ["decline", "05", 0],
])("%s answers %s, with %i approvals", async (behaviour, code, approvals) => {
  const bank = await startTestBank();
  await bank.fault("sale", behaviour);
  expect(await bank.code(payment())).toBe(code);
  const lines = await bank.ledger();
  expect(lines.filter(({ outcome }) => outcome === "approved")).toHaveLength(approvals);
});

test("a part and a second success are shown by the history alone", async () => {
  const bank = await startTestBank();
  await bank.fault("sale", "partial");
  expect(await bank.code(payment())).toBe("ok");
  expect(await bank.rows()).toMatchObject([{ amount: 6.25 }]);
  await bank.fault("authorize", "twice");
  expect(await bank.code({ ...hold(), order: { orderId: "p" } })).toBe("ok");
  expect(await bank.rows("p")).toHaveLength(2);
});

test("a wrong amount is shown by inquiries", async () => {
  const bank = await startTestBank();
  await bank.raw(payment());
  await bank.fault("inquire", "wrong_amount");
  expect(await bank.rows()).toMatchObject([{ amount: 12.51 }]);
  expect(await bank.rows()).toMatchObject([{ amount: 12.5 }]);
});

test("the day ends before a call is judged", async () => {
  const bank = await startTestBank();
  await bank.raw(payment());
  await bank.fault("void", "day_closes");
  expect(await bank.code(cancel)).toBe("VPS-1997");
});

test("an answer may name another order, or be no JSON", async () => {
  const bank = await startTestBank();
  await bank.fault("sale", "other_order");
  expect(await bank.raw(payment())).toMatchObject({ order: { orderId: "0" } });
  for (const behaviour of ["illegal_characters", "garbage"]) {
    await bank.fault("inquire", behaviour);
    const text = await (await bank.post(request("1010"))).text();
    expect(() => JSON.parse(text)).toThrow();
  }
});

test("a copy within the duplicate window has the first one's answer", async () => {
  const bank = await startTestBank();
  await bank.raw(payment());
  await bank.modes({ duplicateWindowSeconds: 60 });
  const first = await bank.raw(followUp("1002", "1.00"));
  expect(await bank.raw(followUp("1002", "1.00"))).toMatchObject({ transaction: first.transaction });
  expect(await bank.ledger()).toHaveLength(2);
});

test("the statement of a day has its movements", async () => {
  const bank = await startTestBank();
  await bank.raw(payment());
  await bank.endDay();
  const { settlements } = JSON.parse(await bank.ask("GET", "/settlements")) as { settlements: string[] };
  expect(settlements).toEqual([
    expect.stringMatching(/^ekstre-2023090417500284633D137A249DBBEB-000001-\d{8}\.csv$/),
  ]);
  expect(await bank.ask("GET", `/settlements/${settlements[0]}`)).toContain("12,50");
});
